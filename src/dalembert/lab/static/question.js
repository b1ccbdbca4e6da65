// A question with several answers, in a dialog.

import { h } from "./dom.js";

/** `answers`: [[value, words], …]. Resolves to the chosen value, or null if the dialog was closed. */
export function question(words, answers) {
  return new Promise((answered) => {
    const dialog = h("dialog", { className: "question", "aria-label": words }, h("p", {}, words),
      h("div", { className: "bar" }, ...answers.map(([value, text], i) =>
        h("button", { type: "button", className: i ? "" : "main", onclick: () => dialog.close(value) }, text))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      answered(dialog.returnValue || null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
