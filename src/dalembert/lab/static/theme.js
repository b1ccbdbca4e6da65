// Light, dark, or the system's theme. The choice is stored in this browser.

import { announce } from "./dom.js";

const NAMES = { system: ["◐", "as in the system"], light: ["☀", "light"], dark: ["☾", "dark"] };
const ORDER = ["system", "light", "dark"];

/** `changed` gets "auto", "light" or "dark". */
export function theme(button, changed) {
  let chosen = "system";
  try { chosen = ORDER.includes(localStorage.getItem("lab-theme")) ? localStorage.getItem("lab-theme") : "system"; } catch { /* the browser stores nothing */ }
  const apply = () => {
    if (chosen === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    button.textContent = NAMES[chosen][0];
    button.setAttribute("aria-label", `Colours: ${NAMES[chosen][1]}`);
    button.title = `Colours: ${NAMES[chosen][1]}`;
    changed(chosen === "system" ? "auto" : chosen);
  };
  button.addEventListener("click", () => {
    chosen = ORDER[(ORDER.indexOf(chosen) + 1) % ORDER.length];
    try { localStorage.setItem("lab-theme", chosen); } catch { /* the choice is for this page only */ }
    apply();
    announce(`Colours ${NAMES[chosen][1]}.`);
  });
  apply();
}
