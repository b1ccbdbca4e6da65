// The one or two runs on screen. Each requests its motion and shows the newest one in a player.

import { early } from "./ahead.js";
import { $, announce, h, short } from "./dom.js";
import { Latest, compute, stop, text as fetched } from "./server.js";

const SLOW = 400; // milliseconds after which a computation shows its progress
const LETTERS = ["A", "B"];
let engine = null; // as text, fetched once

class Run {
  constructor(index, owner) {
    this.index = index;
    this.owner = owner;
    this.method = h("select", {
      "aria-label": `Method of run ${LETTERS[index]}`,
      onchange: () => owner.choose(index, this.method.value),
    });
    this.status = h("p", { className: "status faint" });
    this.place = h("div", { className: "stage" }, h("p", { className: "faint" }, "Computing …"));
    this.notes = h("ul", { className: "notes" });
    this.error = h("p", { className: "error", role: "alert", hidden: true });
    this.element = h("article", { className: "run card", "aria-label": `Run ${LETTERS[index]}` },
      h("div", { className: "bar" }, h("span", { className: `letter letter-${LETTERS[index].toLowerCase()}`, "aria-hidden": "true" }, LETTERS[index]),
        h("label", {}, "by ", this.method), h("span", { className: "spring" }), this.status),
      this.error, this.place, this.notes);
    this.latest = new Latest((data, signal) => this.#compute(data, signal));
    this.player = null;
    this.result = null;
    this.job = null;
  }

  async #compute(data, signal) {
    const shown = setTimeout(() => this.owner.working(this, 0), SLOW);
    const began = performance.now();
    try {
      const result = await early("motion", { ...data, lane: this.index ? "b" : "a" }, {
        signal,
        heard: (told) => {
          if (told.job) this.job = told.job;
          if (told.limit) this.limited = told.limit;
          if (told.progress !== undefined && performance.now() - began > SLOW) this.owner.working(this, told.progress);
        },
      });
      this.#show(result, performance.now() - began);
      this.#carry(data, result.scene);
    } catch (error) {
      if (error.name === "AbortError" || (error.kind === "stopped" && this.latest.waiting)) throw error;
      this.#fail(error);
    } finally {
      clearTimeout(shown);
      this.job = null;
      this.owner.working(this, null);
    }
  }

  #show(result, took) {
    this.result = result;
    const fresh = this.fresh;
    this.fresh = false;
    this.error.hidden = true;
    this.element.classList.remove("stale");
    const time = this.owner.time;
    if (this.player) this.player.update(result.scene, { fresh });
    else {
      this.place.replaceChildren();
      this.player = globalThis.dalembert.mountPlayer(this.place, result.scene, this.owner.options(this));
      if (time) this.player.seek(time);
    }
    const { steps, energy_drift: drift, constraint_residual: residual, seconds } = result.diagnostics;
    this.status.textContent = [
      result.status, `${steps} steps`, `computed in ${short(1000 * seconds.integrate, 2)} ms`,
      `energy changes by ${short(drift, 2)}`, `residual ${short(residual, 2)}`,
    ].join(" · ");
    this.status.title = `${Math.round(took)} ms from asking to drawing; ${result.work.derived} derivations and ${result.work.compiled} compilations so far`;
    this.status.dataset.derived = result.work.derived;
    this.status.dataset.compiled = result.work.compiled;
    const over = this.limited && result.status === "interrupted" ? [`Ended after ${this.limited} s, the limit; this is the part computed by then. Start the lab with a larger --seconds for more.`] : [];
    this.limited = 0;
    this.notes.replaceChildren(...[...over, ...result.notes].map((note) => h("li", {}, note)));
    this.owner.shown(this);
  }

  /** Loads the model, so that the page can compute while a slider is dragged. Silent if that is not possible. */
  async #carry({ text, method, settings }, scene) {
    const key = JSON.stringify([text, method]);
    if (this.carried?.key === key) {
      if (this.carried.computing && !this.carried.computing.busy) this.carried.computing.renew(globalThis.dalembert.opened(scene), settings);
      return;
    }
    this.#letGo();
    const carried = (this.carried = { key, computing: null });
    try {
      const told = await compute("laboratory", { text, method, lane: this.index ? "carry b" : "carry a" });
      if (this.carried !== carried || told.refused) return;
      engine ??= fetched("/static/view/engine.txt");
      carried.computing = await globalThis.dalembert.Computing.of(await engine, told, scene, this.player);
      carried.computing.renew(carried.computing.base, settings);
      carried.computing.shown = () => this.#dragged(carried.computing);
      this.#hold(carried.computing);
      this.element.dataset.computes = "yes";
    } catch { /* the server computes everything */ }
  }

  /** Buttons for a live motion, and for bodies to be pulled or put, below the stage. */
  #hold(computing) {
    const { Live, element } = globalThis.dalembert;
    const { stage } = this.player.inside;
    this.hands = element("div", "da-bar");
    stage.nextElementSibling.after(this.hands);
    this.hands.hidden = this.owner.runs.length === 2; // two runs would be at different times
    computing.line = this.status;
    computing.choose = (settings) => this.owner.placed(this.index, settings);
    computing.live = new Live(computing);
    computing.live.buttons(this.hands);
  }

  #letGo() {
    this.carried?.computing?.live?.remove();
    this.hands?.remove();
  }

  /** Whether the motion is live and goes on with these settings. A live motion of another model ends. */
  goesOn(text, { method, settings }) {
    const { key, computing } = this.carried ?? {};
    if (!computing?.live?.going) return false;
    if (key !== JSON.stringify([text, method ?? undefined])) {
      computing.live.stop();
      return false;
    }
    this.asked = null;
    computing.set({ ...settings });
    return true;
  }

  /** Called when a motion that the page computed is on screen. */
  #dragged(computing) {
    this.result = { ...this.result, values: computing.values };
    this.asked = null;
    this.status.textContent = computing.said;
    this.owner.dragged(this);
  }

  /** Computes and shows the motion of other settings in this page. False if that is not possible. */
  drag(text, { method, settings }) {
    const { key, computing } = this.carried ?? {};
    if (!computing || key !== JSON.stringify([text, method ?? undefined])) return false;
    computing.set({ ...settings });
    return true;
  }

  #fail(error) {
    this.error.textContent = error.message;
    this.error.hidden = false;
    this.element.classList.add("stale");
    announce(`Run ${LETTERS[this.index]}: ${error.message}`);
  }

  /** Offers a live motion only if this is the only run. */
  alone(only) {
    if (this.hands) this.hands.hidden = !only;
    if (!only && this.carried?.computing?.live?.going) this.carried.computing.live.stop();
  }

  offer(methods, chosen, own) {
    const options = methods.map((name) => h("option", { value: name }, name === own ? `${name} (the model’s)` : name));
    this.method.replaceChildren(...options);
    this.method.value = methods.includes(chosen ?? own) ? (chosen ?? own) : (methods[0] ?? "");
  }

  remove() {
    this.player?.destroy();
    this.element.remove();
  }
}

