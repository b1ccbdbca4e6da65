// The editor of the model's text. It is a textarea, so that typing, undo and screen readers work as usual. A layer below
// it shows the same text in colours, with faults underlined. Line numbers are at its side.

import { h } from "./dom.js";
import { helpAt, wordsAt } from "./help.js";

const TOKEN = /(#[^\n]*)|("""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?)|(^[ \t]*\[\[?[^\]\n]*\]\]?)|([A-Za-z0-9_.-]+(?=[ \t]*=))|([+-]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b|\b(?:true|false)\b)/gm;
const KINDS = ["comment", "string", "table", "key", "number"];
const INDENT = "  ";
const HINT = "Tab indents; Escape and then Tab leaves the editor. Ctrl+Space offers words.";

export class Editor {
  /** `named(word)` describes a name of the model. */
  constructor(place, changed, named) {
    this.changed = changed;
    this.named = named;
    this.faults = [];
    this.area = h("textarea", {
      id: "text", spellcheck: false, autocapitalize: "off", autocomplete: "off", wrap: "off",
      "aria-label": "Model, as TOML", "aria-describedby": "editor-hint faults",
      oninput: () => this.#edited(), onscroll: () => this.#follow(), onkeydown: (event) => this.#key(event),
      onkeyup: () => this.#tell(), onclick: () => { this.#shut(); this.#tell(); }, onblur: () => this.#shut(),
      onmousemove: (event) => this.#hover(event), "aria-autocomplete": "list", "aria-controls": "words",
    });
    this.words = h("ul", { id: "words", className: "words", role: "listbox", "aria-label": "Words that fit here", "data-own": "", hidden: true });
    this.layer = h("pre", { "aria-hidden": "true", className: "layer" });
    this.gutter = h("div", { "aria-hidden": "true", className: "gutter" });
    this.hint = h("p", { id: "editor-hint", className: "faint hint" }, HINT);
    place.append(h("div", { className: "editor" }, this.gutter, h("div", { className: "code" }, this.layer, this.area, this.words)), this.hint);
    this.leaving = false;
    new ResizeObserver(() => this.#keep()).observe(this.area); // a list of faults makes the editor smaller
  }

  get text() { return this.area.value; }

  /** Replaces the text. Undo does not go back beyond this. */
  set text(value) {
    this.area.value = value;
    this.faults = [];
    this.area.scrollTop = this.area.scrollLeft = 0;
    this.#draw();
  }

  show(faults) {
    this.faults = faults;
    this.area.setAttribute("aria-invalid", faults.length ? "true" : "false");
    this.#draw();
  }

  /** Puts the cursor at a fault. */
  go(fault) {
    const lines = this.text.split("\n");
    const line = Math.min(fault.line, lines.length) - 1;
    const before = lines.slice(0, line).reduce((sum, row) => sum + row.length + 1, 0);
    const from = before + Math.min(fault.start - 1, lines[line].length);
    this.area.focus();
    this.area.setSelectionRange(from, Math.min(before + fault.end - 1, before + lines[line].length));
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    if (line * height < this.area.scrollTop || (line + 2) * height > this.area.scrollTop + this.area.clientHeight) {
      this.area.scrollTop = Math.max(0, line * height - this.area.clientHeight / 3);
    }
  }

  /** Keeps the line of the cursor visible. */
  #keep() {
    if (document.activeElement !== this.area) return;
    const { tall, top } = this.#measure();
    const below = top + this.text.slice(0, this.area.selectionStart).split("\n").length * tall + tall / 2;
    if (below > this.area.scrollTop + this.area.clientHeight) this.area.scrollTop = below - this.area.clientHeight;
  }

  #edited() {
    this.faults = []; // their columns belong to the old text
    this.#draw();
    this.changed(this.text);
    this.#offer(false);
  }

  #follow() {
    if (!this.words.hidden) this.#place();
    this.layer.style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
    this.gutter.firstChild.style.transform = `translateY(${-this.area.scrollTop}px)`;
  }

  /** Shows help on the word at the cursor, or on its line, below the editor. */
  #tell() { this.hint.textContent = helpAt(this.text, this.area.selectionStart, this.named) || HINT; }

  /** The sizes of rows and columns on screen. All letters have the same width. */
  #measure() {
    const style = getComputedStyle(this.area);
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = style.font;
    return { wide: pen.measureText("0").width, tall: parseFloat(style.lineHeight), left: parseFloat(style.paddingLeft), top: parseFloat(style.paddingTop) };
  }

  /** Shows help on the word under the mouse, at its place. */
  #hover(event) {
    const { wide, tall, left, top } = this.#measure();
    const row = Math.floor((event.offsetY - top + this.area.scrollTop) / tall);
    const column = Math.floor((event.offsetX - left + this.area.scrollLeft) / wide);
    if (row === this.row && column === this.column) return;
    [this.row, this.column] = [row, column];
    const lines = this.text.split("\n");
    const inside = row >= 0 && row < lines.length && column >= 0 && column < lines[row].length;
    const at = lines.slice(0, Math.max(0, row)).reduce((sum, line) => sum + line.length + 1, column);
    this.area.title = inside ? helpAt(this.text, at, this.named) : "";
  }

  /** Offers the words that fit at the cursor. If not asked for, only from the second letter on and with none selected. */
  #offer(asked) {
    const at = this.area.selectionStart;
    const { typed, words } = wordsAt(this.text, at, this.named);
    if (!asked && (typed.length < 2 || /[A-Za-z_0-9]/.test(this.text[at] ?? ""))) { this.#shut(); return; }
    this.typed = typed;
    this.words.replaceChildren(...words.map(([word, line], i) => h("li", { id: `word-${i}`, role: "option", "aria-selected": "false", "data-word": word,
      onmousedown: (event) => { event.preventDefault(); this.#take(word); } }, h("b", {}, word), line ? h("span", { className: "faint" }, ` ${line}`) : null)));
    this.words.hidden = !words.length;
    this.from = at - typed.length;
    this.#place();
    this.chosen = -1;
    if (asked) this.#choose(0);
  }

  /** Places the list below the line of the word, or above it if there is no room. */
  #place() {
    const { wide, tall, left, top } = this.#measure();
    const before = this.text.slice(0, this.from).split("\n");
    const x = left + before.at(-1).length * wide - this.area.scrollLeft;
    const y = top + before.length * tall - this.area.scrollTop;
    const room = this.area.parentElement;
    this.words.style.left = `${Math.max(0, Math.min(x, room.clientWidth - this.words.offsetWidth - 4))}px`;
    this.words.style.top = `${y + this.words.offsetHeight > room.clientHeight && y > this.words.offsetHeight + tall ? y - tall - this.words.offsetHeight : y}px`;
  }

  #choose(to) {
    const some = [...this.words.children];
    if (!some.length) return;
    this.chosen = (to + some.length) % some.length;
    some.forEach((one, i) => one.setAttribute("aria-selected", String(i === this.chosen)));
    some[this.chosen].scrollIntoView({ block: "nearest" });
    this.area.setAttribute("aria-activedescendant", `word-${this.chosen}`);
  }

  #take(word) {
    this.#put(word.slice(this.typed.length));
    this.#shut();
  }

  #shut() {
    this.words.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
  }

  /** Whether the list of words handled a key. */
  #listed(event) {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.#offer(true);
      return true;
    }
    if (this.words.hidden) return false;
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move) this.#choose(this.chosen < 0 && move < 0 ? -1 : this.chosen + move);
    else if (event.key === "Tab" || (event.key === "Enter" && this.chosen >= 0)) this.#take(this.words.children[Math.max(0, this.chosen)].dataset.word);
    else {
      if (!["Shift", "Control"].includes(event.key)) this.#shut();
      if (event.key !== "Escape") return false;
    }
    event.preventDefault();
    return true;
  }

  #key(event) {
    if (this.#listed(event)) return;
    if (event.key === "Escape") { this.leaving = true; return; }
    if (event.key === "Tab" && !this.leaving && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      this.#indent(event.shiftKey);
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      const before = this.text.slice(0, this.area.selectionStart);
      const indent = /(?:^|\n)([ \t]*)[^\n]*$/.exec(before)[1];
      if (indent) { event.preventDefault(); this.#put(`\n${indent}`); }
    }
    if (event.key !== "Shift") this.leaving = false;
  }

  #indent(back) {
    const { selectionStart: from, selectionEnd: to } = this.area;
    const first = this.text.lastIndexOf("\n", from - 1) + 1;
    if (from === to && !back) { this.#put(INDENT); return; }
    const chosen = this.text.slice(first, to);
    const moved = back ? chosen.replace(/^ {1,2}/gm, "") : chosen.replace(/^(?=[^\n])/gm, INDENT);
    if (moved === chosen) return;
    this.area.setSelectionRange(first, to);
    this.#put(moved);
    if (from === to) this.area.setSelectionRange(Math.max(first, from - (chosen.length - moved.length)), Math.max(first, from - (chosen.length - moved.length)));
    else this.area.setSelectionRange(first, first + moved.length);
  }

  #put(text) { document.execCommand("insertText", false, text); } // only this command keeps the undo history

  #draw() {
    const text = this.text;
    const lines = text.split("\n");
    const marks = this.#marks(lines);
    const pieces = [];
    let at = 0;
    const add = (from, to, kind) => {
      let start = from;
      for (const mark of marks) {
        if (mark.to <= start || mark.from >= to) continue;
        if (mark.from > start) pieces.push(piece(text.slice(start, mark.from), kind));
        const end = Math.min(mark.to, to);
        pieces.push(piece(text.slice(Math.max(start, mark.from), end), kind, true));
        start = end;
      }
      if (start < to) pieces.push(piece(text.slice(start, to), kind));
    };
    for (const token of text.matchAll(TOKEN)) {
      if (token.index > at) add(at, token.index, "");
      const kind = KINDS[token.slice(1).findIndex((part) => part !== undefined)];
      add(token.index, token.index + token[0].length, kind);
      at = token.index + token[0].length;
    }
    if (at < text.length) add(at, text.length, "");
    this.layer.replaceChildren(...pieces, "\n");
    const wrong = new Map();
    for (const fault of this.faults) wrong.set(fault.line, [...(wrong.get(fault.line) ?? []), fault.message]);
    this.gutter.replaceChildren(h("div", {}, ...lines.map((_, i) =>
      h("span", wrong.has(i + 1) ? { className: "wrong", title: wrong.get(i + 1).join("\n") } : {}, String(i + 1)))));
    this.#follow();
  }

  #marks(lines) {
    const starts = [0];
    for (const line of lines) starts.push(starts.at(-1) + line.length + 1);
    return this.faults
      .filter((fault) => fault.line <= lines.length)
      .map((fault) => {
        const from = starts[fault.line - 1] + Math.min(fault.start - 1, Math.max(lines[fault.line - 1].length - 1, 0));
        return { from, to: Math.max(starts[fault.line - 1] + Math.min(fault.end - 1, lines[fault.line - 1].length), from + 1) };
      })
      .sort((a, b) => a.from - b.from);
  }
}

function piece(text, kind, wrong = false) {
  if (!kind && !wrong) return document.createTextNode(text);
  return h("span", { className: [kind && `toml-${kind}`, wrong && "fault"].filter(Boolean).join(" ") }, text);
}
