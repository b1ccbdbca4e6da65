/* The parts of a player: title, stage, playing bar, choice of shown parts, plots, equations. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const SHOWN = [
    ["trails", "Trails", true],
    ["reaction", "Reactions", true],
    ["contact", "Contact forces", true],
    ["force", "Forces", true],
    ["weight", "Weights", false],
    ["contacts", "Contacts", true],
    ["links", "Rods", true],
    ["points", "Points", false],
    ["names", "Names", false],
    ["ground", "Grid", true],
    ["ruler", "Ruler", true],
  ];
  const KEYS = "Space plays, arrows step, N and P go to events, + and − change the speed, L loops, R resets the view.";
  const VIEWS = [["", "View"], ["home", "as at first"], ["x", "along x"], ["y", "along y"], ["z", "along z"], ["above", "from above"]];
  const ICONS = { // drawn, so that they need no font
    play: "M5 3 L17 10 L5 17 Z", pause: "M5 3 H8.5 V17 H5 Z M11.5 3 H15 V17 H11.5 Z", next: "M4 3 L13 10 L4 17 Z M14 3 H16.5 V17 H14 Z",
    previous: "M16 3 L7 10 L16 17 Z M3.5 3 H6 V17 H3.5 Z", home: "M10 2.5 L18 10 H15.5 V17 H11.8 V12 H8.2 V17 H4.5 V10 H2 Z",
    loop: "M10 3 A7 7 0 1 0 17 10 H14.6 A4.6 4.6 0 1 1 10 5.4 V8 L14.5 4.2 L10 0.5 Z",
    follow: "M10 2 A8 8 0 1 0 10 18 A8 8 0 1 0 10 2 Z M10 4.2 A5.8 5.8 0 1 1 10 15.8 A5.8 5.8 0 1 1 10 4.2 Z M10 7 A3 3 0 1 0 10 13 A3 3 0 1 0 10 7 Z",
    full: "M2 2 H8 V4.2 H4.2 V8 H2 Z M12 2 H18 V8 H15.8 V4.2 H12 Z M2 12 H4.2 V15.8 H8 V18 H2 Z M15.8 12 H18 V18 H12 V15.8 H15.8 Z",
    camera: "M2 5.5 H6 L7.5 3.5 H12.5 L14 5.5 H18 V16.5 H2 Z M10 7.5 A3.4 3.4 0 1 0 10 14.3 A3.4 3.4 0 1 0 10 7.5 Z",
    film: "M2 4 H18 V16 H2 Z M7.5 7 L13 10 L7.5 13 Z",
  };

  /* Replace the content of a button by an icon. */
  function icon(control, name) {
    const drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [key, value] of Object.entries({ viewBox: "0 0 20 20", class: "da-icon", "aria-hidden": "true" })) drawn.setAttribute(key, value);
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", ICONS[name]);
    path.setAttribute("fill-rule", "evenodd");
    drawn.append(path);
    control.replaceChildren(drawn);
    control.dataset.icon = name;
    return control;
  }

  function element(name, className, parent, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
  }

  function button(className, label, text, parent, action) {
    const made = element("button", className, parent, text);
    made.type = "button";
    made.title = label;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", action);
    return made;
  }

  /* MathML and plain markup from Python, without anything active. */
  function safe(html) {
    const ALLOWED = /^(math|semantics|mrow|mi|mn|mo|ms|mtext|mspace|msup|msub|msubsup|mfrac|msqrt|mroot|mover|munder|munderover|mtable|mtr|mtd|mfenced|mstyle|mpadded|mphantom|menclose|h[1-6]|p|div|span|section|br)$/i;
    const parsed = new DOMParser().parseFromString(html, "text/html");
    for (const node of [...parsed.body.querySelectorAll("*")]) {
      if (!ALLOWED.test(node.localName)) {
        node.remove();
        continue;
      }
      for (const { name } of [...node.attributes]) if (/^(on.*|.*href|src|style|id)$/i.test(name)) node.removeAttribute(name);
    }
    const fragment = document.createDocumentFragment();
    fragment.append(...parsed.body.childNodes);
    return fragment;
  }

  /* The elements of a player, as its own properties. */
  function build(player) {
    const { root } = player;
    if (player.options.header) {
      const header = element("header", "da-header", root);
      player.titleLine = element(`h${player.options.heading}`, "da-title", header);
      player.subtitle = element("p", "da-subtitle", header);
    }
    const main = element("div", "da-main", root);
    const left = element("div", "da-left", main);
    player.stage = element("div", "da-stage", left);
    player.message = element("p", "da-message", player.stage);
    player.message.hidden = true;
    player.message.setAttribute("role", "status");
    player.over = new da.Over(player.stage);
    player.names = element("div", "da-names", player.stage);
    player.names.setAttribute("aria-hidden", "true");
    player.key = element("div", "da-key", player.stage);
    player.away = button("da-chip da-away", "The motion has left the picture: show it", "The motion has left the picture: show it", player.stage, () => player.home());
    player.away.hidden = true;
    transport(player, left);
    toggles(player, left);
    player.spoken = element("p", "da-spoken", left);
    player.spoken.setAttribute("aria-live", "polite");
    player.side = element("div", "da-side", main);
    player.plots = element("div", "da-plots", player.side);
    player.details = element("details", "da-equations", root);
    element(`h${player.options.heading + 1}`, "da-under", element("summary", "", player.details), "Equations");
    player.mathematics = element("div", "da-mathematics", player.details);
    player.mathematics.tabIndex = 0; // it may be wider than the page
  }

  function transport(player, parent) {
    const bar = element("div", "da-bar", parent);
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", "Playing");
    player.playButton = button("da-button da-play", "Play (space)", "", bar, () => player.toggle());
    player.previousButton = button("da-button", "Previous event (P)", "", bar, () => player.previousEvent());
    player.nextButton = button("da-button", "Next event (N)", "", bar, () => player.nextEvent());
    const track = element("div", "da-track", bar);
    player.range = element("input", "da-range", track);
    Object.assign(player.range, { type: "range", min: 0, max: 1, step: "any", value: 0 });
    player.range.setAttribute("aria-label", "Time");
    player.range.addEventListener("input", () => player.seek(player.scene.start + Number(player.range.value) * player.duration));
    player.ticks = element("div", "da-ticks", track);
    player.clock = element("span", "da-clock", bar); // not an <output>: a screen reader would read every frame
    player.speedBox = element("select", "da-select", bar);
    player.speedBox.setAttribute("aria-label", "Speed");
    player.speedBox.addEventListener("change", () => player.setSpeed(Number(player.speedBox.value)));
    player.loopButton = button("da-button da-toggle", "Loop (L)", "", bar, () => player.setLoop(!player.loop));
    player.homeButton = button("da-button", "Reset the view (R)", "", bar, () => player.home());
    player.followButton = button("da-button da-toggle", "Follow the motion (E)", "", bar, () => player.follow());
    player.viewBox = element("select", "da-select", bar);
    player.viewBox.setAttribute("aria-label", "View from");
    for (const [value, text] of VIEWS) element("option", "", player.viewBox, text).value = value;
    player.viewBox.addEventListener("change", () => {
      if (player.viewBox.value) player.look(player.viewBox.value);
      player.viewBox.value = "";
    });
    player.pictureButton = button("da-button", "Picture of the stage as PNG", "", bar, () => da.savePicture(player));
    player.filmButton = button("da-button", "Film of the motion as WebM", "", bar, () => da.saveFilm(player));
    player.fullButton = button("da-button", "Full screen (F)", "", bar, () => player.full());
    const signs = { playButton: "play", previousButton: "previous", nextButton: "next", loopButton: "loop", homeButton: "home", followButton: "follow", pictureButton: "camera", filmButton: "film", fullButton: "full" };
    for (const [key, name] of Object.entries(signs)) icon(player[key], name);
    player.filmButton.hidden = !(root.MediaRecorder && HTMLCanvasElement.prototype.captureStream);
    player.fullButton.hidden = !document.fullscreenEnabled;
  }

  function toggles(player, parent) {
    const group = element("div", "da-toggles", parent);
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "What is shown");
    player.boxes = {};
    for (const [key, label] of SHOWN) {
      const wrap = element("label", "da-check", group);
      const box = element("input", "", wrap);
      box.type = "checkbox";
      box.checked = player.show[key];
      wrap.append(label);
      box.addEventListener("change", () => {
        player.show[key] = box.checked;
        player.draw();
      });
      player.boxes[key] = wrap;
    }
  }

  Object.assign(da, { SHOWN, KEYS, icon, element, button, safe, build });
})(globalThis);
