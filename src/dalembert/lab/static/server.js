// Requests to the server: the token, streamed lines of JSON, and errors as sentences.

const start = JSON.parse(document.querySelector('meta[name="lab-start"]').content);
export const { first, limits, nonce, version } = start; // the nonce is for styles
export const hasFolder = start.folder;
export const help = start.help; // one line about each key and function
export const possible = start.kinds; // kinds of files that the server can make
export const client = crypto.randomUUID();

export class Refused extends Error {
  constructor(answer, status) {
    super(answer.error ?? `the server answered with ${status}.`);
    this.kind = answer.kind ?? "";
    this.faults = answer.faults ?? [];
    this.status = status;
    this.exists = Boolean(answer.exists);
  }
}

async function ask(path, options = {}) {
  const headers = { "x-lab-token": start.token };
  if (options.data !== undefined) headers["content-type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, {
      method: options.data === undefined ? "GET" : "POST",
      headers,
      body: options.data === undefined ? undefined : JSON.stringify(options.data),
      signal: options.signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused({ error: "the lab does not answer; it may have been closed. Start it again and reload." }, 0);
  }
  if (!answer.ok) {
    let told = {};
    try { told = await answer.json(); } catch { /* an answer without a sentence */ }
    if (answer.status === 403 && /token/.test(told.error ?? "")) told.error = "the lab was started again; open the address that it printed. Your text is kept in this browser.";
    throw new Refused(told, answer.status);
  }
  return answer;
}

export const get = async (path) => (await ask(path)).json();
export const post = async (path, data) => (await ask(path, { data })).json();
export const text = async (path) => (await ask(path)).text();
export const blob = async (path, data, signal) => (await ask(path, { data, signal })).blob();

/** Runs a computation and returns its result. `heard` receives its progress and its name, by which it can be stopped. */
export async function compute(task, data, { signal, heard } = {}) {
  const answer = await ask(`/api/${task}`, { data: { client, ...data }, signal });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    rest += value ?? "";
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const told = JSON.parse(line);
      if ("error" in told) throw new Refused(told, 200);
      if ("result" in told) return told.result;
      heard?.(told);
    }
    if (done) throw new Refused({ error: "the computation ended without an answer." }, 200);
  }
}

export const stop = (job) => post("/api/stop", { job }).catch(() => undefined);

/** Only the newest of several computations counts: one runs, one waits. */
export class Latest {
  constructor(run, patience = 250) {
    this.run = run;
    this.patience = patience; // milliseconds after which a running one is abandoned for a newer one
    this.current = null;
    this.waiting = null;
  }

  ask(data) {
    this.waiting = { data };
    if (!this.current) this.#next();
    else if (performance.now() - this.current.began > this.patience) this.current.abort.abort();
    else setTimeout(() => this.#impatient(), this.patience);
  }

  #impatient() {
    if (this.current && this.waiting && performance.now() - this.current.began > this.patience) this.current.abort.abort();
  }

  async #next() {
    while (this.waiting) {
      const { data } = this.waiting;
      this.waiting = null;
      this.current = { began: performance.now(), abort: new AbortController() };
      try {
        await this.run(data, this.current.abort.signal);
      } catch (error) {
        if (error.name !== "AbortError" && !(error.kind === "stopped" && this.waiting)) throw error;
      } finally {
        this.current = null;
      }
    }
  }

  get busy() { return this.current !== null; }
}
