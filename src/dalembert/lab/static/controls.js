// Sliders for parameters, initial values and speeds, each with a number box.

import { h, own, pretty, short, unit } from "./dom.js";

const GROUPS = [["parameter", "Parameters"], ["initial", "Initial values"], ["speed", "Initial speeds"]];
const { lattice } = globalThis.dalembert; // the animated page has the same sliders

const plain = (value) => Number(value.toPrecision(12));

export class Controls {
  /** `changed(name, value)` is called with null for the model's own value. */
  constructor(place, changed) {
    this.place = place;
    this.changed = changed;
    this.rows = new Map();
    this.folded = {};
  }

  /** `values` are those of the motion on screen, by name, or null; `other` are the settings of another run. */
  show(controls, settings, values = null, other = null) {
    const names = controls.map((control) => JSON.stringify(control)).join();
    if (names !== this.shown) {
      this.shown = names;
      this.rows.clear();
      const groups = GROUPS.map(([kind, title]) => [kind, title, controls.filter((control) => control.kind === kind)]);
      this.place.replaceChildren(...groups.filter(([, , some]) => some.length).map(([kind, title, some]) => this.#group(kind, title, some)));
    }
    this.set(settings, values, other);
  }

  set(settings, values = null, other = null) {
    for (const row of this.rows.values()) {
      const { name } = row.control;
      row.set(own(settings, name), values ? own(values, name) : undefined);
      row.element.classList.toggle("differs", other !== null && own(settings, name) !== own(other, name));
    }
  }

  #group(kind, title, controls) {
    const open = this.folded[kind] ?? (kind !== "speed" || controls.some((control) => control.value));
    const rows = controls.map((control) => this.#row(control));
    return h("details", { className: "group", open, ontoggle: (event) => { this.folded[kind] = event.target.open; } },
      h("summary", {}, title, h("span", { className: "faint count" }, ` ${controls.length}`)), h("div", { className: "rows" }, ...rows));
  }

  #row(control) {
    const row = new Row(control, this.changed);
    this.rows.set(control.name, row);
    return row.element;
  }
}

class Row {
  constructor(control, changed) {
    this.control = control;
    const label = control.about ? `${control.name}, ${control.about}` : control.name;
    const id = `value-${control.name.replace("'", "-rate")}`;
    const ends = lattice(control);
    this.step = ends.step;
    this.range = h("input", {
      type: "range", id, ...ends, "aria-label": label, oninput: () => changed(control.name, this.#slid()),
    });
    this.box = h("input", {
      type: "number", step: "any", className: "box", "aria-label": `${label}, as a number`,
      placeholder: control.value === null ? "free" : "", inputMode: "decimal",
      onchange: () => this.#typed(changed),
    });
    this.undo = h("button", {
      type: "button", className: "undo", title: "As in the model", "aria-label": `${control.name} as in the model`,
      onclick: () => changed(control.name, null),
    }, "↺");
    const said = h("label", { htmlFor: id, title: [control.name, control.about].filter(Boolean).join(": ") },
      h("span", { className: "name" }, pretty(control.name)), control.unit ? h("span", { className: "faint" }, ` ${unit(control.unit)}`) : null);
    this.element = h("div", { className: "row" }, said, this.range, this.box, this.undo);
  }

  #typed(changed) {
    const value = this.box.value.trim() === "" ? null : Number(this.box.value);
    changed(this.control.name, value === null || Number.isFinite(value) ? value : null);
  }

  /** The round number at the slider's position, or the model's own value if that is the nearest. */
  #slid() {
    const value = plain(Number(this.range.value));
    const own = this.control.value;
    return own !== null && this.step !== "any" && Math.abs(value - own) < this.step / 2 ? own : value;
  }

  /** `used` is the value of the motion on screen. If it was not set, it follows parameters or was solved for. */
  set(setting, used) {
    const value = setting ?? used ?? this.control.value;
    const free = setting === undefined && this.control.value === null;
    if (value !== null) {
      if (value < Number(this.range.min)) this.range.min = plain(Math.floor(value / (this.step || 1)) * (this.step || 1)) || value;
      if (value > Number(this.range.max)) this.range.max = value;
    }
    this.range.value = value ?? 0;
    const shown = free || value === null ? "" : globalThis.dalembert.boxed(value);
    if (document.activeElement !== this.box || Number(this.box.value) !== value) this.box.value = shown;
    if (this.control.value === null) this.box.placeholder = free && used !== undefined ? short(used, 4) : "free";
    const corrected = setting !== undefined && used !== undefined && Math.abs(used - setting) > 1e-6 * Math.max(1e-3, Math.abs(setting));
    this.element.classList.toggle("corrected", corrected);
    this.box.title = corrected ? `set to ${short(setting, 6)}; the constraints make it ${short(used, 6)}` : free ? "free: solved from the constraints" : "";
    this.range.setAttribute("aria-valuetext", value === null ? "free" : `${short(value)} ${this.control.unit}`.trim());
    this.element.classList.toggle("changed", setting !== undefined);
    this.undo.disabled = setting === undefined;
  }
}
