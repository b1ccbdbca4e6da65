/* A live motion, and bodies that can be grabbed: pulled while it runs, moved to another start while it rests. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const TEXTS = {
    live: "Live", liveLong: "Live: the motion goes on without an end", grab: "Grab", grabLong: "Grab bodies with the mouse: pull them while it runs, or set where they start",
    push: "Push", pushLong: "Push: a short pull to the right of the picture", going: (t) => `Live at t = ${t}.`, pulling: (name) => `Pulling ${name}.`, placed: (name) => `${name} starts here now.`,
  };
  const WINDOW = 8; // seconds of the motion that are kept
  const STEP = 0.05; // seconds of a frame, at most
  const PLOTTED = 10; // the plots are drawn once in this many frames
  const NEAR = 26; // pixels around a body's centre within which it can be grabbed
  const RATE = 2 * Math.PI * 1.2; // angular frequency of a pull's spring with all masses on it
  const DAMPED = 0.35; // of critical
  const PUSHED = 0.15; // seconds of a push. With all masses on its spring, the model moves by its size in a second after it
  const FINE = 1e-6; // of sizes, for differences

  class Live {
    constructor(computing) {
      this.computing = computing;
      this.player = computing.player.inside;
      this.player.taken = (event) => this.grabbed(event);
      this.player.played = () => this.going && this.stop();
    }

    /* { body, place } of a pull, or null. The player draws it. */
    get pull() {
      return this.player.pull ?? null;
    }

    set pull(one) {
      this.player.pull = one;
    }

    buttons(parent) {
      const made = (key, action) => {
        const button = da.button("da-chip", TEXTS[`${key}Long`], TEXTS[key], parent, action);
        return button;
      };
      this.liveButton = made("live", () => (this.going ? this.stop() : this.start()));
      this.grabButton = made("grab", () => this.grabs(!this.grabbing));
      made("push", () => this.push());
      for (const button of [this.liveButton, this.grabButton]) button.setAttribute("aria-pressed", "false");
    }

    /* Leave the stage to others. */
    remove() {
      if (this.going) this.stop();
      this.grabs(false);
      this.player.taken = this.player.played = null;
    }

    grabs(on) {
      this.grabbing = on;
      this.grabButton?.setAttribute("aria-pressed", String(on));
      this.player.canvas.classList.toggle("da-grabs", on);
    }

    tell(words) {
      if (this.computing.line) this.computing.line.textContent = words;
    }

    /* The state on screen: the last sample before the current time. */
    async shown() {
      const { computing, player } = this;
      if (!computing.last) await computing.set(computing.settings);
      const { motion } = computing.last;
      let i = 0;
      while (i + 1 < motion.times.length && motion.times[i + 1] <= player.time) i++;
      return { t: motion.times[i], y: motion.states.slice(i * computing.model.size, (i + 1) * computing.model.size) };
    }

    async start() {
      if (this.going) return;
      this.player.pause();
      const { t, y } = await this.shown();
      Object.assign(this, { t, y, going: true, chunks: [], frames: 0 });
      this.liveButton?.setAttribute("aria-pressed", "true");
      if (this.grabbing === undefined) this.grabs(true);
      let last = null;
      const frame = async (stamp) => {
        if (!this.going || this.player.gone) return;
        if (last !== null) {
          this.player.pace(stamp - last);
          await this.advance(Math.min(STEP, (stamp - last) / 1000) * this.player.speed);
        }
        last = stamp;
        if (this.going) requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    }

    stop(words = "") {
      this.going = false;
      this.hand = this.pull = null;
      this.liveButton?.setAttribute("aria-pressed", "false");
      if (this.scene) this.player.update(this.scene);
      this.tell(words);
    }

    /* Settings, and the spring and damper of a pull: F = k (p − r) + c (ṗ − ṙ) = k (p + (c/k) ṗ − r) − c ṙ. The hand moves on during the step. */
    settings(seconds) {
      const { computing, pull } = this;
      if (!pull?.rate) return computing.settings;
      const mass = computing.told.mass || 1;
      const [k, c] = [mass * RATE * RATE, 2 * DAMPED * mass * RATE];
      const [x, y, z] = pull.place.map((e, i) => e + (c / k + seconds / 2) * pull.rate[i]);
      return { ...computing.settings, "pull x": x, "pull y": y, "pull z": z, [`pull k ${pull.body}`]: k, [`pull c ${pull.body}`]: c };
    }

    /* The pull of the hand now: its place in the plane of the picture through the body, and the rate at which a view that follows carries it. */
    pulling() {
      const { player, hand } = this;
      if (!hand || this.t > hand.until) return null;
      const { position } = da.moment(player.scene, player.time).bodies[player.scene.bodies.findIndex(({ name }) => name === hand.body)];
      const view = player.camera.projector(player.view.width, player.view.height);
      const [now, last] = [{ t: player.time, middle: Array.from(player.camera.middle) }, hand.last];
      const rate = last && now.t > last.t ? now.middle.map((e, i) => (e - last.middle[i]) / (now.t - last.t)) : this.pull?.rate;
      hand.last = now;
      return { body: hand.body, place: moved(position, hand.reach(view, view.project(position)), view), rate };
    }

    /* Continue the motion from the last state by so many seconds. */
    async advance(seconds) {
      const { model, told, base } = this.computing;
      if (!(seconds > 0) || this.computing.busy) return;
      this.pull = this.pulling();
      const end = this.t + seconds;
      const times = seconds > 0.02 ? [this.t + seconds / 2, end] : [end];
      const asked = { ...da.asked(told, model, this.settings(seconds), times, end), start: this.t, given: told.given.map(() => 1) };
      asked.q = this.y.slice(0, model.n);
      asked.v = this.y.slice(model.n, 2 * model.n);
      asked.s = this.y.slice(2 * model.n);
      const motion = await model.motion(asked);
      if (motion.status !== "finished") {
        this.stop(this.computing.why(motion));
        return;
      }
      [this.t, this.y] = [end, motion.states.slice(-model.size)];
      this.chunks.push(motion);
      const from = end - WINDOW;
      while (this.chunks[0].t < from) this.chunks.shift();
      this.scene = da.simulated(base, told, model, joined(this.chunks), asked);
      this.player.flow(this.scene, ++this.frames % PLOTTED === 0);
      this.tell(this.pull ? TEXTS.pulling(this.pull.body) : TEXTS.going(da.told(this.t)));
    }

    /* The body under a pointer: its name and its centre on the screen. */
    under(event) {
      const { player } = this;
      const box = player.canvas.getBoundingClientRect();
      const [px, py] = [event.clientX - box.left, event.clientY - box.top];
      const view = player.camera.projector(player.view.width, player.view.height);
      let best = null;
      da.moment(player.scene, player.time).bodies.forEach(({ position }, i) => {
        const [x, y, depth] = view.project(position);
        const reach = Math.max(NEAR, (0.7 * view.scale * view.distance * largest(player.scene.bodies[i])) / depth);
        const far = Math.hypot(px - x, py - y) / reach;
        if (depth > 0 && far < 1 && far < (best?.far ?? 1)) best = { body: player.scene.bodies[i].name, position: Array.from(position), x, y, far, depth };
      });
      return best && { ...best, px, py };
    }

    /* Whether the pointer grabbed a body. Otherwise it turns the picture. */
    grabbed(event) {
      if (!this.grabbing || event.button) return false;
      const found = this.under(event);
      if (!found) return false;
      this.player.canvas.setPointerCapture(event.pointerId);
      this.hand = null;
      const drag = (to) => {
        const reach = (view, at) => this.reach(found, to, view, at);
        if (this.going) this.hand = { body: found.body, last: this.hand?.last, reach };
        else {
          const view = this.player.camera.projector(this.player.view.width, this.player.view.height);
          this.put(found.body, moved(found.position, reach(view, [found.x, found.y, found.depth]), view));
        }
      };
      const heard = { pointermove: drag, pointerup: () => over(), pointercancel: () => over() };
      const over = () => {
        for (const [type, listener] of Object.entries(heard)) document.removeEventListener(type, listener);
        this.hand = this.pull = null;
      };
      if (this.going) drag(event);
      else this.player.seek(this.player.scene.start);
      for (const [type, listener] of Object.entries(heard)) document.addEventListener(type, listener); // the canvas may be replaced meanwhile
      return true;
    }

    /* From the body on screen to the pointer, as lengths to the right and down. The body was grabbed at (px, py), near its centre (x, y). */
    reach({ x, y, px, py }, event, { scale, distance }, [atX, atY, depth]) {
      const box = this.player.canvas.getBoundingClientRect();
      const length = depth / (scale * distance);
      return [(event.clientX - box.left - (px - x) - atX) * length, (event.clientY - box.top - (py - y) - atY) * length];
    }

    /* The initial coordinates that bring a body nearest to a place: iterate Δq = Jᵀ (J Jᵀ + ε)⁻¹ (place − r). */
    put(body, place) {
      const { computing } = this;
      const { model, told } = computing;
      const asked = da.asked(told, model, computing.settings, [], computing.end);
      const [first] = told.stage.places.drawn[`body ${body}`];
      const q = asked.q.slice();
      const where = (at) => Array.from(model.at("drawn", model.begin({ ...asked, q: at })).subarray(first, first + 3));
      for (let round = 0; round < 8; round++) {
        const r = where(q);
        const J = [...q].map((value, j) => {
          const step = FINE * Math.max(1, Math.abs(value));
          const other = q.slice();
          other[j] += step;
          return where(other).map((e, k) => (e - r[k]) / step);
        });
        const change = nearest(J, place.map((e, k) => e - r[k]));
        change.forEach((e, j) => { q[j] += e; });
      }
      const settings = { ...computing.settings };
      told.coordinates.forEach((name, j) => {
        const { factor = 1, offset = 0 } = told.controls.find((control) => control.name === name);
        if (Math.abs(q[j] - asked.q[j]) > 1e-9 * Math.max(1, Math.abs(q[j]))) settings[name] = Number(((q[j] - offset) / factor).toPrecision(6));
      });
      computing.choose(settings);
      this.tell(TEXTS.placed(body));
    }

    /* A short pull of the first body, to the right of the picture. */
    async push() {
      await this.start();
      const [first] = this.player.scene.bodies;
      const reach = this.computing.base.outlook.size / (RATE * RATE * PUSHED);
      if (first) this.hand = { body: first.name, reach: () => [reach, 0], until: this.t + PUSHED };
    }
  }

  const moved = (position, [right, down], view) => Array.from(position, (e, i) => e + right * view.right[i] - down * view.above[i]);
  const largest = ({ shapes }) => Math.max(...shapes.map(({ sizes }) => sizes[0]));

  /* Consecutive motions as one. */
  function joined(chunks) {
    const whole = (key, Kind) => {
      const parts = chunks.map((chunk) => chunk[key]);
      if (parts[0] === null) return null;
      const found = new Kind(parts.reduce((sum, part) => sum + part.length, 0));
      let at = 0;
      for (const part of parts) {
        found.set(part, at);
        at += part.length;
      }
      return found;
    };
    const last = chunks[chunks.length - 1];
    return { ...last, times: whole("times", Float64Array), states: whole("states", Float64Array), forces: whole("forces", Float64Array), modes: whole("modes", Int32Array), events: chunks.flatMap((chunk) => chunk.events) };
  }

  /* The smallest Δq with J Δq = r, slightly damped. J has a column of three for every coordinate. */
  function nearest(J, r) {
    const G = [0, 1, 2].map((a) => [0, 1, 2].map((b) => J.reduce((sum, column) => sum + column[a] * column[b], 0)));
    const size = Math.max(G[0][0], G[1][1], G[2][2], 1e-300);
    for (let a = 0; a < 3; a++) G[a][a] += 1e-6 * size;
    const rows = G.map((row, a) => [...row, r[a]]);
    for (let a = 0; a < 3; a++)
      for (let b = 0; b < 3; b++) {
        if (a === b) continue;
        const by = rows[b][a] / rows[a][a];
        for (let c = a; c < 4; c++) rows[b][c] -= by * rows[a][c];
      }
    const s = rows.map((row, a) => row[3] / row[a]);
    return J.map((column) => column[0] * s[0] + column[1] * s[1] + column[2] * s[2]);
  }

  Object.assign(da, { Live });
})(globalThis);
