/* A page that computes motions and scenes from settings, in the browser alone.

   const computing = await dalembert.Computing.of(engine, told, scene, player);
   computing.set(settings), computing.mounted(the player's inside): adds sliders. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const TEXTS = {
    title: "Laboratory", all: "As in the model",
    computed: (steps, time) => `Computed on this page: ${steps} steps in ${time} ms.`,
    ended: (t) => `The motion ends at t = ${t}.`,
    failed: (t, why) => `The motion cannot be followed beyond t = ${t}: ${why}.`,
    partly: "Reactions that need a solution of their own at every instant are drawn in the recorded motion only.",
    reasons: {
      1: "the masses or constraints are singular; set other values", 2: "the constraints contradict each other; set other values", 3: "a number is not finite; set other values", 4: "the equations contradict the constraints; give these reactions that fit",
      5: "the step became too small; loosen the model's tolerance", 6: "the constraints could not be kept; set other values", 8: "it grows beyond all bounds; check the signs and sizes of the forces", 9: "a step cannot be solved; give the model a smaller step",
      14: "a mass becomes negative; keep it positive", 20: "constraints and contacts contradict each other; remove one of them", 21: "an impact would gain energy; use the law poisson or a smaller restitution", 22: "no state of the contacts is possible; lower the friction",
      23: "several states of the contacts are possible; lower the friction", 24: "the forces of the contacts could not be found; use fewer with friction", 25: "a friction can no longer hold its rates; raise its coefficient", 26: "the contacts change again and again without time advancing; loosen the model's tolerance",
      27: "a friction breaks its own law; tighten the model's tolerance", 30: "no position near the given one satisfies the constraints; start elsewhere", 31: "no speeds satisfy the constraints; set other speeds",
      32: "a contact overlaps at the start; start outside of it", 33: "a contact repeats a constraint; remove one of them",
    },
    other: "the mathematics fails there; simulate the model in Python, which says why",
  };
  const ROW_TURNS = 15, STUCK = 26, KINK_STUCK = 43; // status.hpp
  const LEAST = 400, MOST = 4000; // instants of a scene
  const TURN = 0.8; // radians between instants; larger turns need more instants

  class Computing {
    static async of(engine, told, scene, player) {
      const known = da.bare(told);
      return new Computing(await da.carry(engine, known), known, da.opened(scene), player);
    }

    constructor(model, told, base, player) {
      Object.assign(this, { model, told, player });
      this.start = told.settings.start;
      this.wanted = 0;
      this.renew(base);
    }

    /* Take another scene of the same model as the base, with the settings of its motion. */
    renew(base, settings = {}) {
      Object.assign(this, { base, settings: { ...settings }, last: null });
      this.end = base.end;
      this.instants = Math.min(MOST, Math.max(LEAST, base.times.length));
    }

    /* Sliders and a status line, below the stage of a player. */
    mounted({ stage, options }) {
      const parent = da.element("section", "da-lab", stage.parentElement);
      stage.parentElement.classList.add("da-computes");
      const head = da.element("div", "da-labhead", parent);
      da.element(`h${options.heading + 1}`, "da-under", head, TEXTS.title);
      da.button("da-chip", TEXTS.all, TEXTS.all, head, () => this.set({}));
      this.live = new da.Live(this);
      this.live.buttons(head);
      this.line = da.element("p", "da-spoken", parent);
      this.line.setAttribute("role", "status");
      const rows = da.element("div", "da-groups", parent);
      this.sliders = new da.Sliders(rows, this.told.controls, (name, value) => {
        const { [name]: _, ...others } = this.settings;
        this.set(value === null ? others : { ...others, [name]: value });
      });
      this.sliders.show({}, this.used(this.model.consistent(da.asked(this.told, this.model, {}, [], this.end))));
      return this;
    }

    /* Values by the names of the sliders, in their units. */
    used({ s, parameters, q, v }) {
      const { told } = this;
      const names = [...told.parameters, ...told.coordinates, ...told.coordinates.map((name) => `${name}'`)];
      const all = new Map([...s, ...parameters, ...q, ...v].map((value, i) => [names[i], value]));
      return Object.fromEntries(told.controls.map(({ name, factor = 1, offset = 0 }) => [name, (all.get(name) - offset) / factor]));
    }

    /* Take settings that were found on the stage. The lab replaces this. */
    choose(settings) {
      this.set(settings);
    }

    /* Compute the motion for other settings. While one is computed, only the newest request waits. */
    async set(settings) {
      this.settings = { ...settings };
      if (this.live?.going) { // the live motion continues with them
        this.sliders?.show(settings, this.values);
        return;
      }
      const own = ++this.wanted;
      if (this.busy) return;
      this.busy = true;
      try {
        let shown = 0;
        while (shown !== this.wanted) {
          shown = this.wanted;
          await this.show(this.settings, () => shown === this.wanted || this.late());
        }
      } finally {
        this.busy = false;
      }
      return own;
    }

    /* Whether less than a second has passed. A motion that takes longer is shown as far as it is computed. */
    late() {
      return performance.now() - this.began < 1000;
    }

    async motion(settings, count, go) {
      const times = Float64Array.from({ length: count }, (_, i) => this.start + ((this.end - this.start) * i) / (count - 1));
      const asked = da.asked(this.told, this.model, settings, times, this.end);
      const breathe = async () => {
        await new Promise((resolve) => setTimeout(resolve));
        return go();
      };
      return { asked, motion: await this.model.motion(asked, breathe) };
    }

    async show(settings, go) {
      this.began = performance.now();
      let { asked, motion } = await this.motion(settings, this.instants, go);
      const took = performance.now() - this.began;
      if (!motion.times.length) {
        this.sliders?.show(settings, this.used(asked));
        this.tell(motion, took);
        return;
      }
      let scene = da.simulated(this.base, this.told, this.model, motion, asked);
      const turned = turns(scene);
      if (turned > TURN && this.instants < MOST) {
        this.instants = Math.min(MOST, Math.ceil((1.5 * this.instants * turned) / TURN));
        ({ asked, motion } = await this.motion(settings, this.instants, go));
        if (motion.times.length) scene = da.simulated(this.base, this.told, this.model, motion, asked);
      }
      const first = motion.states.subarray(0, this.model.size);
      this.values = this.used({ ...asked, q: first.subarray(0, this.model.n), v: first.subarray(this.model.n, 2 * this.model.n), s: first.subarray(2 * this.model.n) });
      this.sliders?.show(settings, this.values);
      this.player.update(scene);
      this.player.root.dataset.computed = (performance.now() - this.began).toFixed(1);
      this.last = { motion, asked, scene, took };
      this.tell(motion, took);
      this.shown?.(this);
    }

    /* A sentence why a motion ended early. */
    why({ status, t, row, guard }) {
      if (status === "finished" || status === "interrupted") return "";
      return status === "stopped" ? TEXTS.ended(da.told(t)) : TEXTS.failed(da.told(t), this.named(status, row, guard) || TEXTS.reasons[status] || TEXTS.other);
    }

    /* The sentences of kinks and singular constraints come with the model, and name them. */
    named(status, row, guard) {
      const { reasons, residuals, events, counts } = this.told;
      if (status === ROW_TURNS) return reasons[status].replace("{name}", residuals[row]?.[0] ?? "");
      const key = status === STUCK && !this.model.touches ? KINK_STUCK : status;
      if (!counts.kinks || !reasons[key]) return "";
      const which = guard - (counts.guards - counts.kinks);
      return reasons[key === KINK_STUCK && events.of_states[which] ? "states" : key].replace("{name}", events.kink[which] ?? events.kink.join(", "));
    }

    tell(motion, took) {
      const { steps } = motion;
      const told = this.why(motion);
      const lost = [...this.base.arrows, ...this.base.couples].some(({ parts }) => !parts?.length);
      this.said = [told, steps === undefined ? "" : TEXTS.computed(steps, took.toFixed(took < 10 ? 1 : 0)), lost ? TEXTS.partly : ""].filter(Boolean).join(" ");
      if (this.line) this.line.textContent = this.said;
    }
  }

  /* The largest turn of a body or drawing between two instants. */
  function turns(scene) {
    let least = 1;
    for (const { rotation } of [...scene.bodies, ...scene.drawings]) {
      const { rows, still } = rotation;
      for (let i = 4; !still && i < rows.length; i += 4) {
        const cosine = Math.abs(rows[i] * rows[i - 4] + rows[i + 1] * rows[i - 3] + rows[i + 2] * rows[i - 2] + rows[i + 3] * rows[i - 1]);
        if (cosine < least) least = cosine;
      }
    }
    return 2 * Math.acos(least);
  }

  Object.assign(da, { Computing });
})(globalThis);
