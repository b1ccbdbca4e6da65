/* Mouse, touch and keys of a player. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});

  /* Turning, moving and zooming on a canvas with a mouse or two fingers. One finger scrolls the page. */
  function handle(player) {
    const { canvas } = player;
    const pointers = new Map();
    let apart = 0;
    const touching = (event) => event.pointerType === "touch";
    canvas.addEventListener("pointerdown", (event) => {
      if (player.taken?.(event)) return; // a body was grabbed
      if (!touching(event)) canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event);
    });
    canvas.addEventListener("pointermove", (event) => {
      const last = pointers.get(event.pointerId);
      if (!last) return;
      const [dx, dy] = [event.clientX - last.clientX, event.clientY - last.clientY];
      pointers.set(event.pointerId, event);
      if (pointers.size === 2) {
        const [one, two] = [...pointers.values()];
        const now = Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY);
        if (apart) player.camera.dolly(apart / now);
        apart = now;
        player.camera.orbit(dx / 2, dy / 2);
      } else if (touching(event)) return;
      else if (event.shiftKey || event.buttons === 2 || event.buttons === 4) player.camera.pan(dx, dy, player.view.width, player.view.height);
      else player.camera.orbit(dx, dy);
      player.moved();
    });
    const release = (event) => {
      pointers.delete(event.pointerId);
      apart = 0;
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      player.camera.dolly(Math.exp(0.0012 * event.deltaY));
      player.moved();
    }, { passive: false });
    canvas.addEventListener("dblclick", () => player.home());
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      if (player.canvas === canvas) player.pause();
    });
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
