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
      if (!this.pen) throw new Error("this browser gives no canvas to draw on");
    }

    load(scene) {
      this.scene = scene;
      this.meshes = scene.bodies.map((body) => da.mesh(body.shape, 1));
    }

    resize(width, height, ratio) {
      this.width = width;
      this.height = height;
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    }

    draw(now, camera, show, theme, scales) {
      const { pen, width, height, scene } = this;
      this.view = camera.projector(width, height);
      this.theme = theme;
      this.reach = camera.radius;
      pen.fillStyle = theme.back;
      pen.fillRect(0, 0, width, height);
      if (show.ground) this.grid(camera, now);
      scene.walls.forEach((wall, i) => this.wall(wall, now.walls[i]));
      if (show.trails) scene.bodies.forEach((body, i) => body.trail && this.trail(body, now, da.tint(i, body.shape)));
      if (show.links) for (const [a, b] of now.links) this.line(a, b, theme.link, 3);
      this.bodies(now);
      if (show.points) for (const p of now.points) this.dot(p, theme.ink, 2.5);
      scene.arrows.forEach((arrow, i) => show[arrow.kind] && this.arrow(now.arrows[i], da.FORCES[arrow.kind], scales.arrow));
      scene.couples.forEach((couple, i) => show[couple.kind] && this.couple(now.couples[i], da.FORCES[couple.kind], scales.couple));
      if (show.contacts) for (const { place, mode } of now.contacts) this.dot(place, da.MODES[mode], mode === "open" ? 2.5 : 5);
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
      const step = da.nice(this.reach / 3);
      const middle = minus(camera.target, scaled(dot(minus(camera.target, ground.point), ground.normal), ground.normal));
      const [u, v] = [Math.round(dot(middle, a) / step), Math.round(dot(middle, b) / step)];
      const base = minus(middle, plus(scaled(dot(middle, a), a), scaled(dot(middle, b), b)));
      const place = (i, j) => plus(base, plus(scaled(i * step, a), scaled(j * step, b)));
      for (let i = -8; i <= 8; i++) {
        this.line(place(u + i, v - 8), place(u + i, v + 8), this.theme.grid, 1);
        this.line(place(u - 8, v + i), place(u + 8, v + i), this.theme.grid, 1);
      }
    }

    wall(wall, place) {
      const { pen } = this;
      if (wall.line) {
        this.path(wall.line);
        pen.strokeStyle = this.theme.wall;
        pen.lineWidth = 2.5;
        pen.stroke();
        return;
      }
      const sides = da.sides(wall);
      const [a, b] = [scaled(wall.half, sides[0]), scaled(wall.depth, sides[1])];
      this.path([plus(plus(place, a), b), plus(minus(place, a), b), minus(minus(place, a), b), minus(plus(place, a), b)]);
      pen.closePath();
      pen.fillStyle = this.theme.wallFill;
      pen.fill();
      pen.strokeStyle = this.theme.wall;
      pen.lineWidth = 1.5;
      pen.stroke();
    }

    trail(body, now, colour) {
      const { rows, still } = body.position;
      if (still) return;
      const first = da.place(this.scene.times, now.time - da.fading(this.scene));
      const places = [];
      for (let i = first; i <= now.index; i++) places.push(rows.subarray(3 * i, 3 * i + 3));
      places.push(now.bodies[this.scene.bodies.indexOf(body)].position);
      this.path(places);
      this.pen.strokeStyle = colour;
      this.pen.globalAlpha = 0.55;
      this.pen.lineWidth = 2;
      this.pen.lineJoin = "round";
      this.pen.stroke();
      this.pen.globalAlpha = 1;
    }

    bodies(now) {
      const { eye, right, above } = this.view;
      const light = unit(plus(plus(scaled(-0.4, right), scaled(0.7, above)), scaled(0.6, this.view.e)));
      const faces = [];
      this.meshes.forEach((mesh, i) => {
        const { position, rotation } = now.bodies[i];
        const colour = da.rgb(da.tint(i, this.scene.bodies[i].shape));
        const placed = mesh.corners.map((p) => plus(rotated(rotation, p), position));
        mesh.faces.forEach((face, k) => {
          const n = rotated(rotation, mesh.normals[k][0]);
          const p = placed[face[0]];
          if (dot(n, minus(eye, p)) <= 0) return;
          const tone = this.scene.bodies[i].turns && mesh.tones[k] ? 0.62 : 1;
          const bright = tone * (0.62 + 0.38 * Math.max(0, dot(n, light)));
          const corners = face.map((c) => this.view.project(placed[c]));
          const depth = corners.reduce((sum, c) => sum + c[2], 0);
          faces.push({ depth, corners, colour: `rgb(${colour.map((c) => Math.round(255 * c * bright)).join()})` });
        });
      });
      faces.sort((one, two) => two.depth - one.depth);
      const { pen } = this;
      pen.lineWidth = 0.7;
      for (const { corners, colour } of faces) {
        pen.beginPath();
        corners.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
        pen.closePath();
        pen.fillStyle = pen.strokeStyle = colour;
        pen.fill();
        pen.stroke();
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

    /* Three quarters of a circle about the moment, with a head: the fingers of a right hand whose thumb is along it. */
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

  /* Two unit vectors across a normal. */
  function across(normal) {
    const a = unit(Math.abs(normal[0]) < 0.9 ? minus([1, 0, 0], scaled(normal[0], normal)) : cross([0, 1, 0], normal));
    return [a, cross(normal, a)];
  }

  /* The directions of a wall's length and depth. */
  const sides = ({ normal, along }) => (along ? [along, cross(normal, along)] : across(normal));

  /* The plane of the grid: the ground, or for a planar motion a plane behind it. */
  function groundOf(scene, camera) {
    if (scene.ground) return scene.ground;
    const { eye, centre, size } = scene.outlook;
    return { point: minus(centre, scaled(0.6 * size, eye)), normal: eye };
  }

  /* How long a trail lasts. */
  const fading = (scene) => Math.max(0.35 * (scene.end - scene.start), Math.min(4, scene.end - scene.start));

  Object.assign(da, { CanvasView, across, sides, groundOf, fading });
})(globalThis);
