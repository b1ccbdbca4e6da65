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

  const [G, V, g] = [new Float64Array(36), new Float64Array(36), new Float64Array(6)]; // of one wrench at a time

  /* Columns p and q (`step` 1, `row` 6), or rows of them (6, 1), turned by an angle. */
  function turned(A, p, q, c, s, step, row) {
    for (let k = 0; k < 6; k++) {
      const [i, j] = [row * k + step * p, row * k + step * q];
      const a = A[i];
      A[i] = c * a - s * A[j];
      A[j] = s * a + c * A[j];
    }
  }

  /* Eigenvalues of the symmetric G on its diagonal, and their vectors as columns of V, by Jacobi's rotations. */
  function eigen() {
    V.fill(0);
    for (let k = 0; k < 6; k++) V[7 * k] = 1;
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      let off = 0;
      for (let p = 0; p < 6; p++)
        for (let q = p + 1; q < 6; q++) {
          const e = G[6 * p + q];
          if (e === 0) continue;
          off = 1;
          const theta = (G[7 * q] - G[7 * p]) / (2 * e);
          const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
          const c = 1 / Math.sqrt(t * t + 1);
          turned(G, p, q, c, t * c, 1, 6);
          turned(G, p, q, c, t * c, 6, 1);
          turned(V, p, q, c, t * c, 1, 6);
        }
      if (off === 0) break;
    }
  }

  function wrench(J, target, n, size) {
    G.fill(0);
    g.fill(0);
    for (let k = 0; k < 6; k++)
      for (let j = 0; j < n; j++) {
        const own = J[k * n + j] / (k < 3 ? 1 : size);
        if (own === 0) continue;
        g[k] += own * target[j];
        for (let l = 0; l <= k; l++) G[6 * k + l] += (own * J[l * n + j]) / (l < 3 ? 1 : size);
      }
    for (let k = 0; k < 6; k++) for (let l = 0; l < k; l++) G[6 * l + k] = G[6 * k + l];
    eigen();
    let largest = 0;
    for (let e = 0; e < 6; e++) largest = Math.max(largest, G[7 * e]);
    const x = [0, 0, 0, 0, 0, 0];
    for (let e = 0; e < 6; e++) {
      if (!(G[7 * e] > COUNTS * largest)) continue;
      let part = 0;
      for (let k = 0; k < 6; k++) part += g[k] * V[6 * k + e];
      for (let k = 0; k < 6; k++) x[k] += (part / G[7 * e]) * V[6 * k + e];
    }
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
