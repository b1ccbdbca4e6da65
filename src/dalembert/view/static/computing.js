/* A page that computes: settings become motions, motions become scenes, on this machine alone.

   const computing = await dalembert.Computing.of(engine, told, scene, player);
   computing.set(settings), computing.mounted(the player's inside): with sliders of its own. */
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
      1: "the masses or constraints are singular", 2: "the constraints contradict each other", 3: "a number has no value", 4: "the constraints are too many",
      5: "the step became too small for the tolerance", 6: "the constraints could not be kept", 8: "it grows beyond all bounds", 9: "a step cannot be solved",
      14: "a mass becomes negative", 20: "constraints and contacts contradict each other", 21: "an impact would gain energy", 22: "no state of the contacts fits",
      23: "several states of the contacts fit", 24: "the contacts cannot be decided", 25: "a held contact breaks", 26: "the contacts keep changing without time going on",
      27: "a friction breaks its own law", 30: "no position near the given one satisfies the constraints", 31: "no speeds satisfy the constraints",
      32: "a contact overlaps at the start", 33: "a contact repeats a constraint",
    },
    other: "the mathematics fails there",
  };
  const LEAST = 400, MOST = 4000; // instants of a scene
  const TURN = 0.8; // radians from one instant to the next, beyond which there must be more of them

  class Computing {
    static async of(engine, told, scene, player) {
      const known = da.bare(told);
      return new Computing(await da.carry(engine, known), known, da.opened(scene), player);
    }

    constructor(model, told, base, player) {
      Object.assign(this, { model, told, player, settings: {} });
      this.start = told.settings.start;
      this.wanted = 0;
      this.renew(base);
    }

    /* Another scene of the same model, that says what is drawn and when it ends. */
    renew(base) {
      this.base = base;
      this.end = base.end;
      this.instants = Math.min(MOST, Math.max(LEAST, base.times.length));
    }

    /* Sliders and a line that says what was done, below the stage of a player. */
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
      this.sliders.show({}, this.used(da.asked(this.told, this.model, {}, [], this.end)));
      return this;
    }

    /* Values by the names of the sliders, in their units. */
    used({ parameters, q, v }) {
      const all = [...parameters, ...q, ...v];
      return Object.fromEntries(this.told.controls.map(({ name, factor = 1, offset = 0 }, i) => [name, (all[i] - offset) / factor]));
    }

    /* Other settings: the motion follows. While one is computed only the newest waits. */
    async set(settings) {
      this.settings = { ...settings };
      if (this.live?.going) { // the motion goes on with them
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

    /* A motion that takes long is shown as far as it came, at least every second. */
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
      this.values = this.used({ ...asked, q: first.subarray(0, this.model.n), v: first.subarray(this.model.n) });
      this.sliders?.show(settings, this.values);
      this.player.update(scene);
      this.player.root.dataset.computed = (performance.now() - this.began).toFixed(1);
      this.last = { motion, asked, scene, took };
      this.tell(motion, took);
      this.shown?.(this);
    }

    /* Why a motion ended before its end, in a sentence. */
    why({ status, t }) {
      if (status === "finished" || status === "interrupted") return "";
      return status === "stopped" ? TEXTS.ended(da.told(t)) : TEXTS.failed(da.told(t), TEXTS.reasons[status] || TEXTS.other);
    }

    tell(motion, took) {
      const { steps } = motion;
      const told = this.why(motion);
      const lost = [...this.base.arrows, ...this.base.couples].some(({ parts }) => !parts?.length);
      this.said = [told, steps === undefined ? "" : TEXTS.computed(steps, took.toFixed(took < 10 ? 1 : 0)), lost ? TEXTS.partly : ""].filter(Boolean).join(" ");
      if (this.line) this.line.textContent = this.said;
    }
  }

  /* The largest angle that a body or drawing turns by from one instant to the next. */
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
