// The lab: what is on screen as one state, and everything that changes it.

import { $, announce, h } from "./dom.js";
import { Controls } from "./controls.js";
import { Difference } from "./difference.js";
import { Editor } from "./editor.js";
import { files } from "./files.js";
import { Gallery } from "./gallery.js";
import { read, written } from "./link.js";
import { analysis, comparison, equations } from "./panels.js";
import { Runs } from "./runs.js";
import { Latest, compute, get } from "./server.js";
import { theme } from "./theme.js";

const FIRST = "rolling-disk";
const TYPING = 250; // milliseconds without a key after which a text is checked
const TABS = ["model", "equations", "compare", "analyze", "files"];

const lab = {
  text: "", // that was checked without fault and is computed with
  original: null, // {name, text} of the gallery, as long as the text is that
  name: "model", // of files
  model: null, // what the server says of it
  runs: [{ method: null, settings: {} }],
  until: null,
  tab: "model",
  choices: { equations: null },

  /** Another model; what was set stays where the new one has it too, unless `state` says what is set. */
  async open(text, name, state = null) {
    lab.name = name;
    lab.runs = state?.runs ?? [{ method: null, settings: {} }];
    lab.until = state?.until ?? null;
    if (state?.equations) lab.choices.equations = state.equations;
    difference.want(state?.quantity);
    editor.text = text;
    lab.fresh = state ?? {};
    await checking.ask({ text, now: true });
  },

  beside(one, two) {
    const settings = lab.runs[0].settings;
    lab.runs = [{ method: one, settings }, { method: two, settings: { ...settings } }];
    update();
    $("motion").scrollIntoView({ block: "start" });
    announce(`${one} and ${two} side by side.`);
  },

  remember() { remembering(); },
};

const editor = new Editor($("editor"), (text) => { clearTimeout(typing); typing = setTimeout(() => checking.ask({ text }), TYPING); });
let typing = 0;

