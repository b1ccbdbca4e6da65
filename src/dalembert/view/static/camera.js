/* The camera: it circles a target, keeps up upright, and projects places to the screen. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const scaled = (k, a) => [k * a[0], k * a[1], k * a[2]];
  const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
  const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const unit = (a) => scaled(1 / (Math.hypot(a[0], a[1], a[2]) || 1), a);
  const ANGLE = (28 * Math.PI) / 180; // of view
  const NEAREST = 0.02, FURTHEST = 30; // distances that a hand can choose, in units of the fitted one
  const LEVEL = Math.PI / 2 - 1e-4; // almost straight down, so that the direction to the right is defined

  class Camera {
    constructor(outlook) {
      this.home(outlook);
    }

    home(outlook) {
      this.outlook = outlook;
      this.up = unit(outlook.up);
      const eye = unit(outlook.eye);
      this.level = Math.asin(Math.max(-1, Math.min(1, dot(eye, this.up))));
      this.front = unit(minus(eye, scaled(dot(eye, this.up), this.up)));
      this.side = cross(this.up, this.front);
      this.turn = 0;
      this.zoom = 1;
      this.shift = [0, 0, 0];
      this.follow = outlook.follow;
      this.middle = outlook.centre.slice();
      this.radius = outlook.radius;
      this.fitting = eye; // the picture is fitted along this direction, so that turning it by hand does not change the distance
    }

    /* Look from a direction: "x", "y", "z" or "above", with everything in the picture. */
    look(name) {
      const { up } = this;
      const e = name === "above" ? up : [0, 1, 2].map((k) => Number("xyz"[k] === name));
      const along = Math.max(-1, Math.min(1, dot(e, up)));
      this.level = Math.max(-LEVEL, Math.min(LEVEL, Math.asin(along)));
      let flat = minus(e, scaled(along, up));
      if (Math.hypot(...flat) < 1e-6) { // straight down: x, or else y, to the right
        const right = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
        flat = cross(minus(right, scaled(dot(right, up), up)), up);
      }
      this.turn = Math.atan2(dot(flat, this.side), dot(flat, this.front));
      this.zoom = 1;
      this.shift = [0, 0, 0];
      this.fitting = this.eyeward;
    }

    /* The distance from which everything is in the picture, on a screen of this shape. */
    fitted(width, height) {
      const tall = Math.tan(ANGLE / 2);
      const wide = (tall * width) / height;
      const { size, low, high, centre } = this.outlook;
      if (this.follow) return (1.8 * size) / Math.min(tall, wide) / Math.cos(ANGLE / 2);
      const e = this.fitting;
      const right = unit(cross(this.up, e));
      const above = cross(e, right);
      let distance = 0;
      for (let k = 0; k < 8; k++) {
        const corner = [k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]];
        const d = minus(corner, centre);
        distance = Math.max(distance, dot(d, e) + 1.1 * Math.max(Math.abs(dot(d, right)) / wide, Math.abs(dot(d, above)) / tall));
      }
      return Math.max(distance, 1e-6);
    }

    get target() {
      return plus(this.middle, this.shift);
    }

    get eyeward() {
      const flat = plus(scaled(Math.cos(this.turn), this.front), scaled(Math.sin(this.turn), this.side));
      return plus(scaled(Math.cos(this.level), flat), scaled(Math.sin(this.level), this.up));
    }

    /* The axes of the screen (right, up, towards the eye), the eye, and its distance. */
    frame(width, height) {
      const e = this.eyeward;
      const right = unit(cross(this.up, e));
      const above = cross(e, right);
      const near = this.fitted(width, height);
      this.radius = near * Math.tan(ANGLE / 2); // half the height of the picture, as a length at the target
      const distance = this.zoom * near;
      return { right, above, e, eye: plus(this.target, scaled(distance, e)), distance, angle: ANGLE };
    }

    /* A function from a place to [x, y, depth] in pixels, and pixels per length at the target. */
    projector(width, height) {
      const { right, above, e, eye, distance } = this.frame(width, height);
      const focal = height / 2 / Math.tan(ANGLE / 2);
      const project = (p) => {
        const d = [p[0] - eye[0], p[1] - eye[1], p[2] - eye[2]];
        const depth = -dot(d, e);
        const k = focal / Math.max(depth, 1e-3 * distance);
        return [width / 2 + k * dot(d, right), height / 2 - k * dot(d, above), depth];
      };
      return { project, scale: focal / distance, eye, e, right, above, distance };
    }

    /* Take an eye and a target that were moved by hand. */
    take(eye, target, width, height) {
      const away = minus(eye, target);
      const distance = Math.hypot(...away);
      const along = dot(away, this.up) / distance;
      const flat = minus(away, scaled(along * distance, this.up));
      this.level = Math.max(-LEVEL, Math.min(LEVEL, Math.asin(Math.max(-1, Math.min(1, along)))));
      if (Math.hypot(...flat) > 1e-9 * distance) this.turn = Math.atan2(dot(flat, this.side), dot(flat, this.front));
      this.zoom = distance / this.fitted(width, height);
      this.shift = minus(target, this.middle);
    }

    /* A camera that follows looks at the bodies. Its height changes slowly. */
    attend(places) {
      if (!this.follow || !places.length) {
        this.middle = this.outlook.centre;
        return;
      }
      let sum = [0, 0, 0];
      for (const p of places) sum = plus(sum, p);
      this.middle = scaled(1 / places.length, sum);
    }
  }

  /* 1, 2 or 5 times a power of ten, near the value. */
  function nice(value) {
    const power = Math.pow(10, Math.floor(Math.log10(value || 1)));
    const rest = value / power;
    return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
  }

  Object.assign(da, { Camera, ANGLE, NEAREST, FURTHEST, nice, vector: { dot, cross, scaled, plus, minus, unit } });
})(globalThis);
