// Sentences on the page: a notice at its top, and the faults of the model below the editor.

import { $, announce, h } from "./dom.js";

/** A sentence at the top of the page, with buttons for possible actions. */
export function notice(words, ...actions) {
  const place = $("notice");
  place.hidden = !words;
  place.replaceChildren(...(words ? [h("span", {}, words), ...actions] : []));
  if (words) announce(words);
}

/** The list of faults below the editor; `go(fault)` shows its place. */
export function faults(found, go) {
  const place = $("faults");
  if (!found.length) {
    if (place.dataset.some) announce("No more faults.");
    place.dataset.some = "";
    place.replaceChildren();
    return;
  }
  place.dataset.some = "yes";
  const title = `${found.length} ${found.length === 1 ? "fault" : "faults"}; the motion shown is that of the last model without any.`;
  place.replaceChildren(h("p", { className: "error-title" }, title), h("ol", {}, ...found.map((fault) =>
    h("li", {}, h("button", { type: "button", className: "fault-line", onclick: () => go(fault) }, h("b", {}, `line ${fault.line}`), ` ${fault.message}`)))));
  announce(`${found.length === 1 ? "One fault" : `${found.length} faults`}. Line ${found[0].line}: ${found[0].message}`);
}
