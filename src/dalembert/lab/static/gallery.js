// The gallery: every model with a picture, loaded when it comes into view.

import { $, h } from "./dom.js";
import { get } from "./server.js";

export class Gallery {
  constructor(chosen) {
    this.dialog = $("gallery");
    this.chosen = chosen;
    this.scenes = new Map();
    this.theme = "auto";
    this.watcher = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) { this.watcher.unobserve(target); this.#picture(target); }
    }, { root: this.dialog, rootMargin: "200px" });
    $("show-gallery").addEventListener("click", () => this.open());
    $("close-gallery").addEventListener("click", () => this.dialog.close());
    $("find").addEventListener("input", () => this.#find());
    this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) this.dialog.close(); });
  }

  async open() {
    this.dialog.showModal();
    $("find").focus();
    if (this.models) return;
    this.models = await get("/api/gallery");
    $("cards").replaceChildren(...this.models.map((model) => {
      const picture = h("canvas", { "aria-hidden": "true" });
      picture.dataset.name = model.name;
      this.watcher.observe(picture);
      return h("li", {}, h("button", { type: "button", className: "card-button", onclick: () => { this.dialog.close(); this.chosen(model.name); } },
        picture, h("span", { className: "card-title" }, model.title || model.name), h("span", { className: "faint small" }, model.name)));
    }));
    this.#find();
  }

  async #picture(canvas) {
    try {
      this.scenes.set(canvas, await get(`/api/picture/${canvas.dataset.name}`));
      this.#draw(canvas);
    } catch {
      canvas.classList.add("missing"); // a model without a picture is a card with its title
    }
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
      const said = `${model.name} ${model.title} ${model.reference}`.toLowerCase();
      const found = words.every((word) => said.includes(word));
      $("cards").children[i].hidden = !found;
      some ||= found;
    });
    $("none").hidden = some;
  }
}
