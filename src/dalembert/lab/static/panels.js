// The panels of a model: equations with their derivation, comparison of methods, analysis.

import { $, announce, h, mathematics, pretty, short } from "./dom.js";
import { Asking } from "./asking.js";
import { blob } from "./server.js";

const line = (label, math, kind = "") => h("div", { className: `line ${kind}` }, label ? h("span", { className: "label" }, label) : null, h("div", { className: "math", tabIndex: 0 }, ...math.map(mathematics)));

export function equations(lab) {
  const method = h("select", { id: "equations-method", onchange: () => { lab.choices.equations = method.value; ask(); lab.remember(); } });
  const copy = h("button", { type: "button", onclick: async () => {
    try {
      const written = await blob("/api/file", { text: lab.text, kind: "tex", method: method.value });
      await navigator.clipboard.writeText(await written.text());
      copy.textContent = "Copied";
      announce("The equations are copied as LaTeX.");
    } catch (error) {
      copy.textContent = "Not copied";
      announce(error.message);
    }
    setTimeout(() => { copy.textContent = "Copy LaTeX"; }, 2000);
  } }, "Copy LaTeX");
  const all = h("button", { type: "button", onclick: () => unfold() }, "Unfold every step");
  const data = () => lab.model && { text: lab.text, method: method.value };
  const panel = new Asking($("panel-equations"), {
    task: "derive",
    bar: [h("label", {}, "by ", method), copy],
    data,
    said: (result) => `Equations by ${result.method}.`,
    draw: (result) => [
      ...result.sections.map((section) => h("section", {}, h("h3", {}, section.title), ...section.lines.map((row) => line(row.label, row.math)))),
      ...result.notes.map((note) => h("p", { className: "note" }, note)),
    ],
  });
  const steps = new Asking($("panel-equations"), { // takes longer, because formulas are simplified
    task: "steps",
    bar: [h("h3", { className: "grow" }, "Derivation, step by step"), all],
    data,
    said: (result) => `Derivation by ${result.method}, ${result.steps.length} steps.`,
    draw: (result) => [h("ol", { className: "steps" }, ...result.steps.map(step))],
  });
  const ask = () => { panel.ask(); steps.ask(); };
  const unfold = () => {
    const folded = [...$("panel-equations").querySelectorAll("details")];
    const open = folded.some((one) => !one.open);
    for (const one of folded) one.open = open;
    all.textContent = open ? "Fold every step" : "Unfold every step";
  };
  return {
    ask,
    offer(model) {
      method.replaceChildren(...model.methods.map((name) => h("option", { value: name }, name)));
      method.value = model.methods.includes(lab.choices.equations) ? lab.choices.equations : model.method;
    },
  };
}

function step(one) {
  return h("li", {}, h("details", {},
    h("summary", {}, one.title, one.locator ? h("span", { className: "locator" }, one.locator) : null),
    one.why ? h("p", {}, one.why) : null, one.law.length ? line("", one.law, "law") : null, ...one.results.map((math) => line("", math)), one.note ? h("p", { className: "note" }, one.note) : null,
    ...one.errata.map((erratum) => h("p", { className: "erratum" }, erratum))));
}

export function comparison(lab) {
  const panel = new Asking($("panel-compare"), {
    task: "compare",
    bar: [h("p", { className: "faint" }, "The same state and motion by every method that applies: which methods agree, and where models of constraint differ.")],
    data: () => lab.model && { text: lab.text, settings: lab.runs[0].settings, until: lab.until ?? undefined },
    said: (result) => `${result.groups.length === 1 ? "All methods agree" : `${result.groups.length} groups of methods`}.`,
    draw: (result) => [table(lab, result), ...result.notes.map((note) => h("p", { className: "note" }, note))],
  });
  return { ask: () => panel.ask(), offer() {} };
}

function table(lab, result) {
  const group = (name) => result.groups.findIndex((members) => members.includes(name));
  const rows = Object.entries(result.methods).sort(([a], [b]) => (group(a) + 1 || 99) - (group(b) + 1 || 99));
  const head = ["Method", "Model of constraint", "Agreement", "Δ q̈", "Δ forces", "Δ motion", ""];
  const small = (value) => h("td", { className: "number" }, short(value, 2));
  return h("div", { className: "wide", tabIndex: 0, role: "region", "aria-label": "Comparison of methods" }, h("table", { className: "compare" },
    h("caption", {}, `From t = ${short(result.start)} to ${short(result.until)}; reference ${result.reference}; largest difference among those that agree ${short(result.largest_difference, 2)}.`),
    h("thead", {}, h("tr", {}, ...head.map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, ...rows.map(([name, answer]) => {
      const place = group(name);
      const agrees = place < 0 ? "no answer" : place === 0 ? (name === result.reference ? "reference" : "agrees") : `differs (${"BCDEFG"[place - 1] ?? place})`;
      const difference = answer.difference ?? {};
      return h("tr", { className: place === 0 ? "" : "apart" }, h("th", { scope: "row" }, name), h("td", {}, answer.model),
        h("td", {}, h("span", { className: `badge group-${Math.max(place, -1)}` }, agrees), answer.error ? h("p", { className: "faint small" }, answer.error) : null),
        small(difference.accelerations), small(difference.control_forces), small(difference.coordinates),
        h("td", {}, name === result.reference || place < 0 ? null : h("button", { type: "button", className: "small", "aria-label": `Show ${result.reference} and ${name} side by side`, onclick: () => lab.beside(result.reference, name) }, "side by side")));
    }))));
}

export function analysis(lab) {
  const go = h("button", { type: "button", className: "main", onclick: () => panel.ask() }, "Analyze");
  const panel = new Asking($("panel-analyze"), {
    task: "analyze",
    bar: [h("p", { className: "faint grow" }, "The properties of the system apart from its motion. This takes up to half a minute."), go],
    data: () => lab.model && { text: lab.text, settings: lab.runs[0].settings },
    said: (result) => `Analysis, ${result.parts.length} parts.`,
    draw: (result) => result.parts.map((part) => h("section", {}, h("h3", {}, part.title), ...part.blocks.map(block),
      ...part.notes.map((note) => h("p", { className: "note" }, note)), part.source ? h("p", { className: "faint small" }, part.source) : null)),
  });
  return { ask() {}, offer() {} };
}

function block(one) {
  if (one.kind === "sentence") return h("p", {}, one.text);
  if (one.kind === "heading") return h("h4", {}, one.text);
  if (one.kind === "formula") return line(one.label, one.math);
  return h("div", { className: "wide", tabIndex: 0, role: "region", "aria-label": "Table" }, h("table", {}, h("thead", {}, h("tr", {}, ...one.head.map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, ...one.rows.map((row) => h("tr", {}, ...row.map((cell, i) => (i ? h("td", { className: "number" }, cell) : h("th", { scope: "row" }, pretty(cell)))))))));
}
