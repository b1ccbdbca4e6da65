// A panel that computes on request: its button, progress, error and answer.

import { announce, h } from "./dom.js";
import { compute, stop } from "./server.js";

export class Asking {
  /** `draw(result)` returns the elements of an answer; `data()` returns the request, or null if none is possible. */
  constructor(place, { task, data, draw, said, bar = [] }) {
    Object.assign(this, { place, task, data, draw, said });
    this.waiting = h("p", { className: "waiting faint", hidden: true }, "Computing … ",
      h("button", { type: "button", onclick: () => this.stop() }, "Stop"));
    this.error = h("p", { className: "error", role: "alert", hidden: true });
    this.answer = h("div", { className: "answer" });
    place.append(h("div", { className: "bar" }, ...bar), this.waiting, this.error, this.answer);
    this.asked = null;
    this.abort = null;
  }

  /** Sends the request, unless the same was sent before. */
  async ask() {
    const data = this.data();
    if (!data) return;
    const asked = JSON.stringify(data);
    if (asked === this.asked) return;
    this.asked = asked;
    this.abort?.abort();
    const abort = (this.abort = new AbortController());
    this.error.hidden = true;
    this.waiting.hidden = false;
    this.answer.classList.add("stale");
    try {
      const result = await compute(this.task, { ...data, lane: this.task }, { signal: abort.signal, heard: (told) => this.#heard(told) });
      this.answer.replaceChildren(...this.draw(result));
      this.answer.classList.remove("stale");
      announce(this.said(result));
    } catch (error) {
      if (error.name === "AbortError") return;
      this.asked = null;
      this.answer.replaceChildren();
      this.error.textContent = error.message;
      this.error.hidden = false;
    } finally {
      if (this.abort === abort) { this.abort = null; this.waiting.hidden = true; this.job = null; }
    }
  }

  #heard(told) {
    this.job = told.job ?? this.job;
  }

  stop() {
    if (this.job) stop(this.job);
    this.abort?.abort();
    this.asked = null;
    this.waiting.hidden = true;
    announce("Stopped.");
  }
}
