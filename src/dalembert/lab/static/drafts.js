// Drafts in this browser: the text that is being edited, even with faults, and texts that another one replaced.

const NOW = "lab-draft", OLD = "lab-drafts";
const MOST = 12;

function read(key) {
  try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
}

function write(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch { /* the browser stores nothing, or its storage is full */ }
}

/** The current draft: {name, text, hash, state}, or null. */
export function draft() {
  const found = read(NOW);
  return typeof found?.text === "string" && typeof found.name === "string" ? found : null;
}

export const keep = (one) => write(NOW, one);
export const forget = () => write(NOW, null);

export function drafts() {
  const found = read(OLD);
  return Array.isArray(found) ? found.filter((one) => typeof one?.text === "string" && typeof one.name === "string") : [];
}

/** Stores a text that another one replaces. */
export function putAway(name, text) {
  const others = drafts().filter((one) => one.text !== text);
  write(OLD, [{ name, text, when: new Date().toISOString() }, ...others].slice(0, MOST));
}

export const drop = (text) => write(OLD, drafts().filter((one) => one.text !== text));