export class Runs {
  /** `owner`: {choose(index, method), placed(index, settings), shown(results), time(t)} */
  constructor(place, owner) {
    this.place = place;
    this.owner = owner;
    this.runs = [];
    this.time = 0;
    this.progress = new Map();
    $("stop").addEventListener("click", () => this.stop());
  }

  count(number) {
    while (this.runs.length > number) {
      const run = this.runs.pop();
      this.working(run, null);
      run.remove();
    }
    while (this.runs.length < number) {
      const run = new Run(this.runs.length, this);
      this.runs.push(run);
      this.place.append(run.element);
    }
    this.place.classList.toggle("two", number === 2);
    for (const run of this.runs) run.alone(number === 1);
    this.together();
  }

  offer(model, chosen) { this.runs.forEach((run, i) => run.offer(model.methods, chosen[i].method, model.method)); }

  ask(text, chosen, until) {
    const both = this.runs.length === 2;
    this.runs.forEach((run, i) => {
      if (run.goesOn(text, chosen[i])) return;
      const data = { text, method: chosen[i].method ?? undefined, settings: chosen[i].settings, until: until ?? undefined, data: both };
      const asked = JSON.stringify(data);
      if (asked === run.asked && run.result && run.error.hidden) return;
      run.asked = asked;
      run.latest.ask(data);
    });
  }

  /** Lets the page compute while a slider is dragged. Whether all runs can. */
  drag(text, chosen) { return this.runs.map((run, i) => run.drag(text, chosen[i])).every(Boolean); }

  dragged() { this.owner.dragged(); }

  /** Resets the views for another model. */
  renew() { for (const run of this.runs) run.fresh = true; }

  /** Makes two runs share one camera. One may be drawn over the other. */
  together() {
    const [one, two] = this.runs;
    if (!one?.player) return;
    const over = Boolean(this.over && two?.result);
    this.place.classList.toggle("over", Boolean(this.over && two));
    one.player.ghost(over ? two.result.scene : null);
    if (two?.player) two.player.share(one.player);
  }

  layOver(on) {
    this.over = on;
    this.together();
  }

  toggle() { this.runs[0]?.player?.toggle(); }

  options(run) {
    return {
      header: false,
      equations: false,
      theme: this.theme,
      name: () => this.owner.name(),
      label: `run ${LETTERS[run.index]}`,
      oncamera: () => { for (const other of this.runs) if (other !== run) other.player?.draw(); },
      ontime: (time, playing) => {
        if (this.following) return;
        if (playing) for (const other of this.runs) if (other !== run) other.player?.pause(); // one leads
        this.time = time;
        this.following = true;
        for (const other of this.runs) if (other !== run && other.player) other.player.seek(time);
        this.following = false;
        this.owner.time(time);
      },
    };
  }

  choose(index, method) { this.owner.choose(index, method); }

  placed(index, settings) { this.owner.placed(index, settings); }

  shown() {
    this.together();
    this.owner.shown(this.runs.map((run) => run.result));
  }

  colours(theme) {
    this.theme = theme;
    for (const run of this.runs) run.player?.setTheme(theme);
  }

  seek(time) {
    this.time = time;
    for (const run of this.runs) run.player?.seek(time);
  }

  /** The progress of a run, null when it is done. The slower of two is shown. */
  working(run, fraction) {
    if (fraction === null) this.progress.delete(run);
    else this.progress.set(run, fraction);
    const busy = this.progress.size > 0;
    if (busy && $("busy").hidden) announce("Computing.");
    $("busy").hidden = !busy;
    const least = Math.min(...this.progress.values());
    if (busy && least > 0) $("progress").value = least;
    else $("progress").removeAttribute("value");
  }

  stop() {
    for (const run of this.runs) if (run.job) stop(run.job); else if (run.latest.current) run.latest.current.abort.abort();
    announce("Stopped.");
  }

  stale(is) { for (const run of this.runs) run.element.classList.toggle("stale", is); }
}
