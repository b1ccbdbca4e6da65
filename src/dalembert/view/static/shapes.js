/* Shapes as meshes: corners, faces (of three or four corners), a normal for every corner of a face, a tone for every face.

   Tones: 0 the colour of the body, 1 a darker one of it, 2 rubber, 3 steel. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const { cross, minus, unit } = da.vector;

  const flat = (corners, face) => {
    const n = unit(cross(minus(corners[face[1]], corners[face[0]]), minus(corners[face[2]], corners[face[0]])));
    return face.map(() => n);
  };

  /* A box. Each side has `cells` × `cells` faces, so that large ones can be sorted by depth. */
  function box([a, b, c], cells = 1) {
    const corners = [], faces = [], normals = [];
    for (let axis = 0; axis < 3; axis++)
      for (const side of [-1, 1]) {
        const [u, v] = side > 0 ? [(axis + 1) % 3, (axis + 2) % 3] : [(axis + 2) % 3, (axis + 1) % 3];
        const first = corners.length;
        const half = [a / 2, b / 2, c / 2];
        for (let i = 0; i <= cells; i++)
          for (let j = 0; j <= cells; j++) {
            const p = [0, 0, 0];
            p[axis] = side * half[axis];
            p[u] = half[u] * ((2 * i) / cells - 1);
            p[v] = half[v] * ((2 * j) / cells - 1);
            corners.push(p);
          }
        const n = [0, 0, 0];
        n[axis] = side;
        for (let i = 0; i < cells; i++)
          for (let j = 0; j < cells; j++) {
            const k = first + i * (cells + 1) + j;
            faces.push([k, k + cells + 1, k + cells + 2, k + 1]);
            normals.push([n, n, n, n]);
          }
      }
    return { corners, faces, normals, tones: faces.map(() => 0) };
  }

  /* A surface of revolution about z through (radius, height) pairs, upwards on the outside. Two tones show that it turns. */
  function revolved(profile, around, { smooth = false, octants = false, tone = null } = {}) {
    const corners = [], faces = [], normals = [], tones = [];
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
        tones.push(tone ?? (Math.floor((4 * j) / around) + upper) % 2);
      }
    return { corners, faces, normals, tones };
  }

  const arc = (count, from, to, at) => Array.from({ length: count + 1 }, (_, i) => at(from + ((to - from) * i) / count));

  function ball([a, b, c], fine) {
    const profile = arc(8 * fine, -Math.PI / 2, Math.PI / 2, (u) => [Math.max(0, Math.cos(u)), Math.sin(u)]);
    const made = revolved(profile, 16 * fine, { smooth: true, octants: true });
    made.corners = made.corners.map(([x, y, z]) => [a * x, b * y, c * z]);
    made.normals = made.normals.map((four) => four.map(([x, y, z]) => unit([x / a, y / b, z / c])));
    return made;
  }

  const cylinder = (r, h, around, tone) => revolved([[0, -h / 2], [r, -h / 2], [r, h / 2], [0, h / 2]], around, { tone });
  const torus = (R, r, around, section, tone) => revolved(arc(section, -Math.PI, Math.PI, (u) => [R + r * Math.cos(u), r * Math.sin(u)]), around, { smooth: true, tone });

  function joined(parts) {
    const made = { corners: [], faces: [], normals: [], tones: [] };
    for (const part of parts) {
      const first = made.corners.length;
      made.corners.push(...part.corners);
      made.faces.push(...part.faces.map((face) => face.map((k) => k + first)));
      made.normals.push(...part.normals);
      made.tones.push(...part.tones);
    }
    return made;
  }

  /* The mesh turned by a matrix (rows) and moved. */
  function moved(made, turn, at) {
    const turned = (p) => (turn ? turn.map((row) => row[0] * p[0] + row[1] * p[1] + row[2] * p[2]) : p);
    made.corners = made.corners.map((p) => {
      const v = turned(p);
      return at ? [v[0] + at[0], v[1] + at[1], v[2] + at[2]] : v;
    });
    if (turn) made.normals = made.normals.map((some) => some.map(turned));
    return made;
  }

  /* A tube with a few sides along a path. The frame is carried along the path. */
  function piped(way, radius, sides, tone) {
    const corners = [], faces = [], normals = [], tones = [], outs = [];
    let x = null;
    way.forEach((p, i) => {
      const t = unit(minus(way[Math.min(i + 1, way.length - 1)], way[Math.max(i - 1, 0)]));
      if (!x) x = unit(Math.abs(t[0]) < 0.9 ? cross([1, 0, 0], t) : cross([0, 1, 0], t));
      const k = x[0] * t[0] + x[1] * t[1] + x[2] * t[2];
      x = unit([x[0] - k * t[0], x[1] - k * t[1], x[2] - k * t[2]]);
      const y = cross(t, x);
      for (let j = 0; j < sides; j++) {
        const [c, s] = [Math.cos((2 * Math.PI * j) / sides), Math.sin((2 * Math.PI * j) / sides)];
        const out = [0, 1, 2].map((n) => c * x[n] + s * y[n]);
        outs.push(out);
        corners.push([0, 1, 2].map((n) => p[n] + radius * out[n]));
      }
    });
    for (let i = 0; i + 1 < way.length; i++)
      for (let j = 0; j < sides; j++) {
        const k = (j + 1) % sides;
        const face = [i * sides + j, i * sides + k, (i + 1) * sides + k, (i + 1) * sides + j];
        faces.push(face);
        normals.push(face.map((n) => outs[n]));
        tones.push(tone);
      }
    return { corners, faces, normals, tones };
  }

  function wheel([R, width], spokes, fine) {
    const t = Math.min(width / 2, 0.12 * R);
    const rim = R - 1.9 * t;
    const parts = [torus(R - t, t, 26 + 10 * fine, 4 + 2 * fine, 2), torus(rim, 0.32 * t + 0.012 * R, 26 + 10 * fine, 4, null)];
    parts.push(cylinder(0.09 * R, Math.max(width, 0.12 * R), 8 + 4 * fine, 3));
    for (let k = 0; k < spokes; k++) {
      const phi = (2 * Math.PI * k) / spokes;
      const [c, s] = [Math.cos(phi), Math.sin(phi)];
      const lean = (k % 2 ? 0.25 : -0.25) * width;
      parts.push(piped([[0.06 * R * c, 0.06 * R * s, lean], [rim * c, rim * s, 0]], (k === 0 ? 0.03 : 0.011) * R, 3 + fine, k === 0 ? 0 : 3));
    }
    return joined(parts);
  }

  function spring([r, l], turns, fine) {
    const steps = Math.max(1, Math.round(turns * (7 + 3 * fine)));
    const way = [[0, 0, -l / 2]];
    for (let i = 0; i <= steps; i++) {
      const s = i / steps;
      const phi = 2 * Math.PI * turns * s;
      way.push([r * Math.cos(phi), r * Math.sin(phi), l * (0.06 - 0.5 + 0.88 * s)]);
    }
    return piped([...way, [0, 0, l / 2]], 0.13 * r, 2 + fine + 1, 3);
  }

  /* Links of a chain in order from its beginning, so that fewer links make a shorter chain. */
  function chain([w, l], links, fine) {
    const pitch = l / links;
    const parts = [];
    for (let k = 0; k < links; k++) {
      const long = 0.5 * pitch + 0.16 * w;
      const ring = arc(8 + 2 * fine, 0, 2 * Math.PI, (u) => [0.36 * w * Math.cos(u), 0, long * Math.sin(u)]);
      const link = piped([...ring, ring[1]], 0.11 * w, 2 + fine, 3);
      parts.push(moved(link, k % 2 ? [[0, -1, 0], [1, 0, 0], [0, 0, 1]] : null, [0, 0, -l / 2 + (k + 0.5) * pitch]));
    }
    return joined(parts);
  }

  /* A skate's blade in the plane x–z, with its ends curved up. */
  function blade([l, h]) {
    const outline = [...arc(6, -Math.PI / 2, 0, (u) => [l / 2 - h + h * Math.cos(u), h / 2 + h * Math.sin(u)]), [-l / 2, h / 2],
      ...arc(4, Math.PI, 1.5 * Math.PI, (u) => [-l / 2 + 0.5 * h + 0.5 * h * Math.cos(u), 0.5 * h * Math.sin(u)])];
    const thick = 0.02 * l;
    const n = outline.length;
    const corners = [...outline.map(([x, z]) => [x, -thick, z]), ...outline.map(([x, z]) => [x, thick, z])];
    const faces = [];
    for (let i = 0; i < n; i++) faces.push([i, n + i, n + ((i + 1) % n), (i + 1) % n]);
    for (let i = 1; i + 1 < n; i++) faces.push([0, i, i + 1], [n, n + i + 1, n + i]);
    return { corners, faces, normals: faces.map((face) => flat(corners, face)), tones: faces.map(() => 0) };
  }

  function arrow([l, r], fine) {
    const head = Math.min(0.4 * l, 7 * r);
    const profile = [[0, -l / 2], [r, -l / 2], [r, l / 2 - head], [2.6 * r, l / 2 - head], [0, l / 2]];
    return revolved(profile, 8 + 6 * fine, { tone: 0 });
  }

  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
  const floats = (text) => new Float32Array(bytes(text));
  const packed = (numbers) => btoa(Array.from(new Uint8Array(numbers.buffer), (byte) => String.fromCharCode(byte)).join(""));

  function triangles({ corners: packed, faces: order }, scale) {
    const [places, index] = [floats(packed), new Uint32Array(bytes(order))];
    const corners = [], faces = [];
    for (let i = 0; i < places.length; i += 3) corners.push([scale * places[i], scale * places[i + 1], scale * places[i + 2]]);
    for (let i = 0; i < index.length; i += 3) faces.push([index[i], index[i + 1], index[i + 2]]);
    return { corners, faces, normals: faces.map((face) => flat(corners, face)), tones: faces.map(() => 0) };
  }

  function raw({ kind, sizes, count, mesh }, fine, cells) {
    const [a, b] = sizes;
    const quarter = Math.PI / 2;
    if (kind === "ball") return ball([a, a, a], fine);
    if (kind === "ellipsoid") return ball(sizes, fine);
    if (kind === "box") return box(sizes, cells);
    if (kind === "cylinder") return cylinder(a, b, 24 * fine, null);
    if (kind === "tube") return cylinder(a, b, 6 + 6 * fine, 0);
    if (kind === "cone") return revolved([[0, -b / 2], [a, -b / 2], [0, b / 2]], 24 * fine);
    if (kind === "wheel") return wheel(sizes, Math.round(count ?? 10), fine);
    if (kind === "spring") return spring(sizes, count ?? 8, fine);
    if (kind === "chain") return chain(sizes, Math.max(1, Math.round(count ?? Math.min(60, b / (0.9 * a)))), fine);
    if (kind === "blade") return blade(sizes);
    if (kind === "arrow") return arrow(sizes, fine);
    if (kind === "mesh") return triangles(mesh, a);
    if (kind === "pipe") return { ...revolved([[a, -b / 2], [a, b / 2]], 18 + 12 * fine, { tone: 0 }), open: true };
    if (kind === "bowl") return { ...revolved(arc(5 * fine, -quarter, 0, (u) => [Math.max(0, a * Math.cos(u)), a * Math.sin(u)]), 18 + 10 * fine, { smooth: true, tone: 0 }), open: true };
    if (kind === "capsule") {
      const low = arc(4 * fine, -quarter, 0, (u) => [Math.max(0, a * Math.cos(u)), a * Math.sin(u) - b / 2]);
      const high = arc(4 * fine, 0, quarter, (u) => [Math.max(0, a * Math.cos(u)), a * Math.sin(u) + b / 2]);
      return revolved([...low, ...high], 12 * fine, { smooth: true });
    }
    if (kind === "torus") return torus(a, b, 28 * fine, 8 * fine, null);
    return { corners: [], faces: [], normals: [], tones: [] }; // a text has no mesh
  }

  /* The mesh of a shape in its body's axes, or in its own axes if it grows. `fine` is 1 for a canvas and more for WebGL. */
  function mesh(shape, fine, cells = 1) {
    const made = raw(shape, fine, cells);
    const { open = false } = made;
    return { ...(shape.growth ? made : moved(made, shape.turn, shape.at)), open };
  }

  /* Colours by index: Okabe and Ito's palette, which suits colour-blind readers. */
  const PALETTE = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1", "#b5a100"];
  const isColour = (text) => /^#[0-9a-f]{6}$/i.test(text || "");
  const tint = (i, body) => (body && body.shapes && isColour(body.shapes[0]?.colour) ? body.shapes[0].colour : PALETTE[i % PALETTE.length]);
  const paint = (shape, otherwise) => (isColour(shape.colour) ? shape.colour : otherwise);
  /* The colour of a trail, which stands out from the stage: a part of it is the colour of the texts. */
  const trace = (colour, ink) => `#${[1, 3, 5].map((k) => Math.round(0.7 * parseInt(colour.slice(k, k + 2), 16) + 0.3 * parseInt(ink.slice(k, k + 2), 16)).toString(16).padStart(2, "0")).join("")}`;
  const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
  const RUBBER = [0.31, 0.33, 0.36], STEEL = [0.6, 0.63, 0.67];
  /* The colour of a face by its tone. A body that does not turn has no pattern. */
  const toned = (colour, tone, turns) => (tone === 2 ? RUBBER : tone === 3 ? STEEL : tone === 1 && turns ? colour.map((v) => 0.6 * v) : colour);
  const MODES = { open: "#9aa0a6", closed: "#0072b2", sliding: "#d55e00", rolling: "#009e73" };
  const FORCES = { reaction: "#cc3377", contact: "#cc3377", force: "#0b8f6a", weight: "#7a7a85" };
  const PLAIN = "#8a929c"; // for drawings without a colour

  Object.assign(da, { mesh, floats, packed, PALETTE, PLAIN, tint, trace, paint, rgb, toned, MODES, FORCES });
})(globalThis);
