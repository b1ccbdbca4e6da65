// The gallery: every model with a picture, loaded when it comes into view.

import { $, h } from "./dom.js";
import { get } from "./server.js";

const AT_ONCE = 3; // pictures: a browser has six connections, and a chosen model must not wait for pictures

export class Gallery {
  constructor(chosen) {
    this.dialog = $("gallery");
    this.chosen = chosen;
    this.scenes = new Map();
    this.waiting = []; // canvases without a picture
    this.loading = 0;
    this.theme = "auto";
    this.watcher = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) { this.watcher.unobserve(target); this.waiting.push(target); this.#load(); }
    }, { root: this.dialog, rootMargin: "200px" });
    $("show-gallery").addEventListener("click", () => this.open());
    $("close-gallery").addEventListener("click", () => this.dialog.close());
    $("find").addEventListener("input", () => this.#find());
    this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) this.dialog.close(); });
  }

  async open() {
    this.dialog.showModal();
    $("find").focus();
    for (let k = 0; k < AT_ONCE; k++) this.#load();
    if (this.models) return;
    this.models = await get("/api/gallery");
    $("cards").replaceChildren(...this.models.map((model) => {
      const picture = h("canvas", { "aria-hidden": "true" });
      picture.dataset.name = model.name;
      this.watcher.observe(picture);
      return h("li", {}, h("button", { type: "button", className: "card-button", onclick: () => { this.dialog.close(); this.chosen(model.name); } },
        picture, h("span", { className: "card-title" }, model.title || model.name), h("span", { className: "faint small" }, model.name)));
    }));
    this.#offerTags();
    this.#find();
  }

  #offerTags() {
    const known = [...new Set(this.models.flatMap((model) => model.tags))];
    this.tag = null;
    const chips = known.map((tag, i) => h("button", { type: "button", "aria-pressed": "false", tabIndex: i ? -1 : 0, onkeydown: (event) => { // Tab stops once, arrows move inside
      const to = { ArrowRight: i + 1, ArrowLeft: i - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      chips.forEach((chip) => { chip.tabIndex = -1; });
      const next = chips[(to + chips.length) % chips.length];
      next.tabIndex = 0;
      next.focus();
    }, onclick: () => {
      this.tag = this.tag === tag ? null : tag;
      chips.forEach((chip, i) => chip.setAttribute("aria-pressed", String(known[i] === this.tag)));
      this.#find();
    } }, tag));
    $("tags").replaceChildren(...chips);
  }

  /** Loads the next picture, those in sight first. A closed gallery loads none. */
  async #load() {
    if (this.loading >= AT_ONCE || !this.waiting.length || !this.dialog.open) return;
    const seen = this.waiting.findIndex((canvas) => canvas.offsetParent);
    const [canvas] = this.waiting.splice(Math.max(seen, 0), 1);
    this.loading++;
    try {
      this.scenes.set(canvas, await get(`/api/picture/${canvas.dataset.name}`));
      this.#draw(canvas);
    } catch {
      canvas.classList.add("missing"); // without a picture, the card shows the title
    }
    this.loading--;
    this.#load();
  }

  #draw(canvas) {
    globalThis.dalembert.miniature(canvas, this.scenes.get(canvas), this.theme);
    canvas.dataset.drawn = "yes";
  }

  colours(theme) {
    this.theme = theme;
    for (const canvas of this.scenes.keys()) this.#draw(canvas);
  }

  #find() {
    const words = $("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    let some = false;
    (this.models ?? []).forEach((model, i) => {
      const said = `${model.name} ${model.title} ${model.reference} ${model.tags.join(" ")}`.toLowerCase();
      const found = words.every((word) => said.includes(word)) && (!this.tag || model.tags.includes(this.tag));
      $("cards").children[i].hidden = !found;
      some ||= found;
    });
    $("none").hidden = some;
  }
}
