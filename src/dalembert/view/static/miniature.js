/* miniature(canvas, scene, theme): a small picture of one instant of a motion, drawn as on the player's canvas. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const WIDTH = 240, HEIGHT = 150; // pixels of the page
  const INSTANT = 0.45; // of the duration
  const SHOW = { trails: true, links: true, ground: true, contacts: false };

  function miniature(canvas, packed, theme = "auto") {
    const scene = da.opened(packed);
    const probe = document.createElement("div");
    probe.className = "da-player";
    probe.dataset.theme = da.darkness(theme);
    probe.hidden = true;
    document.body.append(probe);
    const colours = da.colours(probe);
    probe.remove();
    const view = new da.CanvasView(canvas);
    view.load(scene);
    view.resize(WIDTH, HEIGHT, Math.min(2, root.devicePixelRatio || 1));
    const camera = new da.Camera(scene.outlook);
    const now = da.moment(scene, scene.start + INSTANT * (scene.end - scene.start));
    camera.attend(now.bodies.map((body) => body.position));
    camera.frame(WIDTH, HEIGHT);
    view.draw(now, camera, SHOW, colours, { arrow: 0, couple: 0 });
  }

  /* "dark" or "light". Other themes follow the system. */
  const darkness = (theme) => (theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches) ? "dark" : "light");

  /* The colours of a stage, from its style sheet. */
  function colours(element) {
    const style = getComputedStyle(element);
    const read = (name) => style.getPropertyValue(`--da-${name}`).trim();
    return { back: read("stage"), ink: read("ink"), soft: read("soft"), accent: read("accent"), grid: read("grid"), link: read("link"), wall: read("wall"), wallFill: read("wall-fill"), slope: read("slope"), slopeSide: read("slope-side"), shade: Number(read("shade")) };
  }

  Object.assign(da, { miniature, darkness, colours });
})(globalThis);
