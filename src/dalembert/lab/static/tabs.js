// The tabs of the bench, by name: `tab-NAME` is a button, `panel-NAME` is shown while its tab is selected.

import { $ } from "./dom.js";

/** Shows the panel of one tab. */
export function mark(names, tab, focus) {
  for (const name of names) {
    const button = $(`tab-${name}`);
    button.setAttribute("aria-selected", String(name === tab));
    button.tabIndex = name === tab ? 0 : -1;
    $(`panel-${name}`).hidden = name !== tab;
  }
  if (focus) $(`tab-${tab}`).focus();
}

/** Calls `show(name, focus)` for clicks, and for arrow keys, which move the focus. */
export function listen(names, show) {
  names.forEach((name, i) => {
    $(`tab-${name}`).addEventListener("click", () => show(name));
    $(`tab-${name}`).addEventListener("keydown", (event) => {
      const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: names.length - 1 }[event.key];
      if (to !== undefined) { event.preventDefault(); show(names[(to + names.length) % names.length], true); }
    });
  });
}
