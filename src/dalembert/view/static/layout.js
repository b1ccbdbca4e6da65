/* What a player is made of: title, stage, the bar for playing, what is shown, plots, equations. */
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
  ];
  const KEYS = "Space plays, arrows step, N and P go to events, + and − change the speed, L loops, R resets the view.";
  const ICONS = { play: "▶", pause: "❚❚", next: "⏭", previous: "⏮", home: "⌂" };

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

  /* MathML and plain markup that Python made, with nothing in it that could act. */
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
      player.titleLine = element("h2", "da-title", header);
      player.subtitle = element("p", "da-subtitle", header);
    }
    const main = element("div", "da-main", root);
    const left = element("div", "da-left", main);
    player.stage = element("div", "da-stage", left);
    player.message = element("p", "da-message", player.stage);
    player.message.hidden = true;
    player.message.setAttribute("role", "status");
    player.names = element("div", "da-names", player.stage);
    player.names.setAttribute("aria-hidden", "true");
    player.key = element("div", "da-key", player.stage);
    transport(player, left);
    toggles(player, left);
    player.spoken = element("p", "da-spoken", left);
    player.spoken.setAttribute("aria-live", "polite");
    player.side = element("div", "da-side", main);
    player.plots = element("div", "da-plots", player.side);
    player.details = element("details", "da-equations", root);
    element("summary", "", player.details, "Equations");
    player.mathematics = element("div", "da-mathematics", player.details);
  }

  function transport(player, parent) {
    const bar = element("div", "da-bar", parent);
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", "Playing");
    player.playButton = button("da-button da-play", "Play (space)", ICONS.play, bar, () => player.toggle());
    player.previousButton = button("da-button", "Previous event (P)", ICONS.previous, bar, () => player.previousEvent());
    player.nextButton = button("da-button", "Next event (N)", ICONS.next, bar, () => player.nextEvent());
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
    player.loopButton = button("da-button da-toggle", "Loop (L)", "↻", bar, () => player.setLoop(!player.loop));
    player.homeButton = button("da-button", "Reset the view (R)", ICONS.home, bar, () => player.home());
    player.followButton = button("da-button da-toggle", "Follow the motion (E)", "◎", bar, () => player.follow());
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

  Object.assign(da, { SHOWN, KEYS, ICONS, element, button, safe, build });
})(globalThis);
