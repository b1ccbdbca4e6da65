/* The scene on a plain canvas: polygons from back to front. For browsers without WebGL. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const { cross, dot, minus, plus, scaled, unit } = da.vector;

  function rotated(q, p) {
    const t = scaled(2, cross(q, p));
    return plus(plus(p, scaled(q[3], t)), cross(q, t));
  }

  class CanvasView {
    constructor(canvas) {
      this.kind = "canvas";
      this.canvas = canvas;
      this.pen = canvas.getContext("2d");
      if (!this.pen) throw new Error("this browser has no canvas to draw on; use a current one");
    }

    /* `other` is the scene of a second run, drawn as a ghost. */
    load(scene, other = null) {
      this.scene = scene;
      this.other = other;
      this.parts = meshes(scene, this.parts);
      this.ghosts = other ? meshes(other, this.ghosts) : [];
    }

    /* The same parts after the motion has advanced. Sizes that were set are renewed at intervals. */
    follow(scene, sizes) {
      if (sizes) this.load(scene, this.other);
      else this.scene = scene;
    }

    resize(width, height, ratio) {
      this.width = width;
      this.height = height;
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    }

    draw(now, camera, show, theme, scales, ghost = null) {
      const { pen, width, height, scene } = this;
      this.view = camera.projector(width, height);
      this.theme = theme;
      this.reach = camera.radius;
      pen.globalAlpha = 1;
      pen.fillStyle = theme.back;
      pen.fillRect(0, 0, width, height);
      if (show.ground) this.grid(camera, now);
      if (scene.ground && scene.ground.slope) this.slope(scene.ground.slope);
      scene.walls.forEach((wall, i) => this.wall(wall, now.walls[i]));
      this.solids(now, ghost, (part) => part.still); // floors, frames and tables lie below the trails
      if (show.trails) this.trails(scene, now, 1);
      if (ghost && show.trails) this.trails(this.other, ghost, 0.4);
      if (show.links) for (const [a, b] of now.links) this.line(a, b, theme.link, 3);
      if (ghost && show.links) for (const [a, b] of ghost.links) this.line(a, b, theme.grid, 2);
      if (scene.ground && show.ground) this.shadow(camera, scene.ground, now);
      this.solids(now, ghost, (part) => !part.still);
      if (show.points) for (const p of now.points) this.dot(p, theme.ink, 2.5);
      scene.arrows.forEach((arrow, i) => show[arrow.kind] && this.arrow(now.arrows[i], da.FORCES[arrow.kind], scales.arrow));
      scene.couples.forEach((couple, i) => show[couple.kind] && this.couple(now.couples[i], da.FORCES[couple.kind], scales.couple));
      if (!show.contacts) return;
      now.contacts.forEach(({ place, mode }, i) => {
        const most = Math.max(2.5, 0.3 * da.sizeOf(scene, scene.contacts[i]) * this.view.scale);
        this.dot(place, da.MODES[mode], mode === "open" ? 2.5 : Math.min(5, most));
      });
    }

    path(places) {
      const { pen } = this;
      pen.beginPath();
      places.forEach((p, i) => {
        const [x, y] = this.view.project(p);
        if (i) pen.lineTo(x, y);
        else pen.moveTo(x, y);
      });
    }

    line(a, b, colour, width) {
      this.path([a, b]);
      this.pen.strokeStyle = colour;
      this.pen.lineWidth = width;
      this.pen.lineCap = "round";
      this.pen.stroke();
    }

    dot(p, colour, radius) {
      const [x, y] = this.view.project(p);
      this.pen.beginPath();
      this.pen.arc(x, y, radius, 0, 7);
      this.pen.fillStyle = colour;
      this.pen.fill();
    }

    grid(camera, now) {
      const ground = da.groundOf(this.scene, camera);
      const [a, b] = da.across(ground.normal);
      const step = da.gridStep(camera);
      const middle = minus(camera.target, scaled(dot(minus(camera.target, ground.point), ground.normal), ground.normal));
      const [u, v] = [Math.round(dot(middle, a) / step), Math.round(dot(middle, b) / step)];
      const base = minus(middle, plus(scaled(dot(middle, a), a), scaled(dot(middle, b), b)));
      const place = (i, j) => plus(base, plus(scaled(i * step, a), scaled(j * step, b)));
      this.pen.globalAlpha = 0.6;
      for (let i = -8; i <= 8; i++) {
        this.line(place(u + i, v - 8), place(u + i, v + 8), this.theme.grid, 1);
        this.line(place(u - 8, v + i), place(u + 8, v + i), this.theme.grid, 1);
      }
      this.pen.globalAlpha = 1;
    }

    polygon(places, fill, stroke, width = 1) {
      this.path(places);
      this.pen.closePath();
      this.pen.fillStyle = fill;
      this.pen.fill();
      if (!stroke) return;
      this.pen.strokeStyle = stroke;
      this.pen.lineWidth = width;
      this.pen.stroke();
    }

    slope({ surface, foot }) {
      const { theme } = this;
      const sides = [0, 1, 2, 3].map((i) => [surface[i], surface[(i + 1) % 4], foot[(i + 1) % 4], foot[i]]);
      const away = (face) => -face.reduce((sum, p) => sum + this.view.project(p)[2], 0);
      sides.sort((one, two) => away(one) - away(two));
      for (const face of sides) this.polygon(face, theme.slopeSide, theme.wall);
      this.polygon(surface, theme.slope, theme.wall, 1.5);
      const across = (from, to, s) => [0, 1, 2].map((n) => from[n] + s * (to[n] - from[n]));
      for (let k = 1; k < 10; k++) {
        this.line(across(surface[0], surface[3], k / 10), across(surface[1], surface[2], k / 10), theme.grid, 1);
        this.line(across(surface[0], surface[1], k / 10), across(surface[3], surface[2], k / 10), theme.grid, 1);
      }
    }

    wall(wall, place) {
      const { pen } = this;
      if (wall.line) {
        const off = scaled(wall.depth || 0, wall.across || [0, 0, 0]);
        for (let i = 0; wall.depth && i + 1 < wall.line.length; i++) {
          const [p, q] = [wall.line[i], wall.line[i + 1]];
          this.polygon([minus(p, off), minus(q, off), q, p], this.theme.wallFill, null);
        }
        this.path(wall.line);
        pen.strokeStyle = this.theme.wall;
        pen.lineWidth = 2.5;
        pen.stroke();
        return;
      }
      const sides = da.sides(wall);
      const [a, b] = [scaled(wall.half, sides[0]), scaled(wall.depth, sides[1])];
      const down = scaled(-0.03 * wall.half, wall.normal);
      const corners = [plus(plus(place, a), b), plus(minus(place, a), b), minus(minus(place, a), b), minus(plus(place, a), b)];
      for (let i = 0; i < 4; i++) {
        const [p, q] = [corners[i], corners[(i + 1) % 4]];
        this.polygon([p, q, plus(q, down), plus(p, down)], this.theme.wallFill, this.theme.wall, 1);
      }
      this.polygon(corners, this.theme.wallFill, this.theme.wall, 1.5);
    }

    trails(scene, now, strength) {
      for (const list of ["bodies", "drawings"])
        scene[list].forEach((one, i) => {
          const { rows, still } = one.position;
          if (still || !one.trail) return;
          const first = da.place(scene.times, now.time - da.fading(scene));
          const places = [];
          for (let k = first; k <= now.index; k++) places.push(rows.subarray(3 * k, 3 * k + 3));
          places.push(now[list][i].position);
          this.path(places);
          this.pen.strokeStyle = da.trace(da.tint(i, one), this.theme.ink);
          this.pen.globalAlpha = 0.75 * strength;
          this.pen.lineWidth = 2;
          this.pen.lineJoin = "round";
          this.pen.stroke();
          this.pen.globalAlpha = 1;
        });
    }

    /* All faces of the wanted bodies and drawings of one run, and of the other as a ghost, from back to front. */
    solids(now, ghost, wanted) {
      const { right, above, e } = this.view;
      const light = unit(plus(plus(scaled(-0.4, right), scaled(0.7, above)), scaled(0.6, e)));
      const faces = [];
      for (const part of this.ghosts) if (ghost && part.list === "bodies" && wanted(part)) this.gather(part, ghost[part.list][part.which], light, 0.3, faces);
      for (const part of this.parts) if (wanted(part)) this.gather(part, now[part.list][part.which], light, 1, faces);
      faces.sort((one, two) => two.depth - one.depth);
      const { pen } = this;
      pen.lineWidth = 1.1; // closes the seams between faces
      pen.lineJoin = "round";
      for (const { xs, colour, alpha } of faces) {
        pen.beginPath();
        pen.moveTo(xs[0], xs[1]);
        for (let k = 2; k < xs.length; k += 2) pen.lineTo(xs[k], xs[k + 1]);
        pen.closePath();
        pen.globalAlpha = alpha;
        pen.fillStyle = colour;
        pen.fill();
        if (alpha < 1) continue;
        pen.strokeStyle = colour;
        pen.stroke();
      }
      pen.globalAlpha = 1;
    }

    /* The shadow of everything that moves on the ground or its slope, from above. Overlapping shadows are not darker. */
    shadow(camera, ground, now) {
      const { pen } = this;
      const { up } = camera;
      const { normal } = ground.slope || ground;
      const point = ground.slope ? ground.slope.surface[0] : ground.point;
      const fall = plus(up, plus(scaled(0.45, this.view.e), scaled(-0.5, this.view.right)));
      const slant = dot(fall, normal);
      if (slant < 0.2) return;
      pen.beginPath();
      for (const { made, list, which, index, shape, still } of this.parts) {
        if (still || shape.clear || (shape.growth && shape.kind === "chain")) continue;
        const { position, rotation, growth } = now[list][which];
        const own = grown(shape, growth[index]);
        const down = made.corners.map((p) => {
          const there = plus(rotated(rotation, own(p)), position);
          return this.view.project(minus(there, scaled(dot(minus(there, point), normal) / slant, fall)));
        });
        for (const face of made.faces) {
          let area = 0;
          face.forEach((c, k) => {
            const [x, y] = down[c];
            const [px, py] = down[face[(k || face.length) - 1]];
            area += px * y - x * py;
          });
          if (area >= 0) continue; // faces towards the light have one orientation, and their union is filled once
          face.forEach((c, k) => (k ? pen.lineTo(down[c][0], down[c][1]) : pen.moveTo(down[c][0], down[c][1])));
          pen.closePath();
        }
      }
      pen.fillStyle = `rgb(0 0 0 / ${this.theme.shade})`;
      pen.fill();
    }

    gather(part, pose, light, strength, faces) {
      const { made, shape, colour, turns } = part;
      const { position, rotation } = pose;
      const growth = pose.growth[part.index];
      const few = Math.round(made.faces.length * (growth && shape.kind === "chain" ? growth[2] : 1));
      const own = grown(shape, growth);
      const placed = made.corners.map((p) => this.view.project(plus(rotated(rotation, own(p)), position)));
      const back = [-rotation[0], -rotation[1], -rotation[2], rotation[3]];
      const turned = rotated(back, light);
      const lit = growth && shape.turn ? [0, 1, 2].map((k) => shape.turn.reduce((sum, row, i) => sum + row[k] * turned[i], 0)) : turned;
      const alpha = strength * (shape.clear ? 0.24 : shape.guessed ? 0.6 : 1);
      for (let k = 0; k < few; k++) {
        const face = made.faces[k];
        const xs = [];
        let depth = 0, farthest = 0, area = 0;
        let [px, py] = placed[face[face.length - 1]];
        for (const c of face) {
          const [x, y, z] = placed[c];
          xs.push(x, y);
          depth += z;
          farthest = Math.max(farthest, z); // a large face is behind the parts on it
          area += px * y - x * py;
          [px, py] = [x, y];
        }
        const front = area < 0;
        if (!front && !made.open) continue;
        const n = made.normals[k][0];
        const shine = (front ? 1 : -1) * dot(n, lit);
        const bright = 0.62 + 0.38 * Math.max(0, shine);
        const [r, g, b] = da.toned(colour, made.tones[k], turns);
        faces.push({ depth: part.list === "drawings" ? farthest : depth / face.length, xs, alpha, colour: `rgb(${Math.round(255 * r * bright)},${Math.round(255 * g * bright)},${Math.round(255 * b * bright)})` });
      }
    }

    arrow({ place, vector }, colour, scale) {
      const tip = plus(place, scaled(scale, vector));
      const [x0, y0] = this.view.project(place);
      const [x1, y1] = this.view.project(tip);
      const length = Math.hypot(x1 - x0, y1 - y0);
      if (!(length > 2)) return;
      const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
      const head = Math.min(12, 0.45 * length);
      const { pen } = this;
      pen.strokeStyle = colour;
      pen.lineWidth = 3;
      pen.beginPath();
      pen.moveTo(x0, y0);
      pen.lineTo(x1 - 0.8 * head * ux, y1 - 0.8 * head * uy);
      pen.stroke();
      this.head([x1, y1], [ux, uy], head, colour);
    }

    /* Three quarters of a circle about the moment, with an arrowhead, by the right-hand rule. */
    couple({ place, vector }, colour, scale) {
      const radius = scale * Math.hypot(...vector);
      if (!(radius * this.view.scale > 4)) return;
      const [a, b] = across(unit(vector));
      const at = (angle) => plus(place, plus(scaled(radius * Math.cos(angle), a), scaled(radius * Math.sin(angle), b)));
      const places = [];
      for (let k = 0; k <= 30; k++) places.push(at((k / 30) * 1.5 * Math.PI));
      this.path(places);
      this.pen.strokeStyle = colour;
      this.pen.lineWidth = 3;
      this.pen.stroke();
      const [x0, y0] = this.view.project(at(1.5 * Math.PI));
      const [x1, y1] = this.view.project(at(1.6 * Math.PI));
      const length = Math.hypot(x1 - x0, y1 - y0) || 1;
      const head = Math.min(12, 0.5 * radius * this.view.scale);
      const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
      this.head([x0 + 0.8 * head * ux, y0 + 0.8 * head * uy], [ux, uy], head, colour);
    }

    head([x1, y1], [ux, uy], head, colour) {
      const { pen } = this;
      pen.fillStyle = colour;
      pen.beginPath();
      pen.moveTo(x1, y1);
      pen.lineTo(x1 - head * ux - 0.45 * head * uy, y1 - head * uy + 0.45 * head * ux);
      pen.lineTo(x1 - head * ux + 0.45 * head * uy, y1 - head * uy - 0.45 * head * ux);
      pen.fill();
    }

    dispose() {}
  }

  /* From the mesh of a shape that grows, or moves in its body, to the axes of the body; a chain shows its last links. */
  function grown(shape, growth) {
    if (!growth) return (p) => p;
    const chain = shape.kind === "chain";
    const off = chain ? ((1 - growth[2]) * shape.sizes[1]) / 2 : 0;
    const at = da.moved(shape, growth);
    return (p) => {
      const v = chain ? [p[0], p[1], p[2] + off] : [p[0] * growth[0], p[1] * growth[1], p[2] * growth[2]];
      return plus(shape.turn ? shape.turn.map((row) => dot(row, v)) : v, at);
    };
  }

  /* Every shape of a scene with its mesh: whose it is, and which. Meshes of shapes that are as they were are taken over from `before`. */
  function meshes(scene, before = []) {
    const found = [];
    const same = (one, two) => one.kind === two.kind && one.count === two.count && one.mesh === two.mesh && !one.growth === !two.growth
      && ["sizes", "at", "turn"].every((key) => String(one[key]) === String(two[key]));
    const made = (shape, fine, cells) => {
      const known = before[found.length];
      return known && known.fine === fine && known.cells === cells && same(known.shape, shape) ? known.made : da.mesh(shape, fine, cells);
    };
    const many = [...scene.bodies, ...scene.drawings].reduce((sum, one) => sum + one.shapes.length, 0);
    const fine = many <= 8 ? 2 : 1;
    for (const list of ["bodies", "drawings"])
      scene[list].forEach((one, which) => one.shapes.forEach((shape, index) => {
        if (shape.kind === "text") return;
        const cells = list === "drawings" && shape.kind === "box" ? 6 : 1;
        const colour = da.rgb(da.paint(shape, list === "bodies" ? da.PALETTE[which % da.PALETTE.length] : da.PLAIN));
        const still = list === "drawings" && one.position.still && one.rotation.still && !shape.clear && !shape.growth;
        found.push({ list, which, index, shape, fine, cells, still, turns: one.turns, colour, made: made(shape, fine, cells) });
      }));
    return found;
  }

  /* Two unit vectors across a normal. */
  function across(normal) {
    const a = unit(Math.abs(normal[0]) < 0.9 ? minus([1, 0, 0], scaled(normal[0], normal)) : cross([0, 1, 0], normal));
    return [a, cross(normal, a)];
  }

  /* The directions of a wall's length and depth. */
  const sides = ({ normal, along }) => (along ? [along, cross(normal, along)] : across(normal));

  /* The distance of the lines of the grid. */
  const gridStep = (camera) => da.nice((camera.radius * camera.zoom) / 3);

  /* The plane of the grid: the ground, or that of a planar motion. */
  function groundOf(scene, camera) {
    if (scene.ground) return scene.ground;
    const { eye, centre } = scene.outlook;
    return { point: centre, normal: eye };
  }

  /* The duration of a trail. */
  const fading = (scene) => Math.max(0.35 * (scene.end - scene.start), Math.min(4, scene.end - scene.start));

  Object.assign(da, { CanvasView, across, sides, groundOf, gridStep, fading, rotated });
})(globalThis);
