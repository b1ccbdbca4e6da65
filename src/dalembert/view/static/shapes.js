/* Shapes as meshes: corners, faces of four corners, a tone for every face, a normal for every corner of a face. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const { cross, minus, unit } = da.vector;

  function box([a, b, c]) {
    const corners = [];
    for (const x of [-a / 2, a / 2]) for (const y of [-b / 2, b / 2]) for (const z of [-c / 2, c / 2]) corners.push([x, y, z]);
    const faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    const normals = faces.map(([i, j, k]) => {
      const n = unit(cross(minus(corners[j], corners[i]), minus(corners[k], corners[i])));
      return [n, n, n, n];
    });
    return { corners, faces, normals, tones: faces.map(() => 0) };
  }

  /* A surface of revolution about z through (radius, height) pairs, upwards on the outside; two tones, to see it turn. */
  function revolved(profile, around, { smooth = false, octants = false } = {}) {
    const corners = [];
    const faces = [];
    const normals = [];
    const tones = [];
    const cut = profile.slice(1).map(([r, z], i) => unit([z - profile[i][1], profile[i][0] - r, 0]));
    const edge = (i, segment) => {
      if (!smooth) return cut[segment];
      const before = cut[Math.max(0, i - 1)];
      const after = cut[Math.min(cut.length - 1, i)];
      return unit([before[0] + after[0], before[1] + after[1], 0]);
    };
    const turned = ([r, z], j) => {
      const phi = (2 * Math.PI * j) / around;
      return [r * Math.cos(phi), r * Math.sin(phi), z];
    };
    for (const p of profile) for (let j = 0; j < around; j++) corners.push(turned(p, j));
    for (let i = 0; i + 1 < profile.length; i++)
      for (let j = 0; j < around; j++) {
        const k = (j + 1) % around;
        faces.push([i * around + j, i * around + k, (i + 1) * around + k, (i + 1) * around + j]);
        const [low, high] = [edge(i, i), edge(i + 1, i)];
        normals.push([turned(low, j), turned(low, j + 1), turned(high, j + 1), turned(high, j)]);
        const upper = octants && profile[i][1] + profile[i + 1][1] > 1e-9 ? 1 : 0;
        tones.push((Math.floor((4 * j) / around) + upper) % 2);
      }
    return { corners, faces, normals, tones };
  }

  function arc(count, from, to, at) {
    return Array.from({ length: count + 1 }, (_, i) => at(from + ((to - from) * i) / count));
  }

  function ball([a, b, c], fine) {
    const profile = arc(8 * fine, -Math.PI / 2, Math.PI / 2, (u) => [Math.max(0, Math.cos(u)), Math.sin(u)]);
    const made = revolved(profile, 16 * fine, { smooth: true, octants: true });
    made.corners = made.corners.map(([x, y, z]) => [a * x, b * y, c * z]);
    made.normals = made.normals.map((four) => four.map(([x, y, z]) => unit([x / a, y / b, z / c])));
    return made;
  }

  function raw(kind, sizes, fine) {
    const [a, b] = sizes;
    const quarter = Math.PI / 2;
    if (kind === "sphere") return ball([a, a, a], fine);
    if (kind === "ellipsoid") return ball(sizes, fine);
    if (kind === "box") return box(sizes);
    if (kind === "cylinder") return revolved([[0, -b / 2], [a, -b / 2], [a, b / 2], [0, b / 2]], 24 * fine);
    if (kind === "cone") return revolved([[0, -b / 2], [a, -b / 2], [0, b / 2]], 24 * fine);
    if (kind === "capsule") {
      const low = arc(4 * fine, -quarter, 0, (u) => [Math.max(0, a * Math.cos(u)), a * Math.sin(u) - b / 2]);
      const high = arc(4 * fine, 0, quarter, (u) => [Math.max(0, a * Math.cos(u)), a * Math.sin(u) + b / 2]);
      return revolved([...low, ...high], 12 * fine, { smooth: true });
    }
    return revolved(arc(8 * fine, -Math.PI, Math.PI, (u) => [a + b * Math.cos(u), b * Math.sin(u)]), 28 * fine, { smooth: true });
  }

  /* Axes of a shape whose z is to lie along a given direction. */
  function along(axis) {
    const z = unit(axis);
    const x = unit(Math.abs(z[0]) < 0.9 ? cross([1, 0, 0], z) : cross([0, 1, 0], z));
    return [x, cross(z, x), z];
  }

  /* The mesh of a shape in body axes; `fine` is 1 for a canvas and more for WebGL. */
  function mesh(shape, fine) {
    const made = raw(shape.kind, shape.sizes, fine);
    const axes = shape.axis ? along(shape.axis) : null;
    const at = shape.at || [0, 0, 0];
    const turned = (p) => {
      let v = p;
      if (axes) v = [0, 1, 2].map((i) => axes[0][i] * p[0] + axes[1][i] * p[1] + axes[2][i] * p[2]);
      if (shape.turn) v = shape.turn.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
      return v;
    };
    made.corners = made.corners.map((p) => {
      const v = turned(p);
      return [v[0] + at[0], v[1] + at[1], v[2] + at[2]];
    });
    made.normals = made.normals.map((four) => four.map(turned));
    return made;
  }

  /* Colours by their place in the list: Okabe and Ito's, which the colour-blind can tell apart. */
  const PALETTE = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1", "#b5a100"];
  const tint = (i, shape) => (shape && /^#[0-9a-f]{6}$/i.test(shape.colour || "") ? shape.colour : PALETTE[i % PALETTE.length]);
  const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
  const MODES = { open: "#9aa0a6", closed: "#0072b2", sliding: "#d55e00", rolling: "#009e73" };
  const FORCES = { reaction: "#cc3377", contact: "#cc3377", force: "#0b8f6a", weight: "#7a7a85" };

  Object.assign(da, { mesh, PALETTE, tint, rgb, MODES, FORCES });
})(globalThis);
