/* What surrounds the bodies in WebGL: grid, shadow, slope, walls and trails. Each is added to a world of three.js. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const { minus, scaled } = da.vector;
  const T = root.THREE;

  const GRID_VERTEX = `
    varying vec3 spot;
    void main() {
      vec4 there = modelMatrix * vec4(position, 1.0);
      spot = there.xyz;
      gl_Position = projectionMatrix * viewMatrix * there;
    }`;
  const GRID_FRAGMENT = `
    uniform vec3 a; uniform vec3 b; uniform vec3 middle; uniform vec3 ink; uniform float step_; uniform float reach;
    varying vec3 spot;
    float lines(vec2 at) {
      vec2 w = max(fwidth(at), 1e-6);
      vec2 d = abs(fract(at - 0.5) - 0.5) / w;
      return 1.0 - min(min(d.x, d.y), 1.0);
    }
    void main() {
      vec2 at = vec2(dot(spot, a), dot(spot, b)) / step_;
      float shade = max(0.55 * lines(at), lines(at / 5.0));
      float away = distance(spot, middle) / reach;
      float alpha = shade * (1.0 - smoothstep(0.35, 1.0, away));
      if (alpha < 0.004) discard;
      gl_FragColor = vec4(ink, 0.75 * alpha);
    }`;
  /* A line with a width in pixels: every place appears twice, moved apart across the line on the screen. */
  const LINE_VERTEX = `
    attribute vec3 before; attribute vec3 after; attribute float side; attribute float when;
    uniform vec2 screen; uniform float width;
    varying float age;
    void main() {
      mat4 all = projectionMatrix * modelViewMatrix;
      vec4 here = all * vec4(position, 1.0);
      vec4 p = all * vec4(before, 1.0);
      vec4 n = all * vec4(after, 1.0);
      vec2 way = (n.xy / n.w - p.xy / p.w) * screen;
      way = length(way) > 1e-6 ? normalize(way) : vec2(1.0, 0.0);
      here.xy += side * width * vec2(-way.y, way.x) / screen * here.w;
      age = when;
      gl_Position = here;
    }`;
  const LINE_FRAGMENT = `
    uniform vec3 ink; uniform float now; uniform float fade; uniform float alpha;
    varying float age;
    void main() {
      if (age > now) discard;
      float left = fade > 0.0 ? 1.0 - (now - age) / fade : 1.0;
      if (left <= 0.0) discard;
      gl_FragColor = vec4(ink, alpha * min(1.0, 1.6 * left));
    }`;

  /* A solid slope: its surface with a grid, and sides down to the foot. */
  function wedge(world, { surface, foot }) {
    const quads = [surface, ...[0, 1, 2, 3].map((i) => [surface[(i + 1) % 4], surface[i], foot[i], foot[(i + 1) % 4]])];
    const positions = quads.flatMap((q) => [0, 1, 2, 0, 2, 3].flatMap((k) => q[k]));
    const geometry = new T.BufferGeometry();
    geometry.setAttribute("position", new T.Float32BufferAttribute(positions, 3));
    geometry.computeVertexNormals();
    const made = new T.Mesh(geometry, new T.MeshPhongMaterial({ color: 0xc3cad3, side: T.DoubleSide, shininess: 4, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
    made.receiveShadow = true;
    const at = (i, j, s) => [0, 1, 2].map((n) => surface[i][n] + s * (surface[j][n] - surface[i][n]));
    const lines = [];
    for (let k = 0; k <= 10; k++) lines.push(at(0, 3, k / 10), at(1, 2, k / 10), at(0, 1, k / 10), at(3, 2, k / 10));
    const grid = new T.BufferGeometry().setFromPoints(lines.map((p) => new T.Vector3(...p)));
    for (const one of [grid, new T.EdgesGeometry(geometry)]) made.add(new T.LineSegments(one, new T.LineBasicMaterial()));
    world.add(made);
    return made;
  }

  /* The way of a body, with a width in pixels, which fades with its age. */
  function trail(world, scene, body, i) {
    const { times } = scene;
    const rows = body.position.rows;
    const n = times.length;
    const columns = { position: [], before: [], after: [], side: [], when: [] };
    const index = [];
    const at = (k) => [rows[3 * k], rows[3 * k + 1], rows[3 * k + 2]];
    for (let k = 0; k < n; k++)
      for (const side of [-1, 1]) {
        columns.position.push(...at(k));
        columns.before.push(...at(Math.max(0, k - 1)));
        columns.after.push(...at(Math.min(n - 1, k + 1)));
        columns.side.push(side);
        columns.when.push(times[k] - times[0]);
      }
    for (let k = 0; k + 1 < n; k++) index.push(2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 1, 2 * k + 3, 2 * k + 2);
    const geometry = new T.BufferGeometry();
    for (const [name, values] of Object.entries(columns))
      geometry.setAttribute(name, new T.Float32BufferAttribute(values, values.length === 2 * n ? 1 : 3));
    geometry.setIndex(index);
    const uniforms = {
      screen: { value: new T.Vector2(1, 1) }, width: { value: 2 }, ink: { value: new T.Color() },
      now: { value: 0 }, fade: { value: da.fading(scene) }, alpha: { value: 0.75 },
    };
    const material = new T.ShaderMaterial({
      vertexShader: LINE_VERTEX, fragmentShader: LINE_FRAGMENT, uniforms, transparent: true, depthWrite: false, side: T.DoubleSide,
    });
    const made = new T.Mesh(geometry, material);
    made.frustumCulled = false;
    made.userData.tint = da.tint(i, body);
    world.add(made);
    return made;
  }

  /* The wall of a contact: a plate, or a curve. */
  function plate(world, wall) {
    let made;
    if (wall.line) {
      const geometry = new T.BufferGeometry().setFromPoints(wall.line.map((p) => new T.Vector3(...p)));
      made = new T.Line(geometry, new T.LineBasicMaterial({ color: 0x808690 }));
      if (wall.depth) made.add(strip(wall));
    } else {
      const thick = 0.03 * wall.half;
      const geometry = new T.BoxGeometry(2 * wall.half, 2 * wall.depth, thick);
      geometry.translate(0, 0, -thick / 2);
      const material = new T.MeshPhongMaterial({ color: 0x9aa1ab, transparent: true, opacity: 0.42, depthWrite: false });
      made = new T.Mesh(geometry, material);
      made.receiveShadow = true;
      const edges = new T.LineSegments(new T.EdgesGeometry(geometry), new T.LineBasicMaterial({ color: 0x808690 }));
      made.add(edges);
      const [a, b] = da.sides(wall);
      made.quaternion.setFromRotationMatrix(new T.Matrix4().makeBasis(...[a, b, wall.normal].map((v) => new T.Vector3(...v))));
    }
    world.add(made);
    return made;
  }

  /* A curved wall: its line extruded across the plane of the motion. */
  function strip({ line, across, depth }) {
    const far = line.map((p) => minus(p, scaled(depth, across)));
    const positions = [];
    for (let i = 0; i + 1 < line.length; i++) for (const p of [line[i], line[i + 1], far[i + 1], line[i], far[i + 1], far[i]]) positions.push(...p);
    const geometry = new T.BufferGeometry();
    geometry.setAttribute("position", new T.Float32BufferAttribute(positions, 3));
    geometry.computeVertexNormals();
    return new T.Mesh(geometry, new T.MeshPhongMaterial({ color: 0x9aa1ab, side: T.DoubleSide, transparent: true, opacity: 0.6 }));
  }

  /* The grid, drawn behind everything. */
  function gridPlane(world) {
    const uniforms = {
      a: { value: new T.Vector3() }, b: { value: new T.Vector3() }, middle: { value: new T.Vector3() },
      ink: { value: new T.Color() }, step_: { value: 1 }, reach: { value: 1 },
    };
    const material = new T.ShaderMaterial({
      vertexShader: GRID_VERTEX, fragmentShader: GRID_FRAGMENT, uniforms, depthWrite: false, depthTest: false, side: T.DoubleSide,
      blending: T.CustomBlending, // not "transparent": such materials are drawn after all solids, and the grid lies behind them
    });
    const made = new T.Mesh(new T.PlaneGeometry(2, 2), material);
    made.frustumCulled = false;
    made.renderOrder = -2;
    world.add(made);
    return made;
  }

  /* The plane that shadows fall on. */
  function shadowPlane(world) {
    const made = new T.Mesh(new T.PlaneGeometry(2, 2), new T.ShadowMaterial({ depthWrite: false }));
    made.receiveShadow = true;
    made.renderOrder = -1;
    world.add(made);
    return made;
  }

  da.surroundings = { wedge, trail, plate, gridPlane, shadowPlane };
})(globalThis);
