/* The plots of a motion: lines over time in SVG, a cursor that follows the motion, and values at the cursor. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const SVG = "http://www.w3.org/2000/svg";
  const WIDTH = 420;
  const HEIGHT = 124;
  const EDGE = { left: 54, right: 8, top: 8, bottom: 22 };
  let counted = 0;

  function made(name, attributes, parent) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    if (parent) parent.appendChild(element);
    return element;
  }

  /* A readable number: four digits, with a power of ten if that is shorter. */
  function told(value) {
    if (!Number.isFinite(value)) return "–";
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e5 || size < 1e-3) {
      const [digits, power] = value.toExponential(2).split("e");
      return `${Number(digits)}e${Number(power)}`.replaceAll("-", "−");
    }
    return String(Number(value.toPrecision(4))).replaceAll("-", "−");
  }

  function marks(low, high, count) {
    const step = da.nice((high - low) / count);
    const found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && found.length < 20; k++) found.push(k * step);
    return found;
  }

  function limits(lines) {
    let low = Infinity;
    let high = -Infinity;
    for (const { values } of lines)
      for (const v of values)
        if (Number.isFinite(v)) {
          if (v < low) low = v;
          if (v > high) high = v;
        }
    if (!(high >= low)) return [-1, 1];
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (high - low <= 1e-6 * size) [low, high] = [low - 0.05 * size, high + 0.05 * size];
    if (high === low) [low, high] = [low - 1, high + 1];
    return [low - 0.06 * (high - low), high + 0.06 * (high - low)];
  }

  /* The value of a line at a time. Next to a gap, that of the side with a value. */
  function valueAt({ times, values }, t) {
    const k = da.place(times, t);
    const h = times[k + 1] - times[k];
    const s = h > 0 ? Math.max(0, Math.min(1, (t - times[k]) / h)) : 0;
    const [a, b] = [values[k], values[Math.min(k + 1, values.length - 1)]];
    return Number.isFinite(a) && Number.isFinite(b) ? a + s * (b - a) : Number.isFinite(a) ? a : b;
  }

  class Plot {
    constructor(parent, panel, scene, seek) {
      this.marked = "";
      const figure = (this.figure = document.createElement("figure"));
      figure.className = "da-plot";
      const caption = document.createElement("figcaption");
      caption.textContent = panel.left_out ? `${panel.title} (${panel.left_out} more not shown)` : panel.title;
      figure.appendChild(caption);
      const names = panel.lines.map((line) => line.name).join(", ");
      const svg = (this.svg = made("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${panel.title} over time: ${names}` }));
      figure.appendChild(svg);
      const legend = document.createElement("ul");
      legend.className = "da-legend";
      figure.appendChild(legend);
      const inside = `da-inside-${++counted}`;
      made("rect", { x: EDGE.left, y: 0, width: WIDTH - EDGE.left - EDGE.right, height: HEIGHT - EDGE.bottom }, made("clipPath", { id: inside }, svg));
      this.rules = made("g", {}, svg);
      this.events = made("g", {}, svg);
      this.ways = panel.lines.map((_, i) => made("path", { class: `da-line da-c${i % 8}`, "stroke-dasharray": i < 8 ? "none" : "5 3", "clip-path": `url(#${inside})` }, svg));
      this.values = panel.lines.map((line, i) => {
        const item = document.createElement("li");
        const swatch = document.createElement("span");
        swatch.className = `da-swatch da-c${i % 8}`;
        const value = document.createElement("span");
        value.className = "da-value";
        item.append(swatch, `${line.name}${line.unit ? ` [${line.unit}]` : ""} `, value);
        legend.appendChild(item);
        return value;
      });
      this.cursor = made("line", { class: "da-cursor", y1: EDGE.top, y2: HEIGHT - EDGE.bottom }, svg);
      parent.appendChild(figure);
      this.listen(seek);
      this.fill(panel, scene);
    }

    x(t) {
      const { start, end } = this.scene;
      return EDGE.left + ((WIDTH - EDGE.left - EDGE.right) * (t - start)) / (end - start || 1);
    }

    y(v) {
      const [low, high] = this.range;
      return HEIGHT - EDGE.bottom - ((HEIGHT - EDGE.top - EDGE.bottom) * (v - low)) / (high - low);
    }

    /* The same lines of another motion. */
    fill(panel, scene) {
      Object.assign(this, { panel, scene, range: limits(panel.lines) });
      const marked = String([...this.range, scene.start, scene.end]);
      if (marked !== this.marked) this.rule();
      this.marked = marked;
      const kinds = new Map(); // a path for every kind of event
      for (const { time, kind } of scene.events.length > 400 ? [] : scene.events)
        kinds.set(kind, `${kinds.get(kind) ?? ""}M${this.x(time).toFixed(2)} ${EDGE.top}V${HEIGHT - EDGE.bottom}`);
      this.events.replaceChildren(...[...kinds].map(([kind, d]) => made("path", { class: `da-event da-${kind}`, d })));
      panel.lines.forEach((line, i) => this.ways[i].setAttribute("d", this.path(line)));
    }

    /* Round numbers along both axes. */
    rule() {
      const { scene, rules } = this;
      rules.replaceChildren();
      for (const v of marks(...this.range, 4)) {
        made("line", { class: "da-rule", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: this.y(v), y2: this.y(v) }, rules);
        made("text", { class: "da-mark", x: EDGE.left - 5, y: this.y(v) + 3.5, "text-anchor": "end" }, rules).textContent = told(Math.abs(v) < 1e-12 * (this.range[1] - this.range[0]) ? 0 : v);
      }
      for (const t of marks(scene.start, scene.end, 6)) {
        const text = told(t);
        const x = Math.min(this.x(t), WIDTH - 3 - 3.5 * text.length); // whole, at the right edge too
        made("text", { class: "da-mark", x, y: HEIGHT - 7, "text-anchor": "middle" }, rules).textContent = text;
      }
    }

    /* Places nearer than a fifth of a pixel to the one before are left out, but for the last. */
    path({ times, values }) {
      const last = times.length - 1;
      let way = "";
      let [px, py] = [NaN, NaN];
      for (let i = 0; i <= last; i++) {
        const [x, y] = [this.x(times[i]), this.y(values[i])];
        if (!Number.isFinite(y)) {
          [px, py] = [NaN, NaN];
          continue;
        }
        if (i < last && Math.abs(x - px) < 0.2 && Math.abs(y - py) < 0.2) continue;
        way += `${Number.isNaN(px) ? "M" : "L"}${Math.round(10 * x) / 10} ${Math.round(10 * y) / 10}`;
        [px, py] = [x, y];
      }
      return way;
    }

    listen(seek) {
      const at = (event) => {
        const box = this.svg.getBoundingClientRect();
        const x = ((event.clientX - box.left) / box.width) * WIDTH;
        const share = (x - EDGE.left) / (WIDTH - EDGE.left - EDGE.right);
        seek(this.scene.start + Math.max(0, Math.min(1, share)) * (this.scene.end - this.scene.start));
      };
      this.svg.addEventListener("pointerdown", (event) => {
        this.svg.setPointerCapture(event.pointerId);
        at(event);
      });
      this.svg.addEventListener("pointermove", (event) => event.buttons && at(event));
    }

    show(t) {
      const x = this.x(t).toFixed(2);
      this.cursor.setAttribute("x1", x);
      this.cursor.setAttribute("x2", x);
      this.panel.lines.forEach((line, i) => { this.values[i].textContent = told(valueAt(line, t)); });
    }
  }

  Object.assign(da, { Plot, told, valueAt, svg: made, plotMarks: marks, plotLimits: limits });
})(globalThis);
