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
      this.panel = panel;
      this.scene = scene;
      const figure = (this.figure = document.createElement("figure"));
      figure.className = "da-plot";
      const caption = document.createElement("figcaption");
      caption.textContent = panel.left_out ? `${panel.title} (${panel.left_out} more not shown)` : panel.title;
      figure.appendChild(caption);
      const names = panel.lines.map((line) => line.name).join(", ");
      this.svg = made("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${panel.title} over time: ${names}` });
      figure.appendChild(this.svg);
      this.legend = document.createElement("ul");
      this.legend.className = "da-legend";
      figure.appendChild(this.legend);
      parent.appendChild(figure);
      this.fill();
      this.listen(seek);
    }

    x(t) {
      const { start, end } = this.scene;
      return EDGE.left + ((WIDTH - EDGE.left - EDGE.right) * (t - start)) / (end - start || 1);
    }

    y(v) {
      const [low, high] = this.range;
      return HEIGHT - EDGE.bottom - ((HEIGHT - EDGE.top - EDGE.bottom) * (v - low)) / (high - low);
    }

    fill() {
      const { svg, panel, scene } = this;
      this.range = limits(panel.lines);
      for (const v of marks(...this.range, 4)) {
        made("line", { class: "da-rule", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: this.y(v), y2: this.y(v) }, svg);
        made("text", { class: "da-mark", x: EDGE.left - 5, y: this.y(v) + 3.5, "text-anchor": "end" }, svg).textContent = told(Math.abs(v) < 1e-12 * (this.range[1] - this.range[0]) ? 0 : v);
      }
      for (const t of marks(scene.start, scene.end, 6)) {
        const text = told(t);
        const x = Math.min(this.x(t), WIDTH - 3 - 3.5 * text.length); // not cut off at the right edge
        made("text", { class: "da-mark", x, y: HEIGHT - 7, "text-anchor": "middle" }, svg).textContent = text;
      }
      const inside = `da-inside-${++counted}`;
      const clip = made("clipPath", { id: inside }, svg);
      made("rect", { x: EDGE.left, y: 0, width: WIDTH - EDGE.left - EDGE.right, height: HEIGHT - EDGE.bottom }, clip);
      const events = scene.events.length > 400 ? [] : scene.events;
      for (const event of events)
        made("line", { class: `da-event da-${event.kind}`, x1: this.x(event.time), x2: this.x(event.time), y1: EDGE.top, y2: HEIGHT - EDGE.bottom }, svg);
      this.values = panel.lines.map((line, i) => {
        made("path", { class: `da-line da-c${i % 8}`, d: this.path(line), "stroke-dasharray": i < 8 ? "none" : "5 3", "clip-path": `url(#${inside})` }, svg);
        const item = document.createElement("li");
        const swatch = document.createElement("span");
        swatch.className = `da-swatch da-c${i % 8}`;
        const value = document.createElement("span");
        value.className = "da-value";
        item.append(swatch, `${line.name}${line.unit ? ` [${line.unit}]` : ""} `, value);
        this.legend.appendChild(item);
        return value;
      });
      this.cursor = made("line", { class: "da-cursor", y1: EDGE.top, y2: HEIGHT - EDGE.bottom }, svg);
    }

    path({ times, values }) {
      const parts = [];
      let pen = false;
      for (let i = 0; i < times.length; i++) {
        if (!Number.isFinite(values[i])) {
          pen = false;
          continue;
        }
        parts.push(`${pen ? "L" : "M"}${this.x(times[i]).toFixed(1)} ${this.y(values[i]).toFixed(1)}`);
        pen = true;
      }
      return parts.join("");
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
