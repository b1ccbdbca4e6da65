// Small helpers for the page: elements, texts, mathematics, and words for screen readers.

export const $ = (id) => document.getElementById(id);

/** An entry of an object by a name that a model chose: "constructor" is no entry of {}. */
export const own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

/** An element with properties and children; every text is a text node, never markup. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && !name.includes("-") && name !== "list" && name !== "form") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const svg = (tag, properties = {}, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

/** MathML from the server, parsed as XML: nothing in it can be script or markup of the page. */
export function mathematics(text) {
  const read = new DOMParser().parseFromString(text, "application/xml");
  const root = read.documentElement;
  if (root.localName !== "math" || read.querySelector("parsererror")) return h("code", {}, text);
  return document.importNode(root, true);
}

let clearing = 0;

/** Announces a text to screen readers. */
export function announce(text) {
  const live = $("live");
  live.textContent = "";
  clearTimeout(clearing);
  clearing = setTimeout(() => { live.textContent = text; }, 50);
}

/** A number in a short readable form. */
export function short(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e5 || size < 1e-3 ? value.toExponential(Math.max(digits - 2, 1)).replace(/\.?0+(?=e)/, "") : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

/** A name of the model in mathematical letters: theta1' is θ₁′. */
const GREEK = { alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", zeta: "ζ", eta: "η", theta: "θ", iota: "ι",
  kappa: "κ", lambda: "λ", mu: "μ", nu: "ν", xi: "ξ", rho: "ρ", sigma: "σ", tau: "τ", upsilon: "υ", phi: "φ", chi: "χ",
  psi: "ψ", omega: "ω", Gamma: "Γ", Delta: "Δ", Theta: "Θ", Lambda: "Λ", Xi: "Ξ", Sigma: "Σ", Phi: "Φ", Psi: "Ψ", Omega: "Ω" };
const HEAD = new RegExp(`^(${Object.keys(GREEK).sort((a, b) => b.length - a.length).join("|")})(?![a-z])`);

const BELOW = "₀₁₂₃₄₅₆₇₈₉";

export const pretty = (name) => name.replace(HEAD, (word) => GREEK[word])
  .replace(/_?(\d+)(?='*$)/, (_, digits) => [...digits].map((digit) => BELOW[digit]).join(""))
  .replace("''", "″").replace("'", "′");
export const unit = (text) => text.replace(/\^2/g, "²").replace(/\^3/g, "³").replace(/ /g, " ");
