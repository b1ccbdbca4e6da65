/* The layer over the picture, for both renderers: the ruler on the grid, a scale, texts, the distances of two runs, and the spring of a pull. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const { dot, minus, plus, scaled } = da.vector;
  const ROOM = 46; // pixels that a number needs
  const TURNS = 12; // corners of the drawn spring

  class Over {
    constructor(parent) {
      this.canvas = document.createElement("canvas");
      this.canvas.className = "da-over";
      this.canvas.setAttribute("aria-hidden", "true");
      parent.append(this.canvas);
      this.pen = this.canvas.getContext("2d");
    }

    resize(width, height, ratio) {
      Object.assign(this, { width, height });
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.pen.font = "11px system-ui, sans-serif"; // here, since to set it waits for all styles of the page
    }

    /* `pull` is the name of a body and the place to which a spring pulls it, or null. */
    draw(scene, now, camera, show, colours, ghost, pull) {
      const { pen, width, height } = this;
      pen.clearRect(0, 0, width, height);
      this.view = camera.projector(width, height);
      this.colours = colours;
      if (show.ground && show.ruler) this.ruler(scene, camera);
      this.texts(scene.bodies, now.bodies);
      this.texts(scene.drawings, now.drawings);
      if (ghost) this.apart(scene, now, ghost);
      if (pull) this.spring(now.bodies[scene.bodies.findIndex(({ name }) => name === pull.body)], pull.place);
      if (show.ruler) this.scale(scene, camera);
    }

    /* Numbers along two lines of the grid. */
    ruler(scene, camera) {
      const { pen } = this;
      const ground = da.groundOf(scene, camera);
      const [a, b] = da.across(ground.normal);
      const step = da.gridStep(camera);
      const middle = minus(camera.target, scaled(dot(minus(camera.target, ground.point), ground.normal), ground.normal));
      const [u, v] = [Math.round(dot(middle, a) / step), Math.round(dot(middle, b) / step)];
      const base = minus(middle, plus(scaled(dot(middle, a), a), scaled(dot(middle, b), b)));
      const at = (i, j) => this.view.project(plus(base, plus(scaled(i * step, a), scaled(j * step, b))));
      pen.fillStyle = this.colours.soft;
      pen.textBaseline = "top";
      pen.textAlign = "center";
      const put = [];
      const corner = this.width - 44 - da.nice(80 / this.view.scale) * this.view.scale; // the scale is to the right of it
      const number = (value, place) => {
        const [x, y, depth] = place;
        const inside = depth > 0 && x > 12 && x < this.width - 12 && y > 6 && y < this.height - (x > corner ? 54 : 40);
        if (!inside || put.some(([px, py]) => Math.abs(px - x) < ROOM && Math.abs(py - y) < 15)) return;
        put.push([x, y]);
        pen.fillText(da.told(Number((value * step).toPrecision(6))), x, y + 3);
      };
      // along the lowest and the leftmost line in the picture
      const lines = Array.from({ length: 17 }, (_, k) => k - 8);
      const best = (within, rank) => lines.filter(within).sort((one, two) => rank(two) - rank(one))[0] ?? 0;
      const low = best((j) => at(u, v + j)[1] < this.height - 40, (j) => at(u, v + j)[1]);
      const side = best((i) => at(u + i, v)[0] > 22, (i) => -at(u + i, v)[0]);
      for (const i of lines) number(u + i, at(u + i, v + low));
      for (const j of lines) number(v + j, at(u + side, v + j));
    }

    /* A bar of known length at the target of the view. */
    scale(scene, camera) {
      const { pen, width, height } = this;
      const length = da.nice(80 / this.view.scale);
      const pixels = length * this.view.scale;
      const [x, y] = [width - 14 - pixels, height - 14];
      pen.strokeStyle = pen.fillStyle = this.colours.ink;
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.moveTo(x, y - 5);
      pen.lineTo(x, y);
      pen.lineTo(x + pixels, y);
      pen.lineTo(x + pixels, y - 5);
      pen.stroke();
      pen.textAlign = "center";
      pen.textBaseline = "bottom";
      this.said = `${da.told(length)}${scene.unit ? ` ${scene.unit}` : ""}`;
      pen.fillText(this.said, x + pixels / 2, y - 4);
    }

    texts(things, poses) {
      things.forEach((one, i) => one.shapes.forEach((shape, k) => {
        if (shape.kind !== "text") return;
        const { position, rotation, growth } = poses[i];
        const place = plus(position, da.rotated(rotation, da.moved(shape, growth[k])));
        const [x, y, depth] = this.view.project(place);
        if (!(depth > 0)) return;
        const size = Math.max(8, Math.min(200, (shape.sizes[0] * this.view.scale * this.view.distance) / depth));
        this.pen.save();
        this.pen.font = `${size.toFixed(1)}px system-ui, sans-serif`;
        this.pen.fillStyle = da.paint(shape, this.colours.ink);
        this.pen.textAlign = "center";
        this.pen.textBaseline = "middle";
        this.pen.fillText(shape.text, x, y);
        this.pen.restore();
      }));
    }

    /* A zigzag from a body to the pointer that pulls it. */
    spring(body, place) {
      const { pen } = this;
      const [[x0, y0], [x1, y1]] = [this.view.project(body.position), this.view.project(place)];
      const length = Math.hypot(x1 - x0, y1 - y0);
      if (length < 3) return;
      const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
      const wide = Math.min(7, 0.15 * length);
      pen.save();
      pen.strokeStyle = pen.fillStyle = this.colours.accent;
      pen.lineWidth = 2;
      pen.lineJoin = "round";
      pen.beginPath();
      pen.moveTo(x0, y0);
      for (let k = 0; k < TURNS; k++) {
        const [along, aside] = [(length * (k + 1)) / (TURNS + 1), k % 2 ? wide : -wide];
        pen.lineTo(x0 + along * ux - aside * uy, y0 + along * uy + aside * ux);
      }
      pen.lineTo(x1, y1);
      pen.stroke();
      pen.beginPath();
      pen.arc(x1, y1, 4.5, 0, 7);
      pen.fill();
      pen.restore();
    }

    /* A line from every body to the same body of the other run. */
    apart(scene, now, ghost) {
      const { pen } = this;
      pen.save();
      pen.strokeStyle = this.colours.ink;
      pen.setLineDash([4, 3]);
      pen.lineWidth = 1.2;
      now.bodies.forEach(({ position }, i) => {
        if (!ghost.bodies[i]) return;
        const [[x0, y0], [x1, y1]] = [this.view.project(position), this.view.project(ghost.bodies[i].position)];
        if (Math.hypot(x1 - x0, y1 - y0) < 3) return;
        pen.beginPath();
        pen.moveTo(x0, y0);
        pen.lineTo(x1, y1);
        pen.stroke();
      });
      pen.restore();
    }
  }

  Object.assign(da, { Over });
})(globalThis);
