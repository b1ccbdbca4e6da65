/* The plotted quantities of a motion that the page computed (a `Scene` of simulated.js). */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});

  /* Every plotted line, by the key of its panel and its name. */
  function lines(scene) {
    const { told, n, values, rows } = scene;
    const column = (at) => () => {
      const made = new Float32Array(rows.length);
      for (let i = 0; i < made.length; i++) made[i] = at(i);
      return made;
    };
    const { rows: out, width } = values.outputs;
    const output = (k) => column((i) => out[i * width + k]);
    const total = (i) => out[i * width] + out[i * width + 1];
    const energy = { kinetic: output(0), potential: output(1), total: column(total) };
    const found = { energy, change: {}, reactions: {}, residuals: {}, coordinates: {}, speeds: {}, definitions: {}, states: {}, inputs: {} };
    const changed = scene.base.panels.find((panel) => panel.key === "change");
    if (changed) found.change[changed.lines[0].name] = column((i) => total(i) - total(0));
    const own = (name, at) => { // in the unit of the model
      const [factor, offset] = told.scales[name] ?? [1, 0];
      return column((i) => (at(i) - offset) / factor);
    };
    told.coordinates.forEach((name, k) => {
      found.coordinates[name] = own(name, (i) => rows[i].y[k]);
      found.speeds[`${name}'`] = own(`${name}'`, (i) => rows[i].y[n + k]);
    });
    told.definitions.forEach((name, k) => { found.definitions[name] = output(2 + k); });
    told.parameters.slice(0, told.counts.states).forEach((name, k) => { found.states[name] = found.inputs[name] = own(name, (i) => rows[i].y[2 * n + k]); });
    for (const [place] of told.signals) {
      const name = told.parameters[place - 1 - 2 * n];
      found.inputs[name] = own(name, (i) => scene.model.state(rows[i].t, rows[i].y, 0, scene.asked.parameters)[place]);
    }
    let flat = 0;
    told.residuals.forEach(([name, holonomic], k) => {
      const [program, place] = holonomic ? ["position", flat++] : ["velocity", k];
      found.residuals[name] = column((i) => values[program].rows[i * values[program].width + place]);
    });
    for (const name of Object.keys(told.multipliers)) found.reactions[name] = column((i) => scene.multiplier(name, i));
    return found;
  }

  /* Lines of the plots: the values of one are computed when somebody looks at it. */
  function panels(scene) {
    const found = lines(scene);
    const opened = (line, values) => {
      if (!values) return { ...line, times: scene.times };
      let made = null;
      return Object.defineProperty({ ...line, times: scene.times }, "values", { get: () => (made ??= values()) });
    };
    return scene.base.panels.map((panel) => ({ ...panel, lines: panel.lines.map((line) => opened(line, Object.hasOwn(found[panel.key], line.name) && found[panel.key][line.name])) }));
  }

  da.quantities = { panels };
})(globalThis);
