// The state of the screen as the fragment of a link: compressed JSON in URL-safe letters.

const LARGEST = 2_000_000; // characters of the JSON in a link

async function through(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > LARGEST) throw new Error("it is too long for a link; share the model as a file");
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function written(state) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return `#s=${btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;
}

/** The state in a fragment: #s=… from `written`, or #model=NAME of the gallery. Null for any other. */
export async function read(fragment) {
  const model = /^#model=([a-z0-9-]+)$/.exec(fragment);
  if (model) return { gallery: model[1] };
  const packed = /^#s=([A-Za-z0-9_-]+)$/.exec(fragment);
  if (!packed) return null;
  const plain = atob(packed[1].replace(/-/g, "+").replace(/_/g, "/"));
  const bytes = Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
  const state = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await through(bytes, new DecompressionStream("deflate-raw"))));
  return isState(state) ? state : null;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

function isState(state) {
  if (!isObject(state)) return false;
  const named = typeof state.gallery === "string" || typeof state.text === "string";
  const runs = state.runs === undefined || (Array.isArray(state.runs) && state.runs.length >= 1 && state.runs.length <= 2 &&
    state.runs.every((run) => isObject(run) && isObject(run.settings ?? {}) && Object.values(run.settings ?? {}).every(isNumber)));
  return named && runs && (state.until === undefined || isNumber(state.until));
}
