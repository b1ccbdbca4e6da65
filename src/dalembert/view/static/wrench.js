/* A force, or a couple, on one body with the effect of a generalized force (as in wrench.py): Jᵀ(F, M) = ρ with the smallest F and M/size. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const COUNTS = 1e-12; // relative; smaller eigenvalues count as zero
  const SWEEPS = 12;

  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

  /* Partial velocities of a body minus those of another at the same place (`arm` from its centre): 6 × n. */
  function partial(own, other, arm, n, turning) {
    const J = Float64Array.from(own);
    if (other) {
      for (let j = 0; j < n; j++) {
        const turn = [3, 4, 5].map((k) => other[k * n + j]);
        const moved = cross(turn, arm);
        for (let k = 0; k < 3; k++) {
          J[k * n + j] -= other[k * n + j] + moved[k];
          J[(3 + k) * n + j] -= turn[k];
        }
      }
    }
    if (turning) J.fill(0, 0, 3 * n);
    return J;
  }

  /* Eigenvalues and vectors of a symmetric matrix of six rows, by Jacobi's rotations. */
  function eigen(G) {
    const V = Array.from({ length: 6 }, (_, i) => Array.from({ length: 6 }, (__, j) => Number(i === j)));
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      let off = 0;
      for (let p = 0; p < 6; p++)
        for (let q = p + 1; q < 6; q++) {
          off = Math.max(off, Math.abs(G[p][q]));
          if (G[p][q] === 0) continue;
          const theta = (G[q][q] - G[p][p]) / (2 * G[p][q]);
          const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
          const c = 1 / Math.sqrt(t * t + 1);
          const s = t * c;
          for (let k = 0; k < 6; k++) [G[k][p], G[k][q]] = [c * G[k][p] - s * G[k][q], s * G[k][p] + c * G[k][q]];
          for (let k = 0; k < 6; k++) [G[p][k], G[q][k]] = [c * G[p][k] - s * G[q][k], s * G[p][k] + c * G[q][k]];
          for (let k = 0; k < 6; k++) [V[k][p], V[k][q]] = [c * V[k][p] - s * V[k][q], s * V[k][p] + c * V[k][q]];
        }
      if (off === 0) break;
    }
    return { values: G.map((row, i) => row[i]), V };
  }

  function wrench(J, target, n, size) {
    const scaled = (k, j) => J[k * n + j] / (k < 3 ? 1 : size);
    const G = Array.from({ length: 6 }, () => new Array(6).fill(0));
    const g = new Array(6).fill(0);
    for (let k = 0; k < 6; k++)
      for (let j = 0; j < n; j++) {
        g[k] += scaled(k, j) * target[j];
        for (let l = 0; l <= k; l++) G[k][l] += scaled(k, j) * scaled(l, j);
      }
    for (let k = 0; k < 6; k++) for (let l = 0; l < k; l++) G[l][k] = G[k][l];
    const { values, V } = eigen(G);
    const least = COUNTS * Math.max(...values);
    const x = new Array(6).fill(0);
    values.forEach((value, e) => {
      if (!(value > least)) return;
      const part = g.reduce((sum, entry, k) => sum + entry * V[k][e], 0) / value;
      for (let k = 0; k < 6; k++) x[k] += part * V[k][e];
    });
    const [force, couple] = [x.slice(0, 3), x.slice(3).map((e) => e / size)];
    const square = force.reduce((sum, e) => sum + e * e, 0);
    const arm = square > 0 ? cross(force, couple).map((e) => e / square) : [0, 0, 0];
    return { force, couple, arm: Math.hypot(...arm) > 8 * size ? [0, 0, 0] : arm };
  }

  /* The point where two lines of action cross, each given by a place and a direction. The first place if they are parallel. */
  function crossing(one, two) {
    const part = (line, from) => [0, 1, 2].map((k) => line[from + k]);
    const [along, other] = [part(one, 3), part(two, 3)];
    const normal = cross(along, other);
    const square = normal.reduce((sum, e) => sum + e * e, 0);
    const apart = part(two, 0).map((e, k) => e - one[k]);
    const s = square > 0 ? cross(apart, other).reduce((sum, e, k) => sum + e * normal[k], 0) / square : 0;
    return part(one, 0).map((e, k) => e + s * along[k]);
  }

  Object.assign(da, { partial, wrench, crossing });
})(globalThis);
