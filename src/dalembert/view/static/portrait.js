/* One quantity of a motion over another: a phase portrait, a path, or any chosen pair. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const WIDTH = 420, HEIGHT = 300;
  const EDGE = { left: 54, right: 12, top: 10, bottom: 26 };
  const TEXTS = { y: "Upwards", x: "To the right", over: " against ", section: "Poincaré section: where this rises through zero", none: "at all times", at: (name) => `when ${name} = 0`, where: ", ", found: (count) => `${count} points of the section` };

  class Portrait {
    /* `chosen` is { x, y }, the chosen names. The caller keeps it. */
    constructor(parent, scene, chosen) {
      this.chosen = chosen;
      this.take(scene);
      const names = [...this.lines.keys()];
      const first = names.find((name) => this.lines.has(`${name}'`)) || names[0];
      if (!this.lines.has(chosen.x)) chosen.x = first;
      if (!this.lines.has(chosen.y)) chosen.y = this.lines.has(`${first}'`) ? `${first}'` : names[1] || first;
      const figure = (this.figure = da.element("figure", "da-plot da-portrait", parent));
      const caption = da.element("figcaption", "", figure);
      this.select("y", TEXTS.y, names, caption);
      caption.append(TEXTS.over);
      this.select("x", TEXTS.x, names, caption);
      caption.append(TEXTS.where);
      if (!this.lines.has(chosen.section)) chosen.section = "";
      this.select("section", TEXTS.section, ["", ...names], caption);
      this.svg = da.svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
      figure.append(this.svg);
      this.draw();
    }

    take(scene) {
      this.scene = scene;
      this.lines = new Map(scene.panels.flatMap((panel) => panel.lines.map((line) => [line.name, line])));
    }

    /* The same quantities of another motion. */
    fill(_, scene) {
      this.take(scene);
      this.draw();
    }

    select(axis, label, names, parent) {
      const made = da.element("select", "da-select", parent);
      made.setAttribute("aria-label", label);
      for (const name of names) da.element("option", "", made, name ? (axis === "section" ? TEXTS.at(name) : name) : TEXTS.none).value = name;
      made.value = this.chosen[axis] ?? "";
      made.title = label;
      made.addEventListener("change", () => {
        this.chosen[axis] = made.value;
        this.draw();
        this.show(this.time ?? this.scene.start);
      });
    }

    draw() {
      const { svg } = this;
      const [one, two] = [this.lines.get(this.chosen.x), this.lines.get(this.chosen.y)];
      svg.replaceChildren();
      svg.setAttribute("aria-label", `${this.chosen.y} over ${this.chosen.x}`);
      const [left, right] = da.plotLimits([one]);
      const [low, high] = da.plotLimits([two]);
      this.x = (v) => EDGE.left + ((WIDTH - EDGE.left - EDGE.right) * (v - left)) / (right - left);
      this.y = (v) => HEIGHT - EDGE.bottom - ((HEIGHT - EDGE.top - EDGE.bottom) * (v - low)) / (high - low);
      const near = (v, size) => da.told(Math.abs(v) < 1e-12 * size ? 0 : v);
      for (const v of da.plotMarks(low, high, 6)) {
        da.svg("line", { class: "da-rule", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: this.y(v), y2: this.y(v) }, svg);
        da.svg("text", { class: "da-mark", x: EDGE.left - 5, y: this.y(v) + 3.5, "text-anchor": "end" }, svg).textContent = near(v, high - low);
      }
      for (const v of da.plotMarks(left, right, 6)) {
        da.svg("line", { class: "da-rule", x1: this.x(v), x2: this.x(v), y1: EDGE.top, y2: HEIGHT - EDGE.bottom }, svg);
        da.svg("text", { class: "da-mark", x: this.x(v), y: HEIGHT - 9, "text-anchor": "middle" }, svg).textContent = near(v, right - left);
      }
      const parts = [];
      one.times.forEach((t, i) => {
        const [a, b] = [one.values[i], one === two ? one.values[i] : one.times === two.times ? two.values[i] : da.valueAt(two, t)];
        const whole = Number.isFinite(a) && Number.isFinite(b);
        parts.push(whole ? `${parts.length && parts[parts.length - 1] ? "L" : "M"}${this.x(a).toFixed(1)} ${this.y(b).toFixed(1)}` : "");
      });
      da.svg("path", { class: this.chosen.section ? "da-line da-c0 da-behind" : "da-line da-c0", d: parts.join("") }, svg);
      const points = this.chosen.section ? this.section(one, two) : [];
      for (const [a, b] of points) da.svg("circle", { class: "da-section", r: 2.6, cx: this.x(a).toFixed(2), cy: this.y(b).toFixed(2) }, svg);
      if (this.chosen.section) svg.setAttribute("aria-label", `${this.chosen.y} over ${this.chosen.x}, ${TEXTS.found(points.length)}`);
      this.dot = da.svg("circle", { class: "da-here", r: 4.5 }, svg);
    }

    /* Both quantities at the instants at which the third rises through zero. */
    section(one, two) {
      const { times, values } = this.lines.get(this.chosen.section);
      const found = [];
      for (let i = 1; i < times.length; i++) {
        if (!(values[i - 1] < 0 && values[i] >= 0)) continue;
        const t = times[i - 1] + ((times[i] - times[i - 1]) * -values[i - 1]) / (values[i] - values[i - 1]);
        const place = [da.valueAt(one, t), da.valueAt(two, t)];
        if (place.every(Number.isFinite)) found.push(place);
      }
      return found;
    }

    show(t) {
      this.time = t;
      const [a, b] = [this.chosen.x, this.chosen.y].map((name) => da.valueAt(this.lines.get(name), t));
      const whole = Number.isFinite(a) && Number.isFinite(b);
      this.dot.setAttribute("visibility", whole ? "visible" : "hidden");
      if (!whole) return;
      this.dot.setAttribute("cx", this.x(a).toFixed(2));
      this.dot.setAttribute("cy", this.y(b).toFixed(2));
    }
  }

  Object.assign(da, { Portrait });
})(globalThis);
