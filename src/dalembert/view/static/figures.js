/* Shapes with their numbers (as in figures.py): sizes, places and attitudes over the instants, from the outputs of a program. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const THIN = 0.06;
  const SAME = { sphere: "ball", cube: "box", disk: "cylinder", rod: "tube", ring: "torus" };
  const ROUND = ["cylinder", "wheel", "tube", "capsule", "cone", "pipe", "spring", "chain"];
  const ALONG = { arrow: [1, 1, 0], blade: [0, 0, 1], torus: [0, 0, 1], box: [0, 1, 2], ellipsoid: [0, 1, 2] };

  const times = (A, B) => [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j]));

  /* The smallest rotation that takes z to an axis. */
  function onto(axis) {
    const length = Math.max(Math.hypot(...axis), 1e-300);
    const [x, y, c] = axis.map((e) => e / length);
    if (1 + c < 1e-12) return [1, 0, 0, 0, -1, 0, 0, 0, -1];
    const k = 1 / (1 + c);
    return [1 - k * x * x, -k * x * y, x, -k * x * y, 1 - k * y * y, y, -x, -y, c];
  }

  /* All sizes of a figure of which only one may be stated. */
  function completed(word, sizes) {
    const one = sizes[0];
    if (word === "rod") return [sizes.length === 2 ? sizes[1] : (THIN / 2) * one, one];
    if (sizes.length > 1) return sizes;
    if (word === "box" || word === "cube") return [one, one, one];
    if (word === "disk") return [one, THIN * one];
    if (word === "ring" || word === "torus") return [one, 2 * THIN * one];
    if (word === "wheel") return [one, 0.16 * one];
    return word === "arrow" ? [one, 0.02 * one] : sizes;
  }

  /* One instant of a shape: `numbers` are sizes, count, place, axis, both ends, turn. */
  function instant(shape, numbers) {
    const kind = SAME[shape.kind] || shape.kind;
    const good = numbers.every(Number.isFinite);
    const n = shape.sizes;
    const part = (from, count) => Array.from(numbers.subarray(n + from, n + from + count));
    let sizes = completed(shape.kind, Array.from(numbers.subarray(0, n)));
    let [at, axis] = [part(1, 3), part(4, 3)];
    if (shape.spans) {
      const [start, to] = [part(7, 3), part(10, 3)];
      const way = to.map((e, i) => e - start[i]);
      const length = numbers[0] > 0 ? Math.hypot(...way) : 0;
      at = to.map((e, i) => (e + start[i]) / 2);
      axis = Math.hypot(...way) > 0 ? way : [0, 0, 1];
      sizes = kind === "arrow" ? [length, numbers[0]] : [numbers[0], length];
    }
    return good ? { sizes, at, turn: times(part(13, 9), onto(axis)) } : null;
  }

  /* A shape over all instants: its largest sizes, factors along its axes if they change, places and attitudes. */
  function figure(shape, rows, width, first) {
    const count = rows.length / width;
    const found = [];
    for (let i = 0; i < count; i++) found.push(instant(shape, rows.subarray(i * width + first[0], i * width + first[1])));
    const some = found.find(Boolean) || { sizes: [1e-12], at: [0, 0, 0], turn: [1, 0, 0, 0, 1, 0, 0, 0, 1] };
    const gone = { ...some, sizes: some.sizes.map(() => 0) };
    const all = found.map((one) => one || gone);
    const most = some.sizes.map((_, k) => Math.max(1e-12, ...all.map(({ sizes }) => sizes[k])));
    const kind = SAME[shape.kind] || shape.kind;
    const varies = all.some(({ sizes }) => sizes.some((e, k) => Math.abs(e - all[0].sizes[k]) > 1e-9 * Math.max(...most)));
    const along = ALONG[kind] || (ROUND.includes(kind) ? [0, 0, 1] : [0, 0, 0]);
    const growth = varies ? Float32Array.from(all.flatMap(({ sizes }) => along.map((k) => Math.max(0, sizes[k]) / most[k]))) : null;
    return { kind, sizes: most, all, growth: growth && { width: 3, rows: growth, still: false } };
  }

  /* The growth of a shape in its body's axes: where its place moves, how far it has, too. */
  function placed({ all, growth }) {
    if (all.every(({ at }) => at.every((e, k) => Math.abs(e - all[0].at[k]) <= 1e-12))) return growth;
    const rows = all.flatMap(({ at }, i) => [...(growth ? growth.rows.subarray(3 * i, 3 * i + 3) : [1, 1, 1]), ...at.map((e, k) => e - all[0].at[k])]);
    return { width: 6, rows: Float32Array.from(rows), still: false };
  }

  /* Half the edges of a box about a shape, along its own axes. */
  function half({ kind, sizes }) {
    const [a, b] = sizes;
    if (kind === "box") return sizes.map((e) => e / 2);
    if (kind === "ellipsoid") return sizes;
    if (kind === "torus") return [a + b, a + b, b];
    if (kind === "capsule") return [a, a, a + b / 2];
    if (kind === "blade") return [a / 2, 0.02 * a, b / 2];
    if (kind === "arrow") return [3 * b, 3 * b, a / 2];
    return ROUND.includes(kind) ? [a, a, b / 2] : [a, a, a];
  }

  /* The point of a body's surface farthest along a direction, from its centre. R is its attitude by rows. */
  function support(shapes, R, direction) {
    let [best, far] = [[0, 0, 0], -Infinity];
    for (const shape of shapes) {
      if (shape.kind === "text" || shape.kind === "mesh") continue;
      const turn = shape.turn ? times(R, shape.turn.flat()) : R;
      const local = [0, 1, 2].map((j) => turn[j] * direction[0] + turn[3 + j] * direction[1] + turn[6 + j] * direction[2]);
      const h = half(shape);
      const sign = (e) => (Math.abs(e) < 1e-6 ? 0 : Math.sign(e));
      let at = local.map((e, k) => sign(e) * h[k]);
      if (["ball", "ellipsoid", "bowl"].includes(shape.kind)) {
        const length = Math.hypot(...local.map((e, k) => e * h[k])) || 1;
        at = local.map((e, k) => (h[k] * h[k] * e) / length);
      } else if (ROUND.includes(shape.kind) || ["torus", "arrow"].includes(shape.kind)) {
        const size = Math.hypot(local[0], local[1]);
        at = [...[0, 1].map((k) => (size > 1e-6 ? (h[0] * local[k]) / size : 0)), sign(local[2]) * h[2]];
      }
      const off = shape.at || [0, 0, 0];
      const place = [0, 1, 2].map((i) => [0, 1, 2].reduce((sum, j) => sum + turn[3 * i + j] * at[j] + R[3 * i + j] * off[j], 0));
      const reach = place.reduce((sum, e, i) => sum + e * direction[i], 0);
      if (reach > far) [best, far] = [place, reach];
    }
    return best;
  }

  /* Unit quaternions (x, y, z, w) of rotation matrices, nine numbers each at r(i) of `rows`, each on the side of the one before it (Shepperd's choice). */
  function quaternions(count, rows, r) {
    const found = new Float32Array(4 * count);
    for (let i = 0; i < count; i++) {
      const first = r(i);
      const R = (k) => rows[first + k];
      const [a, b, c, d] = [1 + R(0) - R(4) - R(8), 1 - R(0) + R(4) - R(8), 1 - R(0) - R(4) + R(8), 1 + R(0) + R(4) + R(8)];
      const [xy, yz, zx] = [R(1) + R(3), R(5) + R(7), R(2) + R(6)];
      const [x, y, z] = [R(7) - R(5), R(2) - R(6), R(3) - R(1)];
      const most = Math.max(a, b, c, d); // 4x², 4y², 4z², 4w²
      const q = most === d ? [x, y, z, d] : most === a ? [a, xy, zx, x] : most === b ? [xy, b, yz, y] : [zx, yz, c, z];
      const at4 = 4 * i;
      let length = Math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      if (i && q[0] * found[at4 - 4] + q[1] * found[at4 - 3] + q[2] * found[at4 - 2] + q[3] * found[at4 - 1] < 0) length = -length;
      for (let k = 0; k < 4; k++) found[at4 + k] = q[k] / length;
    }
    return found;
  }

  Object.assign(da, { figure, placed, support, quaternions });
})(globalThis);
