/* Motions by the engine in WebAssembly, from a model that Python wrote (motions/browser.py). It needs no document and also runs in node.

   const model = await dalembert.carry(the engine as text, the model from Python);
   const motion = await model.motion({ parameters, q, v, given, times, end, tolerance }, pause);
   motion: { status, t, times, states, forces, modes, events, steps }: rows of states (q, v), of forces (a, then all multipliers) and of
           modes, one for each time; status "finished", "stopped", "interrupted", or the engine's number of a failure. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const FINISHED = 10, CONTINUE = 11, NEED_ROOM = 12, STOPPED = 13; // status.hpp
  const STEPPERS = { auto: 0, dop853: 0, gauss: 1, radau: 2 };
  const EVENTS = ["impact", "liftoff", "contact", "stick", "slip", "chatter", "crossing", "kink"];
  const EVENT_BYTES = 40;
  const SAME_TIME = 8 * 2 ** -52; // relative, as in signals.py
  const PATIENCE = 2000, GAUSS_STEPS = 1000; // as in span.py
  const CHUNK = 200; // steps
  const BREATH = 12; // milliseconds between two pauses

  async function unzipped(text) {
    const raw = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  class Carried {
    constructor(engine, module, told) {
      this.engine = engine;
      this.memory = engine.memory;
      this.programs = module;
      this.told = told;
      const { n, m, size, states, contacts, frictions, reactions } = told.counts;
      const own = told.parameters.length - states; // states belong to y, and the other parameters follow it
      Object.assign(this, { n, m, size, reactions, touches: contacts + frictions > 0, kinked: told.counts.kinks > 0, modes: contacts + frictions });
      this.acting = this.touches ? m : reactions; // multipliers at a sample
      this.inputs = 1 + size + own;
      this.pulls = told.parameters.flatMap((name, i) => (/^pull [kc] /.test(name) ? [1 + size + i - states] : [])); // in x
      this.arrays = { parameters: this.take(8 * own), given: this.take(n) };
      this.table = this.tabled();
      [this.modelAt, this.pulledAt, this.startAt] = [told.model, told.pulled, told.begins].map((row) => this.placed(row));
      this.startRoom = this.take(engine.dalembert_start_memory(this.startAt));
      this.x = this.take(8 * Math.max(this.inputs + 2 * size, 2 * told.controls.length)); // controls are the input of `values`
      this.reportAt = this.take(told.at.report);
      this.evaluated = {};
      for (const [name, outputs] of Object.entries(told.outputs)) this.evaluated[name] = { at: this.take(8 * outputs), outputs };
      this.base = this.take(0);
    }

    /* Zeroed memory that stays until `give_back`. */
    take(bytes) {
      const place = this.engine.dalembert_take(bytes);
      if (!place) throw new RangeError("the page has no memory left for this motion; use fewer samples");
      return place;
    }

    reals(place, count) {
      return new Float64Array(this.memory.buffer, place, count);
    }

    wholes(place, count) {
      return new Int32Array(this.memory.buffer, place, count);
    }

    room(numbers) {
      const place = this.take(8 * numbers.length);
      this.reals(place, numbers.length).set(numbers);
      return place;
    }

    /* The indices of the model's functions in the engine's table, by name. */
    tabled() {
      const { __indirect_function_table: table } = this.engine;
      const names = Object.keys(this.programs);
      const first = table.grow(names.length);
      names.forEach((name, i) => table.set(first + i, this.programs[name]));
      return Object.fromEntries(names.map((name, i) => [name, first + i]));
    }

    /* A struct from its row: numbers, lists of whole numbers (with lists of reals and names of functions in them), names of functions and arrays. */
    placed(row) {
      const numbers = row.map((entry) => {
        if (typeof entry === "string") return this.arrays[entry] ?? this.table[entry];
        if (!Array.isArray(entry)) return entry;
        const words = entry.map((word) => (Array.isArray(word) ? this.room(word) : (this.table[word] ?? word)));
        const place = this.take(4 * words.length);
        this.wholes(place, words.length).set(words);
        return place;
      });
      const place = this.take(4 * numbers.length);
      this.wholes(place, numbers.length).set(numbers);
      return place;
    }

    /* The outputs of one of the model's programs at x, as a view that the next call overwrites. */
    at(name, x) {
      const { at, outputs } = this.evaluated[name];
      this.reals(this.x, x.length).set(x);
      this.programs[name](at, this.x, 0);
      return this.reals(at, outputs);
    }

    /* The outputs of some programs at rows { t, y }, by name: { width, rows } with `width` numbers for each. */
    over(names, rows, parameters) {
      const x = this.reals(this.x, this.inputs);
      x.set(parameters, 1 + this.size);
      const found = names.map((name) => {
        const { at, outputs: width } = this.evaluated[name];
        return { name, at, width, last: this.reals(at, width), rows: new Float64Array(rows.length * width) };
      });
      const some = found.filter(({ width }) => width);
      rows.forEach(({ t, y }, i) => {
        x[0] = t;
        x.set(y, 1);
        this.follow(x);
        for (const one of some) {
          this.programs[one.name](one.at, this.x, 0);
          one.rows.set(one.last, i * one.width);
        }
      });
      return Object.fromEntries(found.map(({ name, width, rows }) => [name, { width, rows }]));
    }

    /* Inputs from data at the time of x: c₀ + c₁ s + c₂ s² + c₃ s³ from the last knot on, a constant before the first. */
    follow(x) {
      for (const [place, times, cubics] of this.told.signals) {
        let k = times.length - 1;
        while (k >= 0 && times[k] > x[0] + SAME_TIME * Math.abs(x[0])) k--;
        const s = k < 0 ? 0 : x[0] - times[k];
        const [a, b, c, d] = cubics.slice(4 * Math.max(k, 0));
        x[place] = a + s * (b + s * (c + s * d));
      }
    }

    /* x = (t, q, v, s, p) at the start of a motion. */
    begin({ start, q, v, s, parameters }) {
      return this.state(start, Float64Array.of(...q, ...v, ...s), 0, parameters);
    }

    /* x = (t, q, v, s, p) at a row of states. */
    state(t, states, row, parameters) {
      const x = new Float64Array(this.inputs);
      x[0] = t;
      x.set(states.subarray(row * this.size, (row + 1) * this.size), 1);
      x.set(parameters, 1 + this.size);
      this.follow(x);
      return x;
    }

    /* q and v on the constraints: { y, begun }. begun is 0, or the number of a failure. */
    started({ parameters, q, v, s, given, start }) {
      const own = this.begin({ start, q, v, s, parameters }).subarray(1 + this.size); // with data at the start
      this.reals(this.arrays.parameters, own.length).set(own);
      new Uint8Array(this.memory.buffer, this.arrays.given, this.n).set(given);
      const y = this.take(8 * this.size);
      this.reals(y, this.size).set([...q, ...v, ...s]);
      return { y, begun: this.engine.dalembert_start(this.startRoom, this.startAt, this.arrays.given, start, y) };
    }

    /* The question with the start on its constraints, or as it is if there is no such start. */
    consistent(asked) {
      this.engine.dalembert_give_back(this.base);
      const { y, begun } = this.started(asked);
      const [n, found] = [this.n, this.reals(y, this.size).slice()];
      return begun ? asked : { ...asked, q: found.slice(0, n), v: found.slice(n, 2 * n), s: found.slice(2 * n) };
    }

    /* The model that moves from x: Python's own, unless a hand pulls. If its written-out slopes must be checked and are not valid at x, the
       engine solves with pivots: natively, too. */
    chosen(x) {
      if (this.pulls.some((i) => x[i] !== 0)) return this.pulledAt;
      if (this.evaluated["moving slopes"]) {
        const { has_slopes, corrections } = this.told.at;
        const fine = this.at("moving slopes", x)[this.n] === 1;
        const counts = this.wholes(this.modelAt, this.told.model.length);
        for (const place of [has_slopes, corrections]) counts[place] = fine ? this.told.model[place] : 0;
      }
      return this.modelAt;
    }

    async motion(asked, pause = null) {
      this.engine.dalembert_give_back(this.base);
      const { start, end } = asked;
      const { y, begun } = this.started(asked);
      if (begun) return { status: begun, t: start, states: this.reals(y, this.size).slice(), times: [], events: [] };
      const first = this.reals(y, this.size).slice();
      const model = this.chosen(this.state(start, first, 0, asked.parameters));
      const sizing = model === this.modelAt ? this.startAt : model; // it has the values of kinks, whose branches are not chosen yet
      const [handle, sizes] = [model, sizing].map((at) => this.engine.dalembert_motion(this.take(this.engine.dalembert_memory(at)), at));
      const natural = this.take(8 * this.size);
      const wrong = this.engine.dalembert_natural(sizes, start, y, end - start, natural);
      if (wrong) return { status: wrong, t: start, states: first, times: [], events: [] };
      this.set(handle, asked, y, natural);
      const desk = this.desk(asked.times);
      const status = await this.run(handle, desk, pause);
      return this.found(handle, desk, status, asked);
    }

    set(handle, { start, end, tolerance, stepper = "auto", step = null }, y, natural) {
      const length = stepper === "gauss" ? (end - start) / Math.max(1, Math.round((end - start) / (step ?? (end - start) / GAUSS_STEPS))) : (step ?? end - start);
      const settings = this.room([start, end, tolerance, length, PATIENCE, 0]);
      this.wholes(settings + 40, 2).set([STEPPERS[stepper], stepper === "auto" ? 1 : 0]);
      this.engine.dalembert_set(handle, settings, y, natural);
    }

    /* Memory for samples and events, and for modes and forces if the model has contacts or kinks. */
    desk(times) {
      const { size, n } = this;
      const desk = { times: this.room(times), count: times.length, room: 256 };
      desk.samples = this.take(8 * size * times.length);
      desk.modes = this.touches ? this.take(4 * this.modes * times.length) : 0;
      desk.forces = this.touches || this.kinked ? this.take(8 * (n + this.acting) * times.length) : 0;
      desk.at = this.take(4 * 14);
      this.eventful(desk);
      const { at, samples, modes, forces } = desk;
      this.wholes(at, 3).set([desk.times, samples, modes]);
      this.wholes(at, 14)[7] = desk.count;
      this.wholes(at, 14)[13] = forces;
      return desk;
    }

    /* Double the memory for events and keep those found so far. */
    eventful(desk) {
      const found = this.wholes(desk.at, 14)[11];
      const before = desk.events ? [desk.events, desk.before, desk.after] : null;
      desk.room *= 2;
      const sizes = [EVENT_BYTES, 8 * this.size, 8 * this.size];
      const places = sizes.map((bytes) => this.take(bytes * desk.room));
      const memory = new Uint8Array(this.memory.buffer);
      if (before) places.forEach((place, i) => memory.copyWithin(place, before[i], before[i] + sizes[i] * found));
      [desk.events, desk.before, desk.after] = places;
      this.wholes(desk.at, 14).set(places, 3);
      this.wholes(desk.at, 14)[8] = desk.room;
    }

    /* Run the motion to its end. `pause` is awaited at intervals and returns whether to continue. */
    async run(handle, desk, pause) {
      let last = performance.now();
      for (;;) {
        const status = this.engine.dalembert_run(handle, desk.at, CHUNK);
        if (status === NEED_ROOM) this.eventful(desk);
        else if (status !== CONTINUE) return status;
        if (performance.now() - last < BREATH) continue;
        if (pause && !(await pause(this.report(handle).t))) return "interrupted";
        last = performance.now();
      }
    }

    report(handle) {
      this.engine.dalembert_report(handle, this.reportAt);
      const [t] = this.reals(this.reportAt, 1);
      const [steps, evaluations] = this.wholes(this.reportAt + 32, 2);
      const [y, row, guard] = ["report_y", "report_row", "report_guard"].map((key) => this.wholes(this.reportAt + this.told.at[key], 1)[0]);
      return { t, steps, evaluations, y, row, guard };
    }

    found(handle, desk, status, { times, parameters }) {
      const { size, n } = this;
      const counts = this.wholes(desk.at, 14);
      const [sampled, many] = [counts[10], counts[11]];
      const { t, steps, evaluations, y, row: failed, guard } = this.report(handle);
      const states = this.reals(desk.samples, size * sampled).slice();
      const events = [];
      for (let e = 0; e < many; e++) {
        const [time, impulse, energy, side] = this.reals(desk.events + e * EVENT_BYTES, 4);
        const [kind, index] = this.wholes(desk.events + e * EVENT_BYTES + 32, 2);
        const row = (place) => this.reals(place + 8 * size * e, size).slice();
        events.push({ time, impulse, energy, side, kind: EVENTS[kind], index, before: row(desk.before), after: row(desk.after) });
      }
      events.sort((one, two) => one.time - two.time);
      const shown = times.slice(0, sampled);
      const told = status === FINISHED ? "finished" : status === STOPPED ? "stopped" : status;
      return {
        status: told, t, steps, evaluations, row: failed, guard, times: shown, states, events, end: this.reals(y, size).slice(),
        modes: this.touches ? this.wholes(desk.modes, this.modes * sampled).slice() : null,
        forces: desk.forces ? this.reals(desk.forces, (n + this.acting) * sampled).slice() : this.solved(handle, shown, states, parameters),
      };
    }

    /* Accelerations and multipliers at the samples of a smooth motion. */
    solved(handle, times, states, parameters) {
      const width = this.n + this.reactions;
      const rows = new Float64Array(width * times.length);
      const [a, nu, ranks] = [8 * this.n, 8 * this.reactions, 12].map((bytes) => this.take(bytes));
      times.forEach((t, i) => {
        this.reals(this.x, this.inputs).set(this.state(t, states, i, parameters));
        this.engine.dalembert_solve(handle, this.x, a, nu, ranks);
        rows.set(this.reals(a, this.n), i * width);
        rows.set(this.reals(nu, this.reactions), i * width + this.n);
      });
      return rows;
    }
  }

  /* The question for a motion: settings { name: value } in the units of the sliders replace the model's own values. */
  function asked(told, model, settings, times, end) {
    const { controls, parameters, coordinates } = told;
    const set = controls.map(({ name, factor = 1, offset = 0 }) => (Object.hasOwn(settings, name) ? factor * settings[name] + offset : 0));
    const found = model.at("values", Float64Array.from([...set, ...controls.map(({ name }) => (Object.hasOwn(settings, name) ? 1 : 0))])).slice();
    const [s, p, n] = [told.counts.states, parameters.length, coordinates.length];
    const given = told.given.map((one, i) => (one || Object.hasOwn(settings, `${coordinates[i]}'`) ? 1 : 0));
    return { ...told.settings, parameters: found.slice(s, p), s: found.slice(0, s), q: found.slice(p, p + n), v: found.slice(p + n), given, times, end };
  }

  /* Plain data whose objects inherit nothing: a name of a model may be "constructor". */
  const bare = (data) => JSON.parse(JSON.stringify(data), (_, value) => (value && typeof value === "object" && !Array.isArray(value) ? Object.assign(Object.create(null), value) : value));

  /* `engine` is the engine's module as text (gzip, base64), `told` what Python wrote of a model. */
  async function carry(engine, told) {
    const made = await WebAssembly.instantiate(await unzipped(engine), {});
    const { exports } = made.instance;
    exports._initialize?.();
    const model = await WebAssembly.instantiate(await unzipped(told.module), { env: { memory: exports.memory }, math: Math });
    return new Carried(exports, model.instance.exports, told);
  }

  Object.assign(da, { carry, asked, bare });
})(globalThis);
