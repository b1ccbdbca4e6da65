// Sliders for parameters, initial values and speeds, each with a box for the number itself.

import { h, pretty, short, unit } from "./dom.js";

const GROUPS = [["parameter", "Parameters"], ["initial", "Initial values"], ["speed", "Initial speeds"]];
const STEPS = 500; // of a slider

export class Controls {
  /** `changed(name, value)`: value null means what the model states. */
  constructor(place, changed) {
    this.place = place;
    this.changed = changed;
    this.rows = new Map();
    this.folded = {};
  }

  show(controls, settings) {
    const names = controls.map((control) => JSON.stringify(control)).join();
    if (names !== this.shown) {
      this.shown = names;
      this.rows.clear();
      const groups = GROUPS.map(([kind, title]) => [kind, title, controls.filter((control) => control.kind === kind)]);
      this.place.replaceChildren(...groups.filter(([, , some]) => some.length).map(([kind, title, some]) => this.#group(kind, title, some)));
    }
    this.set(settings);
  }

  set(settings) {
    for (const row of this.rows.values()) row.set(settings[row.control.name]);
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
    this.range = h("input", {
      type: "range", id, min: control.min, max: control.max, step: (control.max - control.min) / STEPS || "any",
      "aria-label": label, oninput: () => changed(control.name, Number(this.range.value)),
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

  set(setting) {
    const value = setting ?? this.control.value;
    if (value !== null) {
      if (value < Number(this.range.min)) this.range.min = value;
      if (value > Number(this.range.max)) this.range.max = value;
    }
    this.range.value = value ?? 0;
    if (document.activeElement !== this.box || Number(this.box.value) !== value) this.box.value = value === null ? "" : Number(value.toPrecision(6));
    this.range.setAttribute("aria-valuetext", value === null ? "free" : `${short(value)} ${this.control.unit}`.trim());
    this.element.classList.toggle("changed", setting !== undefined);
    this.undo.disabled = setting === undefined;
  }
}
