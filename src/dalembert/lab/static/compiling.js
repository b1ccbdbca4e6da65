// What is shown while the steppers are compiled, once on a machine: what happens, for how long so far, what can be done.

import { announce, h } from "./dom.js";

const WHAT = "Compiling the steppers, once on this machine: up to a minute.";
const MEANWHILE = "The model, its equations and its derivation can be read meanwhile.";

let said = false; // once on a page: every change of a slider asks anew

export class Compiling {
  constructor() {
    this.seconds = h("span", { className: "seconds", role: "timer" }); // a timer is read on request, not every second
    this.element = h("p", { className: "compiling", hidden: true },
      h("span", { className: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")),
      h("span", {}, h("b", {}, WHAT), " ", this.seconds, h("br"), h("span", { className: "faint" }, MEANWHILE)));
    this.ticking = 0;
  }

  /** What a computation tells of itself: it waits for the steppers, or goes on. */
  hear(told) {
    if (told.compiling !== undefined) this.#show(told.compiling);
    else if (told.progress !== undefined && this.shown) {
      announce("Computing.");
      this.hide();
    }
  }

  #show(seconds) {
    const began = performance.now() - 1000 * seconds;
    const tick = () => { this.seconds.textContent = `${Math.round((performance.now() - began) / 1000)} s so far.`; };
    clearInterval(this.ticking);
    this.ticking = setInterval(tick, 1000);
    tick();
    if (!said) announce(`${WHAT} ${MEANWHILE}`);
    said = true;
    this.element.hidden = false;
  }

  hide() {
    clearInterval(this.ticking);
    this.element.hidden = true;
  }

  get shown() { return !this.element.hidden; }
}