const checking = new Latest(async ({ text }, signal) => {
  let answer;
  try {
    answer = await compute("check", { text, lane: "check" }, { signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    answer = { ok: false, faults: [{ line: 1, start: 1, end: 2, message: error.message }] };
  }
  if (editor.text !== text) return; // typed on since: the next check tells
  editor.show(answer.faults);
  faults(answer.faults);
  runs.stale(!answer.ok);
  if (!answer.ok) return;
  lab.text = text;
  lab.model = answer.model;
  if (lab.original && lab.original.text !== text) lab.original = null;
  update();
});

function faults(found) {
  const place = $("faults");
  if (!found.length) {
    if (place.dataset.some) announce("No faults any more.");
    place.dataset.some = "";
    place.replaceChildren();
    return;
  }
  place.dataset.some = "yes";
  const title = `${found.length} ${found.length === 1 ? "fault" : "faults"}; the motion shown is that of the last model without any.`;
  place.replaceChildren(h("p", { className: "error-title" }, title), h("ol", {}, ...found.map((fault) =>
    h("li", {}, h("button", { type: "button", className: "fault-line", onclick: () => editor.go(fault) }, h("b", {}, `line ${fault.line}`), ` ${fault.message}`)))));
  announce(`${found.length === 1 ? "One fault" : `${found.length} faults`}. Line ${found[0].line}: ${found[0].message}`);
}

const controls = new Controls($("sliders"), (name, value) => {
  const which = adjusted();
  for (const run of which === "both" ? lab.runs : [lab.runs[Number(which)]]) {
    if (value === null) delete run.settings[name];
    else run.settings[name] = value;
  }
  controls.set(shownSettings());
  ask();
});

const adjusted = () => (lab.runs.length === 1 ? "0" : document.querySelector('input[name="adjust"]:checked').value);
const shownSettings = () => lab.runs[adjusted() === "1" ? 1 : 0].settings;

const difference = new Difference(() => lab.remember());

const runs = new Runs($("runs"), {
  choose(index, method) {
    lab.runs[index].method = method;
    ask();
  },
  shown(results) {
    if (results.length === 2 && results.every((result) => result?.data)) difference.show(...results);
    else difference.show(null, null);
    document.body.dataset.motions = Number(document.body.dataset.motions ?? 0) + 1; // shown so far, for whoever waits
  },
  time(time) {
    difference.at(time);
    lab.time = time;
  },
});

const panels = { model: { ask() {}, offer() {} }, equations: equations(lab), compare: comparison(lab), analyze: analysis(lab), files: files(lab) };
const gallery = new Gallery((name) => fromGallery(name));

async function fromGallery(name, state = null) {
  const { text } = await get(`/api/gallery/${name}`);
  lab.original = { name, text };
  await lab.open(text, name, state);
}

/** Everything anew from the state, after the model or the number of runs changed. */
function update() {
  const { model } = lab;
  const known = new Set(model.controls.map((control) => control.name));
  for (const run of lab.runs) {
    for (const name of Object.keys(run.settings)) if (!known.has(name)) delete run.settings[name];
    if (run.method && !model.methods.includes(run.method)) run.method = null;
  }
  $("title").textContent = model.title || lab.name;
  $("reference").textContent = model.reference;
  document.title = `${model.title || lab.name} – dalembert lab`;
  $("until").placeholder = String(model.start + model.duration);
  $("until").value = lab.until ?? "";
  const two = lab.runs.length === 2;
  $("second").setAttribute("aria-pressed", String(two));
  $("second").textContent = two ? "One run only" : "Second run beside it";
  $("adjust").hidden = $("with-plots").hidden = !two;
  runs.count(lab.runs.length);
  runs.offer(model, lab.runs);
  controls.show(model.controls, shownSettings());
  for (const panel of Object.values(panels)) panel.offer(model);
  if (lab.fresh) {
    if (lab.fresh.tab) show(lab.fresh.tab);
    runs.time = lab.fresh.time ?? 0;
    lab.fresh = null;
  }
  ask();
}

function ask() {
  if (!lab.model) return;
  runs.ask(lab.text, lab.runs, lab.until);
  panels[lab.tab].ask();
  lab.remember();
}

function show(tab, focus = false) {
  if (!TABS.includes(tab)) return;
  lab.tab = tab;
  for (const name of TABS) {
    const button = $(`tab-${name}`);
    button.setAttribute("aria-selected", String(name === tab));
    button.tabIndex = name === tab ? 0 : -1;
    $(`panel-${name}`).hidden = name !== tab;
  }
  if (focus) $(`tab-${tab}`).focus();
  panels[tab].ask();
  lab.remember();
}

TABS.forEach((name, i) => {
  $(`tab-${name}`).addEventListener("click", () => show(name));
  $(`tab-${name}`).addEventListener("keydown", (event) => {
    const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: TABS.length - 1 }[event.key];
    if (to !== undefined) { event.preventDefault(); show(TABS[(to + TABS.length) % TABS.length], true); }
  });
});

$("second").addEventListener("click", () => {
  if (lab.runs.length === 2) lab.runs.pop();
  else {
    const [first] = lab.runs;
    const own = first.method ?? lab.model.method;
    const other = own === "vakonomic" ? "chetaev" : "vakonomic";
    const method = lab.model.methods.includes(other) ? other : lab.model.methods.find((name) => name !== own);
    lab.runs.push({ method: method ?? null, settings: { ...first.settings } });
  }
  update();
  announce(lab.runs.length === 2 ? "Two runs side by side." : "One run.");
});

$("plots").addEventListener("change", () => $("runs").classList.toggle("plots", $("plots").checked));

$("until").addEventListener("change", () => {
  const value = Number($("until").value);
  lab.until = $("until").value === "" || !Number.isFinite(value) ? null : value;
  ask();
});

$("reset").addEventListener("click", () => {
  const which = adjusted();
  lab.runs.forEach((run, i) => { if (which === "both" || Number(which) === i) run.settings = {}; });
  controls.set(shownSettings());
  ask();
});

for (const choice of document.querySelectorAll('input[name="adjust"]')) choice.addEventListener("change", () => controls.set(shownSettings()));

// What is on screen goes into the address, so that the link in it reproduces it.

function state() {
  const kept = lab.runs.map(({ method, settings }) => ({ ...(method ? { method } : {}), ...(Object.keys(settings).length ? { settings } : {}) }));
  const plain = kept.length === 1 && !Object.keys(kept[0]).length;
  return {
    ...(lab.original ? { gallery: lab.original.name } : { text: lab.text, name: lab.name }),
    ...(plain ? {} : { runs: kept }),
    ...(lab.until === null ? {} : { until: lab.until }),
    ...(lab.tab === "model" ? {} : { tab: lab.tab }),
    ...(lab.choices.equations ? { equations: lab.choices.equations } : {}),
    ...(lab.runs.length === 2 && difference.wanted ? { quantity: difference.wanted } : {}),
  };
}

let remember = 0;
let ours = location.hash;

function remembering() {
  clearTimeout(remember);
  remember = setTimeout(async () => {
    if (!lab.model) return;
    const now = state();
    ours = Object.keys(now).length === 1 && now.gallery ? `#model=${now.gallery}` : await written(now);
    history.replaceState(null, "", ours);
  }, 150);
}

$("copy-link").addEventListener("click", async () => {
  const address = `${location.origin}/${await written({ ...state(), ...(lab.time ? { time: lab.time } : {}) })}`;
  try {
    await navigator.clipboard.writeText(address);
    announce("The link is copied.");
    $("copy-link").textContent = "Copied";
  } catch {
    history.replaceState(null, "", address); // where copying is not permitted, the address bar has it
    announce("The link stands in the address bar.");
    $("copy-link").textContent = "In the address bar";
  }
  setTimeout(() => { $("copy-link").textContent = "Copy link"; }, 2000);
});

async function begin() {
  let found = null;
  try { found = await read(location.hash); } catch { announce("The link could not be read."); }
  const given = found && { ...found, runs: found.runs?.map((run) => ({ method: run.method ?? null, settings: run.settings ?? {} })) };
  try {
    if (typeof given?.text === "string") { lab.original = null; await lab.open(given.text, given.name ?? "model", given); }
    else await fromGallery(given?.gallery ?? FIRST, given);
  } catch (error) {
    announce(error.message);
    await fromGallery(FIRST);
  }
}

window.addEventListener("hashchange", () => { if (location.hash !== ours) begin(); });
theme($("theme"), (name) => { runs.colours(name); gallery.colours(name); });
begin();
