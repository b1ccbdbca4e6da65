// Answers that are asked for before they are needed. The page asks for its first motion while its other scripts are still loading.

import { draft } from "./drafts.js";
import { compute, first, get } from "./server.js";

const asked = new Map(); // the newest request of each task

/** Asks for the result of a computation. `early` takes it; a request that nobody takes is abandoned for the next one. */
function ahead(task, data) {
  asked.get(task)?.abort.abort();
  const one = { key: JSON.stringify(data), abort: new AbortController(), told: [], heard: null };
  one.answer = compute(task, data, { signal: one.abort.signal, heard: (words) => { one.told.push(words); one.heard?.(words); } });
  one.answer.catch(() => undefined); // whoever takes it is told
  asked.set(task, one);
  return one.answer;
}

/** Like `compute`, with the answer that was asked for ahead if there is one. */
export function early(task, data, { signal, heard } = {}) {
  const one = asked.get(task);
  if (one?.key !== JSON.stringify(data)) return compute(task, data, { signal, heard });
  asked.delete(task);
  one.heard = heard;
  if (heard) one.told.forEach(heard);
  signal?.addEventListener("abort", () => one.abort.abort());
  return one.answer;
}

/** A motion as the first run of a model without settings asks for it. */
const plain = (text) => ({ text, settings: {}, data: false, lane: "a" });
export const checked = (text) => ({ text, lane: "check" });

/** The text of a gallery model. That of the first page is fetched once. */
export const galleryText = async (name) => (name === first.name ? first.text : ((await texts.get(name)) ?? (await get(`/api/gallery/${name}`)).text));
const texts = new Map();

async function begin() {
  const name = location.hash === "" ? first.name : /^#model=([a-z0-9-]+)$/.exec(location.hash)?.[1];
  if (!name || draft()) return;
  const found = galleryText(name);
  texts.set(name, found);
  const text = await found;
  ahead("check", checked(text));
  ahead("motion", plain(text)); // at once: between two answers the page would have to find the time to ask
}

begin().catch(() => undefined); // the page asks again for what was refused, and tells why
