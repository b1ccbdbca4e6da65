// A small plot over time, as SVG: lines, axes, a cursor. For the difference of two runs.

import { h, short, svg } from "./dom.js";

const WIDTH = 420, HEIGHT = 150, LEFT = 56, RIGHT = 10, TOP = 10, BOTTOM = 24;

function ticks(low, high, about) {
  const reach = high - low;
  const raw = reach / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => reach / size <= about) ?? raw;
  const found = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + 1e-9 * reach; tick += step) found.push(Math.abs(tick) < 1e-12 * reach ? 0 : tick);
  return found;
}

export class Plot {
  constructor(place, title) {
    this.title = title;
    this.root = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img", "aria-label": title });
    this.cursor = svg("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM });
    place.append(h("figure", {}, h("figcaption", {}, title), this.root));
  }

  /** `lines`: [{values, kind}] over `times`. */
  draw(times, lines) {
    const [start, end] = [times[0], times[times.length - 1]];
    let low = Infinity, high = -Infinity;
    for (const { values } of lines) for (const value of values) { if (value < low) low = value; if (value > high) high = value; }
    if (!(high - low > 1e-14 * Math.max(Math.abs(low), Math.abs(high)))) { const half = Math.abs(low) * 1e-3 || 1; low -= half; high += half; }
    const pad = 0.06 * (high - low);
    low -= pad; high += pad;
    this.x = (t) => LEFT + ((t - start) / (end - start || 1)) * (WIDTH - LEFT - RIGHT);
    const y = (value) => TOP + ((high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM);
    const parts = [];
    for (const tick of ticks(low, high, 4)) {
      parts.push(svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick) }),
        svg("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, short(tick, 3)));
    }
    for (const tick of ticks(start, end, 6)) {
      const text = short(tick, 3);
      parts.push(svg("text", { x: Math.min(this.x(tick), WIDTH - 3 - 3.3 * text.length), y: HEIGHT - 7, "text-anchor": "middle" }, text));
    }
    for (const { values, kind } of lines) {
      let path = "";
      for (let i = 0; i < values.length; i++) path += `${i ? "L" : "M"}${this.x(times[i]).toFixed(1)} ${y(values[i]).toFixed(1)}`;
      parts.push(svg("path", { class: `line ${kind}`, d: path }));
    }
    this.root.replaceChildren(...parts, this.cursor);
    this.at(this.time ?? start);
  }

  at(time) {
    this.time = time;
    if (!this.x) return;
    const x = Math.min(Math.max(this.x(time), LEFT), WIDTH - RIGHT);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
  }
}
