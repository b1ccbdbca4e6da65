// The lab: the state of the screen, and everything that changes it.

import { checked, early, galleryText } from "./ahead.js";
import { $, announce, h, own, pretty, short, unit } from "./dom.js";
import { Controls } from "./controls.js";
import { Difference } from "./difference.js";
import { draft, forget, keep, putAway } from "./drafts.js";
import { Editor } from "./editor.js";
import { files } from "./files.js";
import { Gallery } from "./gallery.js";
import { History } from "./history.js";
import { read, written } from "./link.js";
import { faults, notice } from "./notices.js";
import { analysis, comparison, equations } from "./panels.js";
import { question } from "./question.js";
import { Runs } from "./runs.js";
import { Latest, first } from "./server.js";
import { listen, mark } from "./tabs.js";
import { TEMPLATE } from "./template.js";
import { theme } from "./theme.js";
import { varying } from "./vary.js";

const TYPING = 250; // milliseconds without a key press before a text is checked
const STILL = 300; // milliseconds without a change before a slider counts as at rest
const TABS = ["model", "equations", "compare", "vary", "analyze", "files"];

const lab = {
  text: "", // the last text without fault, which is computed
  opened: "", // the text as opened or saved; a different text is a draft
  original: null, // {name, text} of the gallery, while the text is unchanged
  name: "model", // of files
  model: null, // the server's description of it
  runs: [{ method: null, settings: {} }],
  until: null,
  tab: "model",
  choices: { equations: null },

  get edited() { return editor.text.trim() !== "" && editor.text !== lab.opened; },

  /** Replaces the model. Asks first if something would be lost, and stores it in any case. */
  async replace(text, name, state = null, original = null) {
    if (lab.edited) {
      const answer = await question(`${lab.name} has been edited and is not saved. Replace it?`, [["yes", "Replace it"], ["", "Go on editing"]]);
      if (!answer) return false;
      putAway(lab.name, editor.text);
    }
    lab.original = original;
    await lab.open(text, name, state);
    return true;
  },

  saved() {
    lab.opened = lab.text;
    forget();
  },

  /** Opens another model with the settings of `state`. */
  async open(given, name, state = null, before = given) {
    const [text, opened] = [given, before].map((one) => one.replace(/\r\n?/g, "\n")); // as the editor has it
    notice("");
    lab.opened = opened;
    if (opened === text) forget();
    runs.renew();
    step = "model";
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

  /** Sets values of run A, as if its sliders had been moved. */
  set(values) {
    Object.assign(lab.runs[0].settings, values);
    step = "values of a table";
    reset();
    ask();
  },
};

const editor = new Editor($("editor"), (text) => {
  clearTimeout(typing);
  typing = setTimeout(() => checking.ask({ text }), TYPING);
  drafting();
}, (name) => named(name));

/** A description of a name of the model, with its value in the motion on screen. */
function named(name) {
  const one = lab.model?.controls.find((control) => control.name === name);
  if (!one) return "";
  const value = own(runs.runs[0]?.result?.values ?? {}, name) ?? one.value;
  return `${name} = ${short(value, 6)}${one.unit ? ` ${unit(one.unit)}` : ""}${one.about ? `, ${one.about}` : ""}`;
}
globalThis.editor = editor;
let typing = 0;
let step = "model"; // the last kind of change, for undo
let ours = location.hash; // as last written by the lab

/** Stores the text in this browser, so that it survives a reload, a fault, or the end of the server. */
function drafting() {
  if (lab.edited) keep({ name: lab.name, text: editor.text, opened: lab.opened, hash: ours, state: { runs: lab.runs, until: lab.until } });
  else forget();
}

const steps = new History(async (state) => {
  const { text, name, original, opened, runs: set, until } = state;
  if (text === editor.text) {
    lab.runs = set;
    lab.until = until;
    update();
  } else {
    lab.original = original;
    await lab.open(text, name, { runs: set, until }, opened);
  }
}, ({ back, forth }) => { $("undo").disabled = !back; $("redo").disabled = !forth; });

const checking = new Latest(async ({ text }, signal) => {
  let answer;
  try {
    answer = await early("check", checked(text), { signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    answer = { ok: false, faults: [{ line: 1, start: 1, end: 2, message: error.message }] };
  }
  if (editor.text !== text) return; // the text has changed, and the next check will answer
  const wrong = answer.faults ?? [];
  faults(wrong, (fault) => editor.go(fault));
  editor.show(wrong); // after the list, which takes a part of its height
  runs.stale(!answer.ok);
  if (!answer.ok) { forgetting(); return; }
  lab.text = text;
  lab.model = answer.model;
  if (lab.original && lab.original.text !== text) lab.original = null;
  update();
});

/** Clears the page if the model was never without fault. */
function forgetting() {
  if (lab.model) return;
  $("title").textContent = lab.name;
}

const controls = new Controls($("sliders"), (name, value) => {
  const which = adjusted();
  for (const run of which === "both" ? lab.runs : [lab.runs[Number(which)]]) {
    if (value === null) delete run.settings[name];
    else run.settings[name] = value;
  }
  step = `value ${name}`;
  changed();
});
let dragging = 0;

/** The page computes now, and the server when the slider or the hand is at rest. */
function changed() {
  reset();
  clearTimeout(dragging);
  if (runs.drag(lab.text, lab.runs)) dragging = setTimeout(ask, STILL);
  else ask();
}

const adjusted = () => (lab.runs.length === 1 ? "0" : document.querySelector('input[name="adjust"]:checked').value);
const shownSettings = () => lab.runs[adjusted() === "1" ? 1 : 0].settings;

/** Shows the values of the motion on screen, but only if it belongs to these settings: otherwise dependent values are old. */
function reset() {
  const which = adjusted() === "1" ? 1 : 0;
  const shown = runs.runs[which]?.result;
  const other = lab.runs.length === 2 ? lab.runs[1 - which].settings : null;
  controls.set(shownSettings(), shown?.values ?? null, other);
  differing();
}

/** On a narrow screen the values are below the picture, which stays in sight above them. */
function settle() {
  const left = narrow.matches && runs.runs[0]?.player?.root.querySelector(".da-left");
  const place = left || document.querySelector(".side");
  if (place.contains($("controls"))) return;
  if (left) {
    left.classList.add("da-computes");
    left.append($("controls"));
  } else place.prepend($("controls"));
}
const narrow = matchMedia("(max-width: 800px)");
narrow.addEventListener("change", settle);

// The side with the editor and its faults ends with the window, also below a notice.
const above = new ResizeObserver(() => document.documentElement.style.setProperty("--above", `${document.querySelector("main").offsetTop}px`));
for (const one of [document.querySelector(".top"), $("notice")]) above.observe(one);

/** The differences of the two runs, in words. */
function differing() {
  const place = $("differs");
  place.hidden = lab.runs.length < 2;
  if (place.hidden) return;
  const [a, b] = lab.runs;
  const stated = (name) => lab.model.controls.find((control) => control.name === name)?.value;
  const said = (run, name, i) => short(own(run.settings, name) ?? own(runs.runs[i]?.result?.values ?? {}, name) ?? stated(name), 6);
  const methods = [a.method ?? lab.model.method, b.method ?? lab.model.method];
  const names = [...new Set([...Object.keys(a.settings), ...Object.keys(b.settings)])].filter((name) => own(a.settings, name) !== own(b.settings, name));
  const parts = names.map((name) => [pretty(name), said(a, name, 0), said(b, name, 1)]);
  if (methods[0] !== methods[1]) parts.unshift(["method", ...methods]);
  place.replaceChildren(...(parts.length ? ["A and B differ: ", ...parts.flatMap(([name, one, two], i) => [i ? "; " : "", h("b", {}, name), ` ${one} and ${two}`])] : ["A and B are the same."]));
}

const difference = new Difference(() => lab.remember());

const runs = new Runs($("runs"), {
  choose(index, method) {
    lab.runs[index].method = method;
    step = `method ${index}`;
    differing();
    ask();
  },
  placed(index, settings) { // a body was put where it starts
    lab.runs[index].settings = settings;
    step = "start";
    changed();
  },
  name: () => lab.name,
  shown(results) {
    if (results.length === 2 && results.every((result) => result?.data)) difference.show(...results);
    else difference.show(null, null);
    if (lab.model) reset();
    settle();
    document.body.dataset.began ??= Math.round(performance.now()); // milliseconds from the page to its first motion
    document.body.dataset.motions = Number(document.body.dataset.motions ?? 0) + 1; // number of motions shown, for tests
  },
  dragged() { if (lab.model) reset(); },
  time(time) {
    difference.at(time);
    lab.time = time;
  },
});

const panels = { model: { ask() {}, offer() {} }, equations: equations(lab), compare: comparison(lab), vary: varying(lab), analyze: analysis(lab), files: files(lab) };
const gallery = new Gallery((name) => fromGallery(name));

async function fromGallery(name, state = null) {
  const text = await galleryText(name);
  return lab.replace(text, name, state, { name, text });
}

$("new-model").addEventListener("click", () => lab.replace(TEMPLATE, "model"));
$("undo").addEventListener("click", () => steps.back());
$("redo").addEventListener("click", () => steps.forth());
document.addEventListener("keydown", (event) => {
  const word = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || event.altKey || !["z", "y"].includes(word)) return;
  if (event.target.closest?.(".cm-editor, input:not([type=range]):not([type=checkbox]):not([type=radio]), dialog")) return;
  event.preventDefault();
  if (word === "y" || event.shiftKey) steps.forth();
  else steps.back();
});

/** Shows the whole state again, after the model or the number of runs changed. */
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
  $("second").textContent = two ? "One run only" : "Add a second run";
  $("adjust").hidden = $("with-plots").hidden = $("over").hidden = !two;
  runs.count(lab.runs.length);
  runs.offer(model, lab.runs);
  controls.show(model.controls, shownSettings());
  reset();
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
  steps.note({ text: lab.text, name: lab.name, original: lab.original, opened: lab.opened, runs: lab.runs, until: lab.until }, step);
  step = "";
  lab.remember();
}

function show(tab, focus = false) {
  if (!TABS.includes(tab)) return;
  lab.tab = tab;
  mark(TABS, tab, focus);
  panels[tab].ask();
  lab.remember();
}

listen(TABS, show);

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

$("over").addEventListener("click", () => {
  const on = $("over").getAttribute("aria-pressed") !== "true";
  $("over").setAttribute("aria-pressed", String(on));
  runs.layOver(on);
  announce(on ? "Run B is drawn over run A, as a ghost." : "Two runs side by side.");
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
  step = "all values";
  reset();
  ask();
});

for (const choice of document.querySelectorAll('input[name="adjust"]')) choice.addEventListener("change", reset);

// The address contains the state, so that its link reproduces the screen.

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

function remembering() {
  clearTimeout(remember);
  remember = setTimeout(async () => {
    if (!lab.model) return;
    const now = state();
    const words = Object.keys(now).length === 1 && now.gallery ? `#model=${now.gallery}` : await written(now);
    if (location.hash !== ours) return; // another link was entered, and is about to be opened
    history.replaceState(null, "", words);
    ours = location.hash; // as the browser writes it
    drafting();
  }, 150);
}

$("copy-link").addEventListener("click", async () => {
  const address = `${location.origin}/${await written({ ...state(), ...(lab.time ? { time: lab.time } : {}) })}`;
  try {
    await navigator.clipboard.writeText(address);
    announce("The link is copied.");
    $("copy-link").textContent = "Copied";
  } catch {
    history.replaceState(null, "", address); // if copying is not permitted, the link is in the address bar
    ours = location.hash;
    announce("The link is in the address bar.");
    $("copy-link").textContent = "In the address bar";
  }
  setTimeout(() => { $("copy-link").textContent = "Copy link"; }, 2000);
});

async function begin() {
  const kept = draft();
  if (kept && (location.hash === "" || location.hash === kept.hash)) {
    lab.original = null;
    await lab.open(kept.text, kept.name, kept.state, kept.opened ?? "");
    keep(kept);
    notice("Your text has been restored.", h("button", { type: "button", onclick: () => { putAway(kept.name, kept.text); forget(); location.hash = ""; location.reload(); } }, "Start again"),
      h("button", { type: "button", onclick: () => notice("") }, "Go on"));
    return;
  }
  if (kept) putAway(kept.name, kept.text); // the link opens another model; the draft stays in the list
  let found = null;
  try {
    found = await read(location.hash);
    if (!found && location.hash.length > 1) throw new Error("it was not made by the lab, or a part of it is missing");
  } catch (error) {
    unopened(`This link cannot be read: ${error.message}.`);
    return;
  }
  const given = found && { ...found, runs: found.runs?.map((run) => ({ method: run.method ?? null, settings: run.settings ?? {} })) };
  try {
    if (typeof given?.text === "string") await lab.replace(given.text, given.name ?? "model", given);
    else await fromGallery(given?.gallery ?? first.name, given);
  } catch (error) {
    unopened(error.message);
  }
}

/** If a link cannot be opened, no other model is opened instead. */
function unopened(words) {
  $("title").textContent = "No model";
  document.body.dataset.unopened = "yes";
  notice(words, h("button", { type: "button", onclick: () => gallery.open() }, "Open the gallery"),
    h("button", { type: "button", onclick: () => lab.replace(TEMPLATE, "model") }, "Begin a new model"));
}

window.addEventListener("hashchange", () => {
  if (location.hash === ours) return;
  ours = location.hash;
  begin();
});
globalThis.dalembert.spaced(() => runs.toggle());
theme($("theme"), (name) => { runs.colours(name); gallery.colours(name); });
begin();
