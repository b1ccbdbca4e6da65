/* What stands beside and below the picture: the legend with the names of bodies, the plots, and the equations. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const { SHOWN, element, button, safe } = da;

  function legend(player) {
    const turning = new Set(player.scene.couples.map((couple) => couple.kind));
    const kinds = new Set([...player.scene.arrows.map((arrow) => arrow.kind), ...turning]);
    const modes = new Set(player.scene.contacts.flatMap((touch) => [...new Set(touch.mode)].map((k) => touch.modes[k])));
    const told = JSON.stringify([[...kinds], [...turning], [...modes], player.scene.links.length, player.scene.points.length, player.scene.bodies.map(({ name }) => name)]);
    if (player.legended === told) return;
    player.legended = told;
    player.key.replaceChildren();
    for (const [key] of SHOWN) {
      const used = { reaction: kinds.has("reaction"), contact: kinds.has("contact"), force: kinds.has("force"), weight: kinds.has("weight"), contacts: modes.size > 0, links: player.scene.links.length > 0, points: player.scene.points.length > 0 }[key];
      player.boxes[key].hidden = used === false;
    }
    const entry = (colour, text) => {
      const item = element("span", "da-entry", player.key);
      element("i", "da-swatch", item).style.background = colour;
      item.append(text);
    };
    if (kinds.has("reaction") || kinds.has("contact")) entry(da.FORCES.reaction, "reaction");
    if (kinds.has("force")) entry(da.FORCES.force, "force");
    if (turning.size) {
      const item = element("span", "da-entry", player.key);
      element("i", "da-turning", item, "↺").setAttribute("aria-hidden", "true");
      item.append("couple");
    }
    for (const mode of ["rolling", "sliding", "closed", "open"]) if (modes.has(mode)) entry(da.MODES[mode], mode === "closed" ? "touching" : mode);
    player.names.replaceChildren();
    player.tags = player.scene.bodies.map((body) => element("span", "da-name", player.names, body.name));
  }

  /* The plots that are open: other motions fill those that are there. */
  function panels(player) {
    const order = ["energy", "reactions", "coordinates", "speeds", "residuals"];
    player.open = player.open || new Set(order.filter((key) => player.scene.panels.some((panel) => panel.key === key)).slice(0, 3));
    const told = JSON.stringify([[...player.open], player.scene.panels.map(({ key, title, lines }) => [key, title, lines.map(({ name, unit }) => [name, unit])])]);
    if (player.plotted === told && player.drawn.length) {
      for (const plot of player.drawn) plot.fill(player.scene.panels.find(({ key }) => key === plot.panel?.key), player.scene);
      return;
    }
    player.plots.replaceChildren();
    player.drawn = [];
    player.side.hidden = !player.options.plots || !player.scene.panels.length;
    if (player.side.hidden) return;
    const choice = element("div", "da-choice", player.plots);
    choice.setAttribute("role", "group");
    choice.setAttribute("aria-label", "Plots");
    for (const panel of player.scene.panels) {
      const chip = button("da-chip", panel.title, panel.title.replace(/ \(.*| of the .*/, ""), choice, () => {
        if (player.open.has(panel.key)) player.open.delete(panel.key);
        else player.open.add(panel.key);
        panels(player);
        player.draw();
      });
      chip.setAttribute("aria-pressed", player.open.has(panel.key));
    }
    const portrait = button("da-chip", "x–y: one quantity over another", "x–y", choice, () => {
      if (!player.open.delete("x-y")) player.open.add("x-y");
      panels(player);
      player.draw();
    });
    portrait.setAttribute("aria-pressed", player.open.has("x-y"));
    player.axes = player.axes || {};
    if (player.open.has("x-y")) player.drawn.push(new da.Portrait(player.plots, player.scene, player.axes));
    for (const panel of player.scene.panels)
      if (player.open.has(panel.key)) player.drawn.push(new da.Plot(player.plots, panel, player.scene, (t) => player.seek(t)));
    player.plotted = told;
  }

  function equations(player) {
    const { equations, notes } = player.scene;
    player.details.hidden = !player.options.equations || !(equations || notes.length || player.options.book);
    if (player.written && player.written.equations === equations && player.written.notes === notes) return; // long equations take time to write
    player.written = { equations, notes };
    player.mathematics.replaceChildren();
    player.details.ontoggle = () => write(player); // only for those who open them
    if (player.details.open) write(player);
  }

  async function write(player) {
    player.details.ontoggle = null;
    const { notes, raw } = player.scene;
    const { equations, latex } = player.options.book ? await player.options.book() : raw;
    if (latex) button("da-chip", "Copy LaTeX", "Copy LaTeX", player.mathematics, () => da.copy(player, latex));
    if (equations) player.mathematics.append(safe(equations));
    for (const note of notes) element("p", "da-note", player.mathematics, note);
  }

  da.side = { legend, panels, equations };
})(globalThis);
