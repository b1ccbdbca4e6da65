/* A player in a notebook, with sliders above it, for anywidget. The state is the widget's (view/widget.py). */

const STEPS = 100; // of a slider, at least

/* Round steps, so that a slider stops at round numbers. */
function lattice(min, max) {
  if (!(max > min)) return { min, max, step: "any" };
  const step = 10 ** Math.floor(Math.log10((max - min) / STEPS));
  return { min: step * Math.floor(min / step), max: step * Math.ceil(max / step), step };
}

function made(kind, properties, ...inside) {
  const node = Object.assign(document.createElement(kind), properties);
  node.append(...inside);
  return node;
}

/* A slider for one value, and the number at its position. */
function row(model, { name, value, unit, about, min, max }) {
  const shown = made("output", { className: "da-value" });
  const range = made("input", { type: "range", ...lattice(min, max), title: about });
  range.setAttribute("aria-label", [name, about].filter(Boolean).join(", "));
  const show = (number) => {
    range.value = number ?? 0;
    shown.textContent = number === null ? "free" : `${Number(Number(number).toPrecision(4))} ${unit}`.trim();
  };
  range.addEventListener("input", () => {
    model.set("values", { ...model.get("values"), [name]: Number(Number(range.value).toPrecision(12)) });
    model.save_changes();
  });
  const follow = () => show(model.get("values")[name] ?? value);
  model.on("change:values", follow);
  follow();
  return made("label", { className: "da-slider" }, made("span", {}, name), range, shown);
}

export default {
  render({ model, el }) {
    const said = made("p", { className: "da-said", role: "status" });
    const sliders = made("div", { className: "da-sliders" }, ...model.get("sliders").map((control) => row(model, control)));
    const place = made("div", {});
    el.replaceChildren(made("div", { className: "da-widget" }, sliders, said, place));
    const ontime = (time, playing) => {
      if (playing || model.get("time") === time) return;
      model.set("time", time);
      model.save_changes();
    };
    const player = dalembert.mountPlayer(place, model.get("scene"), { ...model.get("options"), time: model.get("time"), ontime });
    const ghost = () => player.ghost(model.get("ghost").version ? model.get("ghost") : null);
    const tell = () => { said.textContent = model.get("said"); said.hidden = !said.textContent; };
    model.on("change:scene", () => player.update(model.get("scene")));
    model.on("change:ghost", ghost);
    model.on("change:said", tell);
    model.on("change:time", () => { if (player.time !== model.get("time")) player.seek(model.get("time")); });
    ghost();
    tell();
    return () => player.destroy();
  },
};
