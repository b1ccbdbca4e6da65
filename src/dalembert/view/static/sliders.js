/* Sliders for parameters, initial values and speeds, each with a number box, a reset and a sweep. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const TEXTS = {
    parameter: "Parameters", initial: "Initial values", speed: "Initial speeds", free: "free", asNumber: "as a number",
    back: (name) => `${name} as in the model`, sweep: (name) => `Sweep ${name} to and fro`, stop: (name) => `Stop sweeping ${name}`,
  };
  const STEPS = 200; // of a slider, at least
  const LETTERS = 9; // of a number box
  const SWEEP = 6; // seconds from one end to the other

  const plain = (value) => Number(value.toPrecision(12));

  /* A value for a number box: six digits, or fewer if the box would cut them off. */
  const boxed = (value) => {
    const ways = [6, 5, 4, 3].map((digits) => plain(Number(value.toPrecision(digits))));
    return ways.find((way) => String(way).length <= LETTERS) ?? ways.at(-1);
  };

  /* 1, 2 or 5 times a power of ten, at most the value. */
  function round(value) {
    const power = 10 ** Math.floor(Math.log10(value));
    return ([5, 2, 1].find((digit) => digit * power <= value * (1 + 1e-9)) ?? 1) * power;
  }

  /* Round ends and a round step of a slider, so that it stops at round numbers. */
  function lattice({ min, max, value }) {
    if (!(max > min)) return { min, max, step: "any" };
    let step = round((max - min) / STEPS);
    for (const finer of [step, round(step / 2), round(step / 5), round(step / 10)])
      if (value !== null && Math.abs(value / finer - Math.round(value / finer)) < 1e-9) { step = finer; break; }
    return { min: plain(Math.floor(min / step + 1e-9) * step), max: plain(Math.ceil(max / step - 1e-9) * step), step: plain(step) };
  }

  class Sliders {
    /* `changed(name, value)` is called with null for the model's own value. */
    constructor(parent, controls, changed) {
      this.changed = changed;
      this.rows = new Map();
      for (const kind of ["parameter", "initial", "speed"]) {
        const some = controls.filter((control) => control.kind === kind);
        if (!some.length) continue;
        const group = da.element("fieldset", "da-group", parent);
        da.element("legend", "", group, TEXTS[kind]);
        for (const control of some) this.rows.set(control.name, this.row(control, group));
      }
    }

    row(control, parent) {
      const { name, about, unit } = control;
      const label = about ? `${name}, ${about}` : name;
      const line = da.element("div", "da-slider", parent);
      const said = da.element("span", "da-said", line, name);
      said.title = [label, unit].filter(Boolean).join(" · "); // a long name is cut
      if (unit) da.element("span", "da-unit", said, ` ${unit}`);
      const range = da.element("input", "", line);
      Object.assign(range, { type: "range", ...lattice(control) });
      range.setAttribute("aria-label", label);
      range.addEventListener("input", () => this.changed(name, this.slid(name)));
      const box = da.element("input", "da-number", line);
      Object.assign(box, { type: "number", step: "any", placeholder: control.value === null ? TEXTS.free : "" });
      box.setAttribute("aria-label", `${label}, ${TEXTS.asNumber}`);
      box.addEventListener("change", () => this.changed(name, box.value.trim() === "" || !Number.isFinite(Number(box.value)) ? null : Number(box.value)));
      const sweep = da.button("da-small", TEXTS.sweep(name), "⇄", line, () => this.sweep(name));
      sweep.setAttribute("aria-pressed", "false");
      const back = da.button("da-small", TEXTS.back(name), "↺", line, () => this.changed(name, null));
      return { control, line, range, box, sweep, back };
    }

    /* The round number at a slider's position, or the model's own value if that is the nearest. */
    slid(name) {
      const { range, control } = this.rows.get(name);
      const value = plain(Number(range.value));
      const near = control.value !== null && range.step !== "any" && Math.abs(value - control.value) < Number(range.step) / 2;
      return near ? control.value : value;
    }

    /* `used` has the values of the motion on screen: set, computed from parameters, or solved for. */
    show(settings, used) {
      for (const [name, row] of this.rows) {
        const { control, range, box, line, back } = row;
        const set = Object.hasOwn(settings, name) ? settings[name] : undefined;
        const value = set ?? used?.[name] ?? control.value ?? 0;
        const focused = document.activeElement === range || document.activeElement === box;
        const told = focused ? "" : `${set} ${value} ${used === undefined}`; // what is being typed or dragged is looked at again
        if (told && told === row.told) continue;
        row.told = told;
        if (value < Number(range.min)) range.min = value;
        if (value > Number(range.max)) range.max = value;
        if (document.activeElement !== range) range.value = value;
        const free = set === undefined && control.value === null;
        if (document.activeElement !== box) box.value = free ? "" : boxed(value);
        if (control.value === null) box.placeholder = used && free ? da.told(used[name]) : TEXTS.free;
        range.setAttribute("aria-valuetext", `${da.told(value)} ${control.unit}`.trim());
        line.classList.toggle("da-changed", set !== undefined);
        back.disabled = set === undefined;
      }
    }

    /* Sweep from end to end and back, until the button is pressed again. */
    sweep(name) {
      const row = this.rows.get(name);
      const on = row.sweep.getAttribute("aria-pressed") === "true";
      const told = (pressed) => {
        row.sweep.setAttribute("aria-pressed", String(pressed));
        row.sweep.title = pressed ? TEXTS.stop(name) : TEXTS.sweep(name);
        row.sweep.setAttribute("aria-label", row.sweep.title);
      };
      told(!on);
      if (on) return;
      const [min, max] = [Number(row.range.min), Number(row.range.max)];
      const span = max - min;
      let way = 1;
      let at = Number(row.range.value);
      let last = null;
      const frame = (stamp) => {
        if (row.sweep.getAttribute("aria-pressed") !== "true" || !row.line.isConnected) return;
        if (last !== null) {
          at += (way * span * Math.min(0.1, (stamp - last) / 1000)) / SWEEP;
          if (at >= max || at <= min) [at, way] = [Math.min(max, Math.max(min, at)), at >= max ? -1 : 1];
          row.range.value = at;
          this.changed(name, plain(Number(row.range.value)));
        }
        last = stamp;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    }
  }

  Object.assign(da, { Sliders, lattice, boxed });
})(globalThis);
