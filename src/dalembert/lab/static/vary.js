// A quantity over a range: the root locus, or a sweep of motions over one or two. Picture, table, files.

import { $, announce, h, pretty, short } from "./dom.js";
import { Asking } from "./asking.js";
import { save } from "./files.js";

const COUNT = { locus: 61, one: 61, two: 21 };
const EXAMPLES = "final, max, min, crossing … = 0, events, drift, growth, or any record of dalembert sweep; several with commas";

/** The choice of one quantity and its range. `none` is the label for leaving it out. */
class Range {
  constructor(label, none, changed) {
    this.none = none;
    this.name = h("select", { "aria-label": label, onchange: () => { this.#fill(); changed(); } });
    const end = (words) => h("input", { type: "number", step: "any", inputmode: "decimal", "aria-label": `${label}: ${words}` });
    [this.from, this.to, this.count] = [end("from"), end("to"), end("how many values")];
    Object.assign(this.count, { step: 1, min: 2 });
    this.rest = h("span", { className: "bar" }, h("label", {}, "from ", this.from), h("label", {}, "to ", this.to), h("label", {}, "values ", this.count));
    this.element = h("div", { className: "bar" }, h("label", {}, label, " ", this.name), this.rest);
  }

  offer(controls, wanted) {
    const chosen = this.name.value;
    this.controls = controls;
    this.name.replaceChildren(...(this.none ? [h("option", { value: "" }, "nothing else")] : []), ...controls.map((one) => h("option", { value: one.name }, pretty(one.name))));
    const known = (name) => controls.some((one) => one.name === name);
    this.name.value = known(chosen) ? chosen : this.none ? "" : known(wanted) ? wanted : controls[0]?.name ?? "";
    if (this.name.value !== chosen || this.from.value === "") this.#fill();
  }

  #fill() {
    const one = this.controls.find((control) => control.name === this.name.value);
    this.rest.hidden = !one;
    if (!one) return;
    this.from.value = short(one.min).replace("−", "-");
    this.to.value = short(one.max).replace("−", "-");
    this.count.value = this.none ? COUNT.two : COUNT.one;
  }

  get value() {
    if (!this.name.value) return null;
    return { name: this.name.value, from: Number(this.from.value), to: Number(this.to.value), count: Number(this.count.value) };
  }
}

export function varying(lab) {
  let study = "locus";
  const first = new Range("over", false, () => {});
  const second = new Range("and over", true, () => { if (second.value && first.count.value === String(COUNT.one)) first.count.value = COUNT.two; });
  const steady = h("input", { type: "checkbox", id: "steady" });
  const records = h("input", { type: "text", id: "records", size: 24, autocomplete: "off", title: EXAMPLES, "aria-describedby": "records-help" });
  const ask = (wanted) => { study = wanted; panel.asked = null; panel.ask(); };
  const place = $("panel-vary");
  place.append(first.element, second.element,
    h("div", { className: "bar" },
      h("button", { type: "button", className: "main", id: "ask-locus", onclick: () => ask("locus") }, "Root locus"),
      h("label", {}, steady, " of steady motions")),
    h("div", { className: "bar" },
      h("button", { type: "button", className: "main", id: "ask-sweep", onclick: () => ask("sweep") }, "Sweep"),
      h("label", { className: "grow" }, "of ", records)),
    h("p", { id: "records-help", className: "faint small" }, EXAMPLES));
  const panel = new Asking(place, {
    task: "vary",
    data: () => lab.model && first.value && {
      text: lab.text, study, settings: lab.runs[0].settings, method: lab.runs[0].method ?? undefined,
      vary: [first.value, ...(study === "sweep" && second.value ? [second.value] : [])],
      ...(study === "locus" ? { steady: steady.checked } : { until: lab.until ?? undefined, records: records.value.split(/,(?![^(]*\))/).map((one) => one.trim()).filter(Boolean) }),
    },
    said: (result) => `${result.alt}.`,
    draw: (result) => drawn(lab, result, study),
  });
  return {
    ask() {},
    offer(model) {
      first.offer(model.controls, "v");
      second.offer(model.controls, "");
      const known = model.controls.find((control) => control.kind === "initial");
      if (records.value === "" || !model.controls.some((one) => records.value.includes(one.name))) records.value = known ? `final ${known.name}, max ${known.name}` : "final";
    },
  };
}

let shown = ""; // the picture's address, released when there is another

function drawn(lab, result, study) {
  URL.revokeObjectURL(shown);
  const picture = new Blob([result.svg], { type: "image/svg+xml" });
  shown = URL.createObjectURL(picture);
  const names = result.head.filter((name) => lab.model.controls.some((control) => control.name === name));
  const value = (row, name) => row[result.head.indexOf(name)];
  const cell = (value) => (typeof value === "string" ? value : short(value, 5));
  const at = (row) => names.map((name) => `${name} = ${cell(value(row, name))}`).join(", ");
  const set = (row) => {
    lab.set(Object.fromEntries(names.map((name) => [name, value(row, name)])));
    announce(`${at(row)}.`);
  };
  const file = (content, ending) => h("button", { type: "button", "data-kind": `${study}.${ending}`, onclick: () => save(content, `${lab.name}-${study}.${ending}`) }, ending.toUpperCase());
  return [
    h("div", { className: "bar" }, file(picture, "svg"), file(new Blob([result.csv], { type: "text/csv" }), "csv")),
    h("img", { className: names.length < 2 ? "varied lines" : "varied", src: shown, alt: result.alt, onload: ({ target }) => target.scrollIntoView({ block: "nearest" }) }), // it is below the buttons
    ...result.critical.map(([value, words, change]) => h("p", {}, h("b", {}, `${pretty(result.head[0])} = ${short(value, 6)}`), `: ${words} (${change})`)),
    ...result.sentences.map((sentence) => h("p", { className: "note" }, sentence)),
    h("div", { className: "wide", tabIndex: 0, role: "region", "aria-label": "Table" }, h("table", {},
      h("caption", {}, `${result.rows.length} of ${result.count} rows; the file has all of them.`),
      h("thead", {}, h("tr", {}, ...result.head.map((name) => h("th", { scope: "col" }, pretty(name))), h("td", {}))),
      h("tbody", {}, ...result.rows.map((row) => h("tr", {}, ...row.map((value, i) => h(i ? "td" : "th", i ? { className: "number" } : { scope: "row", className: "number" }, cell(value))),
        h("td", {}, h("button", { type: "button", className: "small", "aria-label": `Show the motion at ${at(row)}`, onclick: () => set(row) }, "show"))))))),
  ];
}
