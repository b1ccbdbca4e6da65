// The gallery: every model with a picture, loaded when it comes into view.

import { $, h } from "./dom.js";
import { get, text } from "./server.js";

export class Gallery {
  constructor(chosen) {
    this.dialog = $("gallery");
    this.chosen = chosen;
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
      const picture = h("img", { alt: "", width: 240, height: 150 });
      picture.dataset.name = model.name;
      this.watcher.observe(picture);
      return h("li", {}, h("button", { type: "button", className: "card-button", onclick: () => { this.dialog.close(); this.chosen(model.name); } },
        picture, h("span", { className: "card-title" }, model.title || model.name), h("span", { className: "faint small" }, model.name)));
    }));
    this.#find();
  }

  async #picture(image) {
    try {
      const drawn = await text(`/api/picture/${image.dataset.name}`);
      image.src = URL.createObjectURL(new Blob([drawn], { type: "image/svg+xml" }));
      image.onload = () => URL.revokeObjectURL(image.src);
    } catch {
      image.classList.add("missing"); // a model without a picture is a card with its title
    }
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
