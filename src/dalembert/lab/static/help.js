// Help on tables, keys, shapes, functions and names of a model, and completion of words.

import { help } from "./server.js";

const { keys: KEYS, shapes: SHAPES, functions: FUNCTIONS } = help; // from model/help.py, in the reader's language
const ABOVE = ["title", "reference", "gravity"]; // before all tables
const TABLES = Object.keys(KEYS).filter((key) => !key.includes(".") && !ABOVE.includes(key));
const HEAD = /^[ \t]*\[\[?([A-Za-z_]+)/;
const OWN = ["parameters", "coordinates", "definitions", "frames", "points", "inputs", "states"]; // tables whose entries may appear in expressions
const ENTRIES = /^[ \t]*\[(?:bodies|frames|points|parameters|coordinates|joints|rolling|contacts|frictions)\.([A-Za-z_0-9]+)\]/gm;
const KEPT = 40;

const keysOf = (table) => (table ? Object.keys(KEYS).filter((key) => key.startsWith(`${table}.`)).map((key) => key.slice(table.length + 1)) : ABOVE);

/** The table that a place in the text belongs to: its name without that of its entry. */
function tableAt(text, at) {
  const heads = [...text.slice(0, at).matchAll(new RegExp(HEAD, "gm"))];
  return heads.length ? heads.at(-1)[1] : "";
}

function lineAt(text, at) {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const end = text.indexOf("\n", at);
  return { start, line: text.slice(start, end < 0 ? text.length : end) };
}

/** Help on a key of a table: its own line, that of a shape, or that of the table's entries. */
function key(table, word, drawing) {
  const own = KEYS[table ? `${table}.${word}` : word] ?? (drawing ? SHAPES[word] : undefined);
  if (own) return `${word}: ${own}`;
  return table && KEYS[table] && !keysOf(table).includes(word) ? `${word}, of [${table}]: ${KEYS[table]}` : "";
}

/** A sentence on the word at a place of the text, or on its line. `named(word)` describes names of the model. */
export function helpAt(text, at, named = () => "") {
  const { start, line } = lineAt(text, at);
  const head = HEAD.exec(line);
  if (head) return KEYS[head[1]] ? `[${head[1]}]: ${KEYS[head[1]]}` : "";
  const table = tableAt(text, start);
  const column = at - start;
  const drawing = table === "drawings" || /shapes?[ \t]*=|^[ \t]*\{/.test(line);
  const before = /[A-Za-z_][A-Za-z_0-9]*$/.exec(line.slice(0, column))?.[0] ?? "";
  const word = before + (/^[A-Za-z_0-9]*/.exec(line.slice(column))?.[0] ?? "");
  if (word && !/^\d/.test(word)) {
    const after = line.slice(column - before.length + word.length);
    if (/^[ \t]*=[^=]/.test(after)) return (line.slice(0, column).includes("{") && drawing && SHAPES[word] ? `${word}: ${SHAPES[word]}` : key(table, word, drawing)) || fallback(table, line);
    const told = named(word) || (FUNCTIONS[word] ?? "");
    if (told) return told.startsWith(`${word}`) ? told : `${word}: ${told}`;
  }
  return fallback(table, line);
}

function fallback(table, line) {
  const first = /^[ \t]*([A-Za-z_0-9]+)[ \t]*=/.exec(line)?.[1];
  return first ? key(table, first, false) : "";
}

/** The words that complete the text before a place, each with its line of help: names, functions, keys, tables. */
export function wordsAt(text, at, named = () => "") {
  const before = text.slice(0, at);
  const typed = /[A-Za-z_][A-Za-z_0-9]*$/.exec(before)?.[0] ?? "";
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const table = tableAt(text, at);
  const known = keysOf(table).map((word) => [word, KEYS[table ? `${table}.${word}` : word]]);
  let pool;
  if (/^[ \t]*\[\[?[A-Za-z_]*$/.test(line)) pool = TABLES.map((name) => [name, KEYS[name]]);
  else if (/^[ \t]*[A-Za-z_]*$/.test(line)) pool = known;
  else {
    const names = [...text.matchAll(ENTRIES)].map((found) => found[1]);
    for (const name of OWN) {
      const inside = new RegExp(`^[ \\t]*\\[${name}\\][^\\n]*\\n([\\s\\S]*?)(?=^[ \\t]*\\[|$(?![\\s\\S]))`, "m").exec(text)?.[1] ?? "";
      names.push(...[...inside.matchAll(/^[ \t]*([A-Za-z_0-9]+)[ \t]*=/gm)].map((found) => found[1]));
    }
    const drawing = /shapes?[ \t]*=|^[ \t]*\{/.test(line) || table === "drawings";
    pool = [...names.map((name) => [name, named(name)]), ...Object.entries(FUNCTIONS), ...(drawing ? Object.entries(SHAPES) : []), ...known];
  }
  const found = new Map(pool.filter(([word]) => word.startsWith(typed) && word !== typed).reverse());
  return { typed, words: [...found].reverse().slice(0, KEPT) };
}
