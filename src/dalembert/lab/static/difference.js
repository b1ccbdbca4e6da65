// Two runs: one quantity of both, and their difference, over the time that both cover.

import { $, h, pretty, short } from "./dom.js";
import { Plot } from "./plot.js";

const ALL = "the largest difference of all coordinates";

function doubles(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return new Float64Array(bytes.buffer);
}

export class Difference {
  constructor(changed) {
    this.select = $("quantity");
    this.select.addEventListener("change", () => { changed(this.select.value); this.#draw(); });
    const place = $("difference-plots");
    this.both = new Plot(place, "A and B");
    this.apart = new Plot(place, "B − A");
    this.wanted = "";
  }

  show(a, b) {
    $("difference").hidden = !(a && b);
    if (!a || !b) return;
    const unpack = (run) => ({ times: doubles(run.data.times), columns: new Map(Object.entries(run.data.columns).map(([name, packed]) => [name, doubles(packed)])), coordinates: run.data.coordinates });
    this.a = unpack(a);
    this.b = unpack(b);
    const shared = [...this.a.columns.keys()].filter((name) => this.b.columns.has(name));
    this.select.replaceChildren(h("option", { value: "" }, ALL), ...shared.map((name) => h("option", { value: name }, pretty(name))));
    this.select.value = shared.includes(this.wanted) ? this.wanted : "";
    this.#draw();
  }

  want(name) { this.wanted = name ?? ""; this.select.value = this.wanted; }

  at(time) { this.both.at(time); this.apart.at(time); }

  #draw() {
    this.wanted = this.select.value;
    const count = Math.min(this.a.times.length, this.b.times.length);
    const times = this.a.times.subarray(0, count);
    const difference = (name) => Float64Array.from({ length: count }, (_, i) => this.b.columns.get(name)[i] - this.a.columns.get(name)[i]);
    let values;
    if (this.wanted) {
      values = difference(this.wanted);
      this.both.draw(times, [{ values: this.a.columns.get(this.wanted).subarray(0, count), kind: "a" }, { values: this.b.columns.get(this.wanted).subarray(0, count), kind: "b" }]);
    } else {
      const all = this.a.coordinates.map(difference);
      values = Float64Array.from({ length: count }, (_, i) => all.reduce((most, row) => Math.max(most, Math.abs(row[i])), 0));
    }
    this.both.root.parentElement.hidden = !this.wanted;
    this.apart.root.previousElementSibling.textContent = this.wanted ? "B − A" : "largest |B − A| of all coordinates";
    this.apart.draw(times, [{ values, kind: "d" }]);
    let most = 0, when = times[0];
    values.forEach((value, i) => { if (Math.abs(value) > most) { most = Math.abs(value); when = times[i]; } });
    $("apart").textContent = most === 0 ? "none at all" : `at most ${short(most, 3)}, at t = ${short(when, 4)}`;
  }
}
