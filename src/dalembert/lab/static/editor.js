// The editor of the model's text: CodeMirror, with TOML in colours, faults at their places, words that fit, and help under the mouse.

import {
  Compartment, Decoration, EditorState, EditorView, GutterMarker, HighlightStyle, RangeSet, StateEffect, StateField, StreamLanguage, basicSetup,
  defaultHighlightStyle, gutterLineClass, hoverTooltip, indentUnit, indentWithTab, keymap, oneDarkHighlightStyle, syntaxHighlighting,
} from "../view/codemirror.js";
import { h } from "./dom.js";
import { helpAt, wordsAt } from "./help.js";
import { nonce } from "./server.js";

const HINT = "Tab indents; Escape and then Tab leaves the editor. Ctrl+Space offers words.";
const LETTER = /[A-Za-z_0-9]/;

/** TOML, as a model file has it: tables, keys before `=`, texts, numbers, comments. */
const toml = StreamLanguage.define({
  name: "toml",
  startState: () => ({ quotes: "" }), // of a text of several lines
  token(stream, state) {
    if (state.quotes) {
      if (stream.skipTo(state.quotes)) {
        stream.match(state.quotes);
        state.quotes = "";
      } else stream.skipToEnd();
      return "string";
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return "comment";
    const long = stream.match(/^("""|''')/);
    if (long) {
      state.quotes = long[1];
      return "string";
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?|^'[^']*'?/)) return "string";
    if (!stream.string.slice(0, stream.pos).trim() && stream.match(/^\[\[?[^\]]*\]\]?/)) return "heading";
    if (stream.match(/^[A-Za-z0-9_.-]+(?=[ \t]*=)/)) return "propertyName";
    if (stream.match(/^[+-]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b|^(?:true|false)\b/)) return "number";
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "#" }, closeBrackets: { brackets: ["[", "{", '"'] } },
});

const CLASSES = { comment: "toml-comment", string: "toml-string", heading: "toml-table", propertyName: "toml-key", number: "toml-number" };
const tags = new Map([defaultHighlightStyle, oneDarkHighlightStyle].flatMap(({ specs }) => specs.flatMap(({ tag }) => [tag].flat())).map((tag) => [String(tag), tag]));
const colours = HighlightStyle.define(Object.entries(CLASSES).map(([name, className]) => ({ tag: tags.get(name), class: className })));

// Faults: each is underlined, and its line's number is marked. They move with the text until the next check.

const found = StateEffect.define();
const faulty = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) if (effect.is(found)) return effect.value;
    return marks.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const wrong = new (class extends GutterMarker {
  get elementClass() { return "wrong"; }
})();

const wrongLines = gutterLineClass.compute([faulty, "doc"], (state) => {
  const lines = new Set();
  state.field(faulty).between(0, state.doc.length, (from) => { lines.add(state.doc.lineAt(from).from); });
  return RangeSet.of([...lines].map((from) => wrong.range(from)));
});

/**
 * Typed letters go to the cursor of the editor's state. Left to the browser they go to its own caret, which on a busy machine can still be at an earlier place: letters were mixed up.
 * Over a selection the browser would also copy the colours of the old text as inline styles, which the policy of the page forbids. Compositions stay with CodeMirror.
 */
const typed = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== "insertText" || !event.data || view.composing || view.contentDOM.editContext) return false;
    event.preventDefault();
    const { from, to } = view.state.selection.main;
    const change = () => view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    if (!view.state.facet(EditorView.inputHandler).some((taken) => taken(view, from, to, event.data, change))) view.dispatch(change());
    return true;
  },
});

/** Where a fault is in the text: at least one letter, if its line has one. */
function placed(doc, { line, start, end }) {
  const row = doc.line(Math.min(line, doc.lines));
  const from = row.from + Math.min(start - 1, Math.max(row.length - 1, 0));
  return { from, to: Math.min(Math.max(row.from + Math.min(end - 1, row.length), from + 1), row.to) };
}

export class Editor {
  /** `named(word)` describes a name of the model. */
  constructor(place, changed, named) {
    this.changed = changed;
    this.named = named;
    this.offers = [{ autocomplete: (context) => this.#words(context) }]; // made once: CodeMirror compares it
    this.told = new Compartment(); // attributes that tell whether there are faults
    this.hint = h("p", { id: "editor-hint", className: "faint hint" }, HINT);
    const box = h("div", { className: "editor" });
    place.append(box, this.hint);
    this.view = new EditorView({ parent: box, state: this.#state("") });
  }

  #state(doc) {
    return EditorState.create({ doc, extensions: [
      EditorView.cspNonce.of(nonce),
      basicSetup, EditorView.lineWrapping, toml, syntaxHighlighting(colours), indentUnit.of("  "), EditorState.tabSize.of(2), keymap.of([indentWithTab]),
      typed, faulty, wrongLines, this.told.of(attributes(false)),
      EditorState.languageData.of(() => this.offers),
      hoverTooltip((view, at) => this.#hover(view, at), { hoverTime: 200 }),
      EditorView.updateListener.of((update) => this.#updated(update)),
    ] });
  }

  get text() { return this.view.state.doc.toString(); }

  /** Replaces the text. Undo does not go back beyond this. */
  set text(value) { this.view.setState(this.#state(value)); }

  show(faults) {
    const { doc } = this.view.state;
    const marks = faults.map((fault) => {
      const { from, to } = placed(doc, fault);
      const mark = { class: "fault", message: fault.message };
      return to > from ? Decoration.mark(mark).range(from, to) : Decoration.line(mark).range(from); // an empty line
    });
    const effects = [found.of(Decoration.set(marks, true)), this.told.reconfigure(attributes(faults.length > 0))];
    if (this.view.hasFocus) effects.push(EditorView.scrollIntoView(this.view.state.selection.main.head)); // who types sees the line
    this.view.dispatch({ effects });
  }

  /** Puts the cursor at a fault. */
  go(fault) {
    const { from, to } = placed(this.view.state.doc, fault);
    this.view.focus();
    this.view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  }

  #updated({ docChanged, selectionSet, state }) {
    if (docChanged) this.changed(this.text);
    if (docChanged || selectionSet) this.hint.textContent = helpAt(this.text, state.selection.main.head, this.named) || HINT;
  }

  /** The words that fit at the cursor. If not asked for, only from the second letter on. */
  #words({ state, pos, explicit }) {
    const text = state.doc.toString();
    const { typed, words } = wordsAt(text, pos, this.named);
    if (!words.length || (!explicit && (typed.length < 2 || LETTER.test(text[pos] ?? "")))) return null;
    return { from: pos - typed.length, options: words.map(([label, detail], i) => ({ label, detail: detail || undefined, boost: -i })) };
  }

  /** Faults at a place of the text, and help on the word there. */
  #hover(view, at) {
    const lines = [];
    view.state.field(faulty).between(at, at, (from, to, { spec }) => { lines.push(h("p", { className: "wrong" }, spec.message)); });
    const help = helpAt(this.text, at, this.named);
    if (help) lines.push(h("p", {}, help));
    if (!lines.length) return null;
    const { from, to } = view.state.wordAt(at) ?? { from: at, to: at };
    return { pos: from, end: to, above: true, create: () => ({ dom: h("div", { className: "told" }, ...lines) }) };
  }
}

function attributes(invalid) {
  return EditorView.contentAttributes.of({
    id: "text", tabindex: "0", "aria-label": "Model, as TOML", "aria-describedby": "editor-hint faults", "aria-invalid": String(invalid), spellcheck: "false", autocapitalize: "off",
  });
}
