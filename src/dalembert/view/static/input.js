/* Mouse, touch and keys of a player. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const { dot } = da.vector;

  /* Turning, moving and zooming by three.js's OrbitControls, with a mouse or two fingers. One finger scrolls the page. Whether the
     picture is drawn by WebGL or not, the camera of the player is what is drawn: the controls get its eye before every event, and it takes theirs. */
  function handle(player) {
    const { canvas } = player;
    const T = root.THREE;
    const eye = new T.PerspectiveCamera((180 * da.ANGLE) / Math.PI);
    const inside = ({ side, up, front }, v) => [dot(v, side), dot(v, up), dot(v, front)]; // the axes of the controls: y is up
    const outside = ({ side, up, front }, { x, y, z }) => [0, 1, 2].map((k) => x * side[k] + y * up[k] + z * front[k]);
    const given = () => {
      const { camera, view: { width, height } } = player;
      const view = camera.frame(width, height);
      eye.position.set(...inside(camera, view.eye));
      controls.target.set(...inside(camera, camera.target));
      eye.lookAt(controls.target);
      eye.updateMatrix();
      [controls.minDistance, controls.maxDistance] = [da.NEAREST, da.FURTHEST].map((k) => (k * view.distance) / camera.zoom);
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (player.taken?.(event)) event.stopImmediatePropagation(); // a body was grabbed
    });
    for (const type of ["pointerdown", "pointermove", "wheel"]) canvas.addEventListener(type, given, { passive: true });
    const controls = new T.OrbitControls(eye, canvas);
    canvas.style.touchAction = ""; // the style sheet lets one finger scroll
    Object.assign(controls, { rotateSpeed: 0.7, touches: { ONE: null, TWO: T.TOUCH.DOLLY_ROTATE }, mouseButtons: { LEFT: T.MOUSE.ROTATE, MIDDLE: T.MOUSE.PAN, RIGHT: T.MOUSE.PAN } });
    controls.addEventListener("change", () => {
      const { camera, view: { width, height } } = player;
      camera.take(outside(camera, eye.position), outside(camera, controls.target), width, height);
      player.moved();
    });
    canvas.addEventListener("dblclick", () => player.home());
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      if (player.canvas === canvas) player.pause();
    });
    return controls;
  }

  /* The keys. */
  function listen(player) {
    player.root.addEventListener("keydown", (event) => pressed(player, event));
  }

  /* The space key plays instead of scrolling, unless an element in focus uses it. */
  function spaced(toggle) {
    document.addEventListener("keydown", (event) => {
      const taken = event.target.closest?.("input:not([type=range]), select, textarea, button, summary, a, dialog, [contenteditable], [role=tab]");
      if (event.key !== " " || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || taken) return;
      event.preventDefault();
      toggle();
    });
  }

  function pressed(player, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inField = /^(INPUT|SELECT|TEXTAREA|BUTTON|SUMMARY)$/.test(event.target.tagName);
    const ranged = event.target.type === "range"; // a slider does not use the space key
    const step = (player.duration / 200) * (event.shiftKey ? 10 : 1);
    const actions = {
      n: () => player.nextEvent(), p: () => player.previousEvent(), l: () => player.setLoop(!player.loop), r: () => player.home(),
      e: () => player.follow(), "+": () => player.faster(1), "=": () => player.faster(1), "-": () => player.faster(-1),
      Home: () => player.seek(player.scene.start), End: () => player.seek(player.scene.end),
      k: () => player.toggle(), f: () => player.full(),
    };
    if (ranged) actions[" "] = () => player.toggle();
    if (!inField) {
      actions[" "] = () => player.toggle();
      actions.ArrowRight = () => player.seek(player.time + step);
      actions.ArrowLeft = () => player.seek(player.time - step);
    }
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || (inField && event.target.tagName === "SELECT")) return;
    event.preventDefault();
    action();
  }

  Object.assign(da, { listen, handle, spaced });
})(globalThis);
