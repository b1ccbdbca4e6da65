"use strict";
// A page in the language of its reader. The scripts write English. Each text or label that appears is looked up, and if it
// is one of our sentences, with any values in it, it is replaced. Names from the model stay as they are.
(() => {
  const LABELS = ["title", "aria-label", "placeholder", "alt"];
  const OTHERS = "script, style, math, code, pre, textarea, [contenteditable], [data-own]";
  const told = document.getElementById("words")?.textContent ?? document.querySelector("meta[name=lab-words]")?.content;
  if (!told) return;

  const plain = new Map(), patterns = [];
  for (const [english, said] of Object.entries(JSON.parse(told))) {
    const pieces = english.split(/\{(\w+)\}/);
    if (pieces.length === 1) plain.set(english, said);
    else {
      const escaped = pieces.map((piece, i) => (i % 2 ? "([^]+?)" : piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
      patterns.push({ shape: new RegExp(`^${escaped.join("")}$`), names: pieces.filter((_, i) => i % 2), said });
    }
  }

  function spoken(text) {
    const bare = text.trim();
    if (!bare || !/[A-Za-z]{2}/.test(bare)) return text;
    if (bare.includes(" · ")) return bare.split(" · ").map(spoken).join(" · ");
    let said = plain.get(bare);
    for (const { shape, names, said: template } of said === undefined ? patterns : []) {
      const found = shape.exec(bare);
      if (!found) continue;
      said = template.replace(/\{(\w+)\}/g, (_, name) => listed(found[1 + names.indexOf(name)]));
      break;
    }
    return said === undefined ? text : text.replace(bare, () => said);
  }

  /* A value in a sentence: a word of ours, or several with commas. */
  const listed = (text) => (plain.has(text) ? spoken(text) : text.split(", ").map(spoken).join(", "));

  function label(element) {
    for (const name of LABELS) {
      const text = element.getAttribute(name);
      const said = text && spoken(text);
      if (said && said !== text) element.setAttribute(name, said);
    }
  }

  function speak(node) {
    if (node.nodeType === Node.TEXT_NODE) {
      if (node.parentElement?.closest(OTHERS)) return;
      const said = spoken(node.data);
      if (said !== node.data) node.data = said;
    } else if (node.nodeType === Node.ELEMENT_NODE) {
      label(node);
      if (!node.matches(OTHERS)) node.childNodes.forEach(speak);
    }
  }

  const seen = (records) => records.forEach((record) => {
    if (record.type === "attributes") label(record.target);
    else if (record.type === "characterData") speak(record.target);
    else record.addedNodes.forEach(speak);
  });
  new MutationObserver(seen).observe(document.documentElement, {
    subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: LABELS,
  });
  speak(document.documentElement);
})();
