// Files: downloads of the model and its motion, files opened from the disk, and the lab's folder.

import { $, announce, h } from "./dom.js";
import { drafts, drop } from "./drafts.js";
import { blob, get, hasFolder, limits, possible, post } from "./server.js";

const KINDS = [
  ["The motion as data", [["csv", "CSV"], ["json", "JSON"], ["nc", "netCDF"], ["parquet", "Parquet"]]],
  ["Pictures", [["png", "PNG"], ["svg", "SVG"]]],
  ["The motion as a page that plays offline", [["html", "HTML"]]],
  ["The motion as a film", [["gif", "GIF"], ["mp4", "MP4"]]],
  ["Equations and derivation", [["tex", "equations, LaTeX"], ["steps.tex", "derivation, LaTeX"], ["steps.html", "derivation, HTML"]]],
];

export function save(content, name) {
  const address = URL.createObjectURL(content);
  const link = h("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function files(lab) {
  const place = $("panel-files");
  const error = h("p", { className: "error", role: "alert", hidden: true });
  const told = h("p", { className: "faint", role: "status" });
  const samples = h("input", { type: "number", id: "samples", min: 2, max: limits.samples, value: 501, step: 1 });
  const attempt = (action) => async () => {
    error.hidden = true;
    try { await action(); } catch (problem) { error.textContent = problem.message; error.hidden = false; }
  };
  const download = (kind, named) => attempt(async () => {
    const name = `${lab.name}-${named}`;
    told.textContent = "Computing …";
    try {
      const content = await blob("/api/file", {
        text: lab.text, kind, method: lab.runs[0].method ?? undefined, settings: lab.runs[0].settings,
        until: lab.until ?? undefined, samples: kind.includes("tex") || kind === "steps.html" || kind === "toml" ? undefined : Number(samples.value),
      });
      save(content, name);
      told.textContent = `Downloaded ${name}.`;
      announce(told.textContent);
    } catch (problem) { told.textContent = ""; throw problem; }
  });
  const named = (kind) => ({ tex: "equations.tex", "steps.tex": "derivation.tex", "steps.html": "derivation.html" })[kind] ?? `motion.${kind}`;
  const button = ([kind, title]) => h("button", { type: "button", "data-kind": kind, onclick: download(kind, named(kind)) }, title);
  const picker = h("input", { type: "file", accept: ".toml,text/plain", id: "pick", onchange: attempt(async () => {
    const [file] = picker.files;
    if (!file) return;
    if (file.size > limits.text) throw new Error(`${file.name} is larger than ${limits.text} bytes, the most that the lab opens.`);
    await lab.replace(await file.text(), file.name.replace(/\.toml$/, ""));
    picker.value = "";
  }) });
  place.append(
    h("p", { className: "faint" }, "Motions are those of run A, with the values that are set."),
    h("h3", {}, "The model"),
    h("div", { className: "bar" },
      h("button", { type: "button", "data-kind": "model", onclick: () => save(new Blob([lab.text], { type: "application/toml" }), `${lab.name}.toml`) }, "as written, TOML"),
      h("button", { type: "button", "data-kind": "toml", onclick: download("toml", "set.toml") }, "with the values set, TOML"),
      h("label", { htmlFor: "pick" }, "open a file ", picker)),
    ...KINDS.flatMap(([title, kinds], i) => [h("h3", {}, title), h("div", { className: "bar" }, ...kinds.filter(([kind]) => possible.includes(kind)).map(button),
      i === 0 ? h("label", {}, "samples ", samples) : null)]),
    told, error);
  if (hasFolder) place.append(...folder(lab, attempt, told));
  const kept = h("div", { id: "drafts" });
  place.append(kept);
  return { ask() { kept.replaceChildren(...putAway(lab)); }, offer() {} };
}

/** Texts that others replaced. They stay in this browser until they are dropped. */
function putAway(lab) {
  const some = drafts();
  if (!some.length) return [];
  const when = (text) => new Date(text).toLocaleString();
  return [h("h3", {}, "Replaced, and kept in this browser"), h("ul", { className: "names" }, ...some.map((one) => {
    const row = h("li", {}, h("button", { type: "button", title: when(one.when), onclick: () => lab.replace(one.text, one.name) }, one.name),
      h("button", { type: "button", className: "undo", "aria-label": `Drop ${one.name}`, onclick: () => { drop(one.text); row.remove(); } }, "×"));
    return row;
  }))];
}

function folder(lab, attempt, told) {
  const list = h("ul", { className: "names" });
  const name = h("input", { type: "text", id: "save-name", placeholder: "name.toml", autocomplete: "off" });
  const replace = h("input", { type: "checkbox", id: "replace" });
  const refresh = attempt(async () => {
    const { names } = await get("/api/folder");
    list.replaceChildren(...names.map((one) => h("li", {}, h("button", { type: "button", onclick: attempt(async () => {
      const opened = await post("/api/open", { name: one });
      name.value = one;
      await lab.replace(opened.text, one.replace(/\.toml$/, ""));
    }) }, one))));
  });
  const keep = attempt(async () => {
    const file = name.value.trim().endsWith(".toml") ? name.value.trim() : `${name.value.trim()}.toml`;
    await post("/api/save", { name: file, text: lab.text, replace: replace.checked });
    lab.saved();
    told.textContent = `Saved ${file}.`;
    announce(told.textContent);
    await refresh();
  });
  refresh();
  return [h("h3", {}, "The lab’s folder"), list,
    h("div", { className: "bar" }, h("label", {}, "save as ", name), h("label", {}, replace, " replace"), h("button", { type: "button", onclick: keep }, "Save"))];
}
