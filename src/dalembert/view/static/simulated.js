/* The scene of a motion that the page computed: Python's scene with every track of numbers computed again.

   simulated(base, told, model, motion, asked): base is an opened scene; told and model are those of engine.js. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const SMALL = 0.012; // smallest size of a particle, relative to the radius of the scene
  const NEAR = 1e-9;
  const SINGLE = 1e-6; // of sizes: what single precision keeps of them
  const WORDS = ["open", "closed", "sliding", "rolling"];

  /* Samples, and both sides of every event: t, the state, and the sample whose forces and modes apply there. */
  function rowsOf(motion, size) {
    const rows = [];
    const { times, states } = motion;
    const events = motion.events.filter((event) => event.kind !== "crossing");
    let e = 0;
    for (let i = 0; i < times.length; i++) {
      for (; e < events.length && events[e].time <= times[i]; e++) {
        const { time, before, after } = events[e];
        if (i) rows.push({ t: time, y: before, sample: i - 1 });
        rows.push({ t: time, y: after, sample: i });
      }
      rows.push({ t: times[i], y: states.subarray(i * size, (i + 1) * size), sample: i });
    }
    if (motion.status !== "finished" && motion.end && motion.t > (times[times.length - 1] ?? -Infinity))
      rows.push({ t: motion.t, y: motion.end, sample: Math.max(0, times.length - 1) });
    return rows;
  }

  class Scene {
    constructor(base, told, model, motion, asked) {
      Object.assign(this, { base, told, model, motion, asked, n: model.n });
      this.rows = rowsOf(motion, model.size);
      this.times = Float64Array.from(this.rows, (row) => row.t);
      const moving = Object.values(told.stage.shapes).flat().some((shape) => !shape.still);
      const always = ["drawn", "acting", "outputs", "position", "velocity", ...(moving ? ["figures"] : [])];
      this.values = model.over(always, this.rows, asked.parameters);
      if (!moving) Object.assign(this.values, model.over(["figures"], this.rows.slice(0, 1), asked.parameters));
      this.taken = new Map(); // wrenches of rows on bodies, that several parts of the scene ask for
      this.places = told.stage.places;
    }

    get count() {
      return this.rows.length;
    }

    /* The numbers of a part at row i. */
    numbers(program, part, i, from = 0, count = null) {
      const { width, rows } = this.values[program];
      const [first, last] = this.places[program][part];
      const start = i * width + first + from;
      return rows.subarray(start, count === null ? i * width + last : start + count);
    }

    track(width, at) {
      const rows = new Float32Array(width * this.count);
      for (let i = 0; i < this.count; i++) rows.set(at(i), i * width);
      return { width, rows, still: false };
    }

    /* The same of three numbers from a place on, copied. */
    copied(program, part, from = 0) {
      const { width, rows } = this.values[program];
      const first = this.places[program][part][0] + from;
      const made = new Float32Array(3 * this.count);
      for (let i = 0, k = first; i < made.length; i += 3, k += width) {
        made[i] = rows[k];
        made[i + 1] = rows[k + 1];
        made[i + 2] = rows[k + 2];
      }
      return { width: 3, rows: made, still: false };
    }

    /* The attitudes of a body, as a track of quaternions. */
    turning(name) {
      const { width, rows } = this.values.drawn;
      const first = this.places.drawn[`body ${name}`][0] + 3;
      return { width: 4, rows: da.quaternions(this.count, rows, (i) => i * width + first), still: false };
    }

    attitude(name, i) {
      return this.numbers("drawn", `body ${name}`, i, 3, 9);
    }

    centre(name, i) {
      return this.numbers("drawn", `body ${name}`, i, 0, 3);
    }

    bodies() {
      return this.base.bodies.map((body) => ({
        ...body,
        position: this.copied("drawn", `body ${body.name}`),
        rotation: this.turning(body.name),
        shapes: this.shapes(body),
      }));
    }

    /* Stated shapes get new sizes and places. A guessed shape takes the size of its rolling. */
    shapes({ name, shapes }) {
      const stated = this.told.stage.shapes[`body ${name}`];
      if (!stated) {
        const radius = this.places.figures[`radius ${name}`];
        if (!radius) return shapes;
        const ratio = Math.abs(this.numbers("figures", `radius ${name}`, 0)[0]) / shapes[0].sizes[0];
        return shapes.map((shape) => ({ ...shape, sizes: shape.sizes.map((size) => ratio * size) }));
      }
      const { width } = this.values.figures;
      const made = stated.map((shape, k) => {
        const found = da.figure(shape, this.instants(shape), width, this.places.figures[`body ${name} ${k}`]);
        const { all, sizes } = found;
        const turn = [0, 3, 6].map((r) => all[0].turn.slice(r, r + 3));
        return { ...shapes[k], sizes, at: all[0].at, turn, growth: da.placed(found) };
      });
      const speck = made.length === 1 && made[0].kind === "ball" && !made[0].growth && this.told.stage.particles.includes(name);
      return speck ? [{ ...made[0], sizes: [Math.max(made[0].sizes[0], SMALL * this.base.outlook.radius)] }] : made;
    }

    /* The numbers of a shape, at the first instant alone if it never changes. */
    instants(shape) {
      const { width, rows } = this.values.figures;
      return shape.still ? rows.subarray(0, width) : rows;
    }

    drawings() {
      const { width } = this.values.figures;
      return this.base.drawings.map((piece) => {
        if (piece.surface) return this.surface(piece);
        const [shape] = this.told.stage.shapes[`drawing ${piece.name}`];
        const { all, sizes, growth } = da.figure(shape, this.instants(shape), width, this.places.figures[`drawing ${piece.name} 0`]);
        const still = (key) => all.every((one) => one[key].every((e, k) => e === all[0][key][k]));
        const position = still("at") ? { width: 3, rows: Float32Array.from(all[0].at), still: true } : this.track(3, (i) => all[i].at);
        const turned = da.quaternions(still("turn") ? 1 : all.length, all.flatMap((one) => one.turn), (i) => 9 * i);
        return { ...piece, shapes: [{ ...piece.shapes[0], sizes, growth }], position, rotation: { width: 4, rows: turned, still: still("turn") } };
      });
    }

    /* A surface of rolling: z = g(x, y) gets new heights; any other is drawn only while it equals the recorded one. */
    surface(piece) {
      const { model, base, asked } = this;
      const [place] = this.places.relief[piece.name];
      const [shape] = piece.shapes;
      const corners = da.floats(shape.mesh.corners);
      const at = piece.position.rows;
      const zero = (this.zero ??= da.asked(this.told, model, {}, [], 0)).parameters;
      const off = (k, height, parameters) => {
        const x = new Float64Array(model.inputs);
        x.set([corners[3 * k] + at[0], corners[3 * k + 1] + at[1], height]);
        x.set(parameters, model.inputs - parameters.length);
        return model.at("relief", x)[place];
      };
      const count = corners.length / 3;
      const explicit = [0, count >> 1, count - 1].every((k) => Math.abs(off(k, 1, zero) - off(k, 0, zero) - 1) < NEAR);
      if (explicit) {
        let moved = 0;
        for (let k = 0; k < count; k++) {
          const height = -off(k, 0, asked.parameters) - at[2];
          moved = Math.max(moved, Math.abs(height - corners[3 * k + 2]));
          corners[3 * k + 2] = height;
        }
        if (moved <= SINGLE * base.outlook.size) return piece;
        return { ...piece, shapes: [{ ...shape, mesh: { ...shape.mesh, corners: da.packed(corners) } }] };
      }
      const same = [...Array(count).keys()].every((k) => {
        const height = corners[3 * k + 2] + at[2];
        return Math.abs(off(k, height, asked.parameters) - off(k, height, zero)) <= NEAR * base.outlook.size;
      });
      return same ? piece : { ...piece, shapes: [] };
    }

    /* A place by its name: a point, a body, or the origin. */
    place(name, i) {
      if (this.places.drawn[`point ${name}`]) return this.numbers("drawn", `point ${name}`, i);
      return this.places.drawn[`body ${name}`] ? this.centre(name, i) : [0, 0, 0];
    }

    /* The same at all instants. */
    way(name) {
      const part = [`point ${name}`, `body ${name}`].find((one) => this.places.drawn[one]);
      return part ? this.copied("drawn", part) : { width: 3, rows: new Float32Array(3 * this.count), still: false };
    }

    links() {
      return this.base.links.map((link) => {
        const [one, two] = link.ends;
        const end = (name, kept) => (name ? this.way(name) : kept);
        return { ...link, from: end(one, link.from), to: end(two, link.to) };
      });
    }

    /* What the row of a multiplier does to a body at row i: { place, force, couple } of a unit multiplier. */
    onBody(label, on, i) {
      const key = `${label} ${on.body} ${on.against ?? ""} ${Boolean(on.turns)}`;
      if (!this.taken.has(key)) this.taken.set(key, new Array(this.count));
      const known = this.taken.get(key);
      return (known[i] ??= this.wrench(label, on, i));
    }

    wrench(label, { body, against, turns }, i) {
      this.values.partial ??= this.model.over(["partial"], this.rows, this.asked.parameters).partial;
      const relative = against ? [against, this.centre(body, i).map((e, k) => e - this.centre(against, i)[k])] : null;
      const J = da.partial(this.numbers("partial", body, i), relative && this.numbers("partial", relative[0], i), relative && relative[1], this.n, turns && against);
      const { force, couple, arm } = da.wrench(J, this.numbers("acting", `row ${label}`, i), this.n, this.base.outlook.size);
      return { place: this.centre(body, i).map((e, k) => e + arm[k]), force, couple };
    }

    /* The place, normal (out of the wall) and gap of a contact, at the place that its gap names or on its body. */
    touched(label) {
      const touch = this.base.contacts.find(({ name }) => name === label);
      if (!touch) return null;
      const [named] = this.told.stage.acts[label] || [];
      const owner = named ?? touch.body;
      const body = this.made.bodies.find(({ name }) => name === owner);
      const found = (i) => {
        const { place, force } = this.onBody(label, { body: owner }, i);
        return [...place, ...force];
      };
      return this.rows.map((_, i) => {
        const act = named === undefined ? found(i) : this.numbers("acting", `act 0 ${label}`, i);
        const length = Math.hypot(act[3], act[4], act[5]) || 1;
        const unit = [act[3] / length, act[4] / length, act[5] / length];
        const gap = this.numbers("acting", `gap ${label}`, i)[0] / length;
        let at = [act[0], act[1], act[2]];
        if (touch.point) at = Array.from(this.place(touch.point, i));
        else if (body) {
          const centre = this.centre(owner, i);
          const off = Math.max(...at.map((e, k) => Math.abs(e - centre[k])));
          const foot = off <= NEAR * this.base.outlook.size ? da.support(body.shapes, this.attitude(owner, i), unit.map((e) => -e)) : [0, 0, 0];
          at = at.map((e, k) => e + foot[k]);
        }
        return { at, unit, gap };
      });
    }

    /* The mode: open or closed, or from its friction sliding or rolling. */
    coloured(label) {
      const [own, ...frictions] = this.told.touching[label];
      const { modes } = this.model;
      return Uint8Array.from(this.rows, ({ sample }) => {
        const mode = (k) => this.motion.modes[sample * modes + k];
        let found = mode(own) === 1 ? 1 : 0;
        for (const k of frictions) if (found && mode(k) === 2) found = 2;
        for (const k of frictions) if (found === 1 && mode(k) === 1) found = 3;
        return found;
      });
    }

    contacts() {
      return this.base.contacts.flatMap((touch) => {
        if (this.places.drawn[`rolling ${touch.name}`])
          return [{ ...touch, place: this.copied("drawn", `rolling ${touch.name}`), mode: new Uint8Array(this.count).fill(WORDS.indexOf("rolling")) }];
        const there = this.touching[touch.name];
        return there ? [{ ...touch, modes: WORDS, place: this.track(3, (i) => there[i].at), mode: this.coloured(touch.name) }] : [];
      });
    }

    /* Flat walls, at the places where their gaps are zero. */
    walls() {
      return this.base.walls.map((wall) => {
        const there = this.touching[wall.name];
        if (!there || !wall.normal) return wall;
        const along = (p) => p.reduce((sum, e, k) => sum + e * wall.normal[k], 0);
        const levels = there.map(({ at, unit, gap }) => along(at.map((e, k) => e - gap * unit[k])));
        const flat = there.map(({ at }) => at.map((e, k) => e - along(at) * wall.normal[k]));
        const ends = (pick) => [0, 1, 2].map((k) => pick(...flat.map((p) => p[k])));
        const [low, high] = [ends(Math.min), ends(Math.max)];
        const middle = low.map((e, k) => (e + high[k]) / 2);
        const wide = Math.hypot(...low.map((e, k) => high[k] - e)) / 2;
        return { ...wall, half: Math.max(wall.half, wide), place: this.track(3, (i) => middle.map((e, k) => e + levels[i] * wall.normal[k])) };
      });
    }

    multiplier(label, i) {
      const { n, model, motion } = this;
      const width = n + (model.touches ? model.m : model.reactions);
      const value = motion.forces[this.rows[i].sample * width + n + this.told.multipliers[label]];
      const touching = this.told.touching[label];
      return touching && motion.modes[this.rows[i].sample * model.modes + touching[0]] === 0 ? 0 : value;
    }

    /* Arrows whose parts have their own places. Others are unknown here. */
    arrows(some) {
      return some.filter(({ parts }) => parts && parts.length).map((arrow) => {
        const turns = some === this.base.couples;
        const [[label, which]] = arrow.parts;
        if (!label) return { ...arrow, place: turns ? this.copied("drawn", `body ${arrow.body}`) : this.copied("acting", `load ${which}`), vector: this.copied("acting", `load ${which}`, turns ? 6 : 3) };
        const act = ([row, k], i) => {
          if (k >= 0) return this.numbers("acting", `act ${k} ${row}`, i);
          const { place, force, couple } = this.onBody(row, { ...arrow, turns }, i);
          return Float64Array.of(...place, ...(turns ? couple : force));
        };
        const vector = this.track(3, (i) => {
          const sum = [0, 0, 0];
          for (const part of arrow.parts) {
            const unit = act(part, i);
            for (let k = 0; k < 3; k++) sum[k] += this.multiplier(part[0], i) * unit[3 + k];
          }
          return sum;
        });
        const there = this.touching[label.replace(/\.slip\d*$/, "")];
        const moved = arrow.kind === "contact" && there;
        const pin = (i) => da.crossing(act(arrow.parts[0], i), act([arrow.pin, -1], i));
        const own = (i) => (moved ? there[i].at : arrow.pin ? pin(i) : act(arrow.parts[0], i).subarray(0, 3));
        return { ...arrow, vector, place: arrow.point ? this.way(arrow.point) : this.track(3, own) };
      });
    }

    events() {
      const { events } = this.told;
      const names = { crossing: events.crossing, stick: events.friction, slip: events.friction, kink: events.kink };
      return this.motion.events.map(({ time, kind, index }) => ({ time, kind, name: (names[kind] || events.contact)[index] }));
    }

    opened() {
      const bodies = this.bodies();
      const drawings = this.drawings();
      this.made = { bodies };
      this.touching = Object.create(null);
      for (const label of Object.keys(this.told.touching)) this.touching[label] = this.touched(label);
      const { times, base } = this;
      const up = da.horizon.up(this);
      return {
        ...base, status: Number.isFinite(this.motion.status) ? "failed" : this.motion.status, times, start: times[0], end: times[times.length - 1], bodies, drawings,
        outlook: { ...da.horizon.outlook(this, bodies, drawings), up }, ground: da.horizon.ground(this, bodies, up),
        points: base.points.map((point) => ({ ...point, position: this.copied("drawn", `point ${point.name}`) })),
        links: this.links(), walls: this.walls(), contacts: this.contacts(),
        arrows: this.arrows(base.arrows), couples: this.arrows(base.couples),
        events: this.events(), panels: da.quantities.panels(this),
      };
    }
  }

  const simulated = (...given) => new Scene(...given).opened();

  Object.assign(da, { simulated });
})(globalThis);
