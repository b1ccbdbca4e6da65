// Undo and redo of all settings: values, methods, times, models. The editor has its own undo for typing.

const MOST = 100;
const TOGETHER = 800; // milliseconds within which changes of one kind are one step

export class History {
  /** `apply(state)` restores a state; `changed({back, forth})` says whether undo and redo are possible. */
  constructor(apply, changed) {
    Object.assign(this, { apply, changed });
    this.past = [];
    this.future = [];
    this.now = null;
    this.kind = "";
    this.when = 0;
  }

  /** Records the current state. `kind` says what was changed, so that a dragged slider is one step. */
  note(state, kind) {
    const text = JSON.stringify(state);
    if (text === this.now) return;
    const together = kind === this.kind && performance.now() - this.when < TOGETHER;
    if (this.now !== null && !together) {
      this.past.push(this.now);
      if (this.past.length > MOST) this.past.shift();
    }
    this.future = [];
    this.now = text;
    this.kind = kind;
    this.when = performance.now();
    this.#tell();
  }

  back() { this.#go(this.past, this.future); }

  forth() { this.#go(this.future, this.past); }

  #go(from, to) {
    if (!from.length) return;
    to.push(this.now);
    this.now = from.pop();
    this.kind = "";
    this.#tell();
    this.apply(JSON.parse(this.now));
  }

  #tell() { this.changed({ back: this.past.length > 0, forth: this.future.length > 0 }); }
}
