/* mountPlayer(element, scene, options): a player of one motion. A page may have several.

   options: label, theme ("auto", "light", "dark"), renderer ("auto", "webgl", "canvas"), plots, equations, header (true), heading (its level), book (a function that fetches long equations),
            autoplay (false), loop (true), speed (of real time), time, name (of files, or a function that returns it), ontime(t, playing), oncamera()
   handle:  update(scene, { fresh }), play(), pause(), toggle(), seek(t), setSpeed(k), nextEvent(), previousEvent(), setTheme(name),
            look("x" | "y" | "z" | "above" | "home"), ghost(scene or null), share(another handle), draw(), destroy(),
            time, playing, renderer, camera */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const { SHOWN, KEYS, element } = da;
  const SLOW = 25; // milliseconds for a picture in WebGL; above this the plain canvas is used
  const HALTING = 70; // the same for the time between two frames while it plays
  const FRAMES = 5; // that are measured
  const LINE = 17; // pixels from one name to the one below
  const ARROW = 0.4, COUPLE = 0.16; // length of the largest lasting force, and radius of the largest couple, in half heights of the picture
  const PEAK = 1.2; // a short peak is drawn with at most so many times that length

  class Player {
    constructor(parent, scene, options) {
      this.options = { header: true, heading: 2, plots: true, equations: true, loop: true, theme: "auto", renderer: "auto", ...options };
      this.root = element("section", "da-player", parent);
      this.root.tabIndex = 0;
      this.show = Object.fromEntries(SHOWN.map(([key, , on]) => [key, on]));
      this.playing = false;
      this.loop = this.options.loop;
      da.build(this);
      this.setTheme(this.options.theme);
      this.chooseView();
      this.load(scene, true);
      this.watch();
      if (this.options.autoplay) this.play();
    }

    chooseView() {
      const { renderer } = this.options;
      const tries = { canvas: [da.CanvasView], webgl: [da.WebglView] }[renderer] || [da.WebglView, da.CanvasView];
      for (const View of tries) if (this.use(View)) break;
      if (!this.view) throw new Error("this browser can draw neither with WebGL nor on a canvas; use a current one");
      const without = this.view.kind === "canvas" && renderer !== "canvas" && !this.software;
      this.message.hidden = !without;
      if (without) this.message.textContent = "This browser has no WebGL: the motion is drawn in a simpler way.";
      da.listen(this);
    }

    use(View) {
      const canvas = element("canvas", this.canvas?.className ?? "da-canvas");
      canvas.setAttribute("role", "img");
      try {
        this.view = new View(canvas, this.options.renderer === "auto");
      } catch (error) {
        this.software = Boolean(error.software);
        return false;
      }
      if (this.canvas) this.canvas.replaceWith(canvas);
      else this.stage.prepend(canvas);
      this.canvas = canvas;
      this.root.dataset.renderer = this.view.kind;
      this.controls?.dispose();
      this.controls = da.handle(this);
      return true;
    }

    /* A slow graphics card, or software that does not tell its name, may draw one or two frames a second. The plain canvas is faster then. */
    measure() {
      if (this.measured || this.gone || this.options.renderer !== "auto" || this.view.kind !== "webgl" || !this.scene) return;
      this.measured = true;
      const took = this.view.measured(() => this.picture());
      this.root.dataset.frame = took.toFixed(1);
      if (took > SLOW) this.simpler();
    }

    /* Measure the frames of the first seconds of playing, because a single picture does not show the real pace. */
    pace(milliseconds) {
      if (this.paced || this.options.renderer !== "auto" || this.view.kind !== "webgl") return;
      this.frames = [...(this.frames || []), milliseconds];
      if (this.frames.length < FRAMES) return;
      this.paced = true;
      const middle = [...this.frames].sort((a, b) => a - b)[FRAMES >> 1];
      this.root.dataset.pace = middle.toFixed(0);
      if (middle > HALTING) this.simpler();
    }

    /* Change from WebGL to the plain canvas. */
    simpler() {
      this.view.dispose();
      this.use(da.CanvasView);
      this.name();
      this.view.load(this.scene, this.other);
      this.resize();
    }

    /* `fresh` means another model: the view is reset. Otherwise the camera stays. */
    load(scene, first, fresh = first) {
      const before = this.scene;
      this.scene = scene.raw ? scene : da.opened(scene); // a page that computes passes an opened scene
      const kept = before && JSON.stringify(before.outlook.up) === JSON.stringify(this.scene.outlook.up);
      if (!kept || fresh) {
        const last = fresh ? null : this.camera;
        this.camera = new da.Camera(this.scene.outlook);
        if (last) Object.assign(this.camera, { turn: last.turn, level: last.level, zoom: last.zoom }); // only the upward direction may change
        this.leads = true;
        if (!first) this.pressedState(this.followButton, this.camera.follow);
      }
      this.duration = this.scene.end - this.scene.start;
      this.view.load(this.scene, this.other);
      this.arrowScale = this.lengthOf(this.scene.arrows, ARROW);
      this.coupleScale = this.lengthOf(this.scene.couples, COUPLE);
      if (this.titleLine) {
        this.titleLine.textContent = this.scene.title;
        const { method, reference } = this.scene.raw;
        this.subtitle.textContent = [reference, `method ${method}`, this.scene.status].filter(Boolean).join(" · ");
      }
      this.name();
      this.speeds(first);
      this.marks();
      da.side.legend(this);
      da.side.panels(this);
      da.side.equations(this);
      const time = first ? (this.options.time ?? this.scene.start) : this.time;
      this.seek(Math.min(this.scene.end, Math.max(this.scene.start, time)));
    }

    name() {
      const { label = "" } = this.options;
      this.root.setAttribute("aria-label", `Motion${label && ` of ${label}`}: ${this.scene.title}. ${KEYS}`);
      this.canvas.setAttribute("aria-label", `Picture of the motion of ${this.scene.title}`);
    }

    /* Show a second run over this one as a ghost, or none for null. */
    ghost(scene) {
      this.other = scene ? da.opened(scene) : null;
      this.view.load(this.scene, this.other);
      this.root.dataset.ghost = this.other ? "yes" : "";
      this.draw();
    }

    /* Share the camera with another player, so that both turn together. */
    share(other) {
      this.camera = other.camera;
      this.leads = false;
      this.draw();
    }

    /* The length of one unit of force (or the radius for a unit couple). The largest lasting one has the length `full`. */
    lengthOf(arrows, full) {
      const sizes = [];
      for (const { vector, kind } of arrows) {
        if (kind === "weight" && arrows.some((arrow) => arrow.kind !== "weight")) continue;
        const found = [];
        for (let i = 0; i < vector.rows.length; i += 3) found.push(Math.hypot(vector.rows[i], vector.rows[i + 1], vector.rows[i + 2]));
        found.sort((a, b) => a - b);
        sizes.push(found[Math.floor(0.97 * (found.length - 1))] || 0);
      }
      const greatest = Math.max(0, ...sizes.filter(Number.isFinite));
      return greatest > 0 ? full / greatest : 0;
    }

    speeds(first) {
      const { duration } = this;
      let base = 1;
      if (duration > 0 && duration < 1.5) base = da.nice(duration / 6);
      if (duration > 90) base = da.nice(duration / 40);
      if (first) this.speed = this.options.speed || base;
      const offer = `${base} ${this.speed}`;
      if (this.offer === offer) return;
      this.offer = offer;
      this.speedBox.replaceChildren();
      const offered = [0.1, 0.25, 0.5, 1, 2, 4, 10].map((k) => Number((k * base).toPrecision(3)));
      if (!offered.includes(this.speed)) offered.push(this.speed);
      for (const speed of offered.sort((a, b) => a - b)) {
        const option = element("option", "", this.speedBox, `${da.told(speed)}×`);
        option.value = speed;
        option.selected = speed === this.speed;
      }
    }

    marks() {
      const { events } = this.scene;
      const few = events.length > 400 ? [] : events;
      while (this.ticks.childElementCount > few.length) this.ticks.lastChild.remove();
      while (this.ticks.childElementCount < few.length) element("i", "", this.ticks);
      few.forEach(({ time, kind }, i) => {
        const tick = this.ticks.children[i];
        tick.className = `da-tick da-${kind}`;
        tick.style.left = `${(100 * (time - this.scene.start)) / (this.duration || 1)}%`;
      });
      this.previousButton.hidden = this.nextButton.hidden = !events.length;
    }

    /* The picture alone. */
    picture() {
      const now = da.moment(this.scene, this.time);
      const ghost = this.other ? da.moment(this.other, Math.min(this.other.end, Math.max(this.other.start, this.time))) : null;
      if (this.leads) this.camera.attend(now.bodies.length ? now.bodies.map((body) => body.position) : now.drawings.map((one) => one.position));
      this.camera.frame(this.view.width, this.view.height);
      const unit = this.camera.radius * this.camera.zoom;
      for (const one of now.arrows) one.vector = shortened(one.vector, (PEAK * ARROW) / this.arrowScale);
      for (const one of now.couples) one.vector = shortened(one.vector, (PEAK * COUPLE) / this.coupleScale);
      this.view.draw(now, this.camera, this.show, this.theme, { arrow: this.arrowScale * unit, couple: this.coupleScale * unit }, ghost);
      this.over.draw(this.scene, now, this.camera, this.show, this.theme, ghost, this.pull);
      return now;
    }

    draw() {
      if (!this.scene || this.gone || !this.view.width) return;
      const now = this.picture();
      for (const plot of this.drawn) plot.show(this.time);
      this.range.value = this.duration ? (this.time - this.scene.start) / this.duration : 0;
      const shown = `t = ${this.time.toFixed(this.duration < 0.5 ? 4 : this.duration < 5 ? 3 : 2)} s`;
      this.clock.textContent = shown;
      this.range.setAttribute("aria-valuetext", shown);
      this.names.hidden = !this.show.names;
      if (this.show.names) this.tag(now);
      this.away.hidden = !this.lost(now);
    }

    /* Whether every body is outside the picture. The camera moves only when asked. */
    lost({ bodies }) {
      const { width, height } = this.view;
      const { project } = this.camera.projector(width, height);
      const seen = ([x, y, depth]) => depth > 0 && x > 0 && x < width && y > 0 && y < height;
      return bodies.length > 0 && !bodies.some(({ position }) => seen(project(position)));
    }

    tag(now) {
      const { project } = this.camera.projector(this.view.width, this.view.height);
      const places = now.bodies.map(({ position }, i) => ({ i, at: project(position) })).sort((a, b) => a.at[1] - b.at[1]);
      const put = [];
      for (const { i, at: [x, y] } of places) { // names that would overlap are moved below each other
        const width = this.tags[i].offsetWidth;
        let line = y;
        for (const other of put) if (line - other.y < LINE && x < other.x + other.width && other.x < x + width) line = other.y + LINE;
        put.push({ x, y: line, width });
        this.tags[i].style.transform = `translate(${x.toFixed(1)}px, ${line.toFixed(1)}px)`;
      }
    }

    watch() {
      this.resized = new ResizeObserver(() => this.resize());
      this.resized.observe(this.stage);
      this.scheme = matchMedia("(prefers-color-scheme: dark)");
      this.schemed = () => this.setTheme(this.themeName);
      this.scheme.addEventListener("change", this.schemed);
      this.resize();
    }

    resize() {
      const width = Math.max(1, this.stage.clientWidth);
      const height = Math.max(1, this.stage.clientHeight);
      const ratio = Math.min(2, root.devicePixelRatio || 1);
      this.view.resize(width, height, ratio);
      this.over.resize(width, height, ratio);
      this.draw();
      if (!this.measured) requestAnimationFrame(() => setTimeout(() => this.measure())); // the first picture appears before
    }

    /* The camera was moved, here or by a player that shares it. */
    moved() {
      this.draw();
      if (this.options.oncamera) this.options.oncamera();
    }

    setTheme(name) {
      this.themeName = name;
      this.root.dataset.theme = da.darkness(name);
      this.theme = da.colours(this.root);
      this.draw();
    }

    home() {
      this.camera.home(this.scene.outlook);
      this.pressedState(this.followButton, this.camera.follow);
      this.moved();
    }

    look(name) {
      if (name === "home") this.home();
      else {
        this.camera.look(name);
        this.moved();
      }
    }

    follow() {
      this.camera.follow = !this.camera.follow;
      this.pressedState(this.followButton, this.camera.follow);
      this.moved();
    }

    pressedState(control, on) {
      control.setAttribute("aria-pressed", on);
    }

    setLoop(on) {
      this.loop = on;
      this.pressedState(this.loopButton, on);
    }

    setSpeed(k) {
      if (!(k > 0)) return;
      this.speed = k;
      this.speeds(false);
    }

    faster(way) {
      const options = [...this.speedBox.options].map((option) => Number(option.value));
      const at = options.indexOf(this.speed) + way;
      if (at >= 0 && at < options.length) this.setSpeed(options[at]);
    }

    toggle() {
      if (this.playing) this.pause();
      else this.play();
    }

    play() {
      if (this.playing || this.gone || !(this.duration > 0)) return;
      this.played?.(); // a live motion ends
      if (this.time >= this.scene.end) this.time = this.scene.start;
      this.playing = true;
      da.icon(this.playButton, "pause");
      this.playButton.title = "Pause (space)";
      this.playButton.setAttribute("aria-label", "Pause (space)");
      let last = null;
      const frame = (stamp) => {
        if (!this.playing || this.gone) return;
        if (last !== null) {
          this.pace(stamp - last);
          this.advance(Math.min(0.1, (stamp - last) / 1000));
        }
        last = stamp;
        if (this.playing) requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    }

    advance(seconds) {
      let t = this.time + seconds * this.speed;
      if (t >= this.scene.end) {
        if (this.loop) t = this.scene.start + ((t - this.scene.start) % this.duration);
        else {
          t = this.scene.end;
          this.pause();
        }
      }
      this.seek(t);
    }

    pause() {
      if (!this.playing) return;
      this.playing = false;
      da.icon(this.playButton, "play");
      this.playButton.title = "Play (space)";
      this.playButton.setAttribute("aria-label", "Play (space)");
    }

    seek(t) {
      this.time = Math.min(this.scene.end, Math.max(this.scene.start, t));
      this.draw();
      if (this.options.ontime) this.options.ontime(this.time, this.playing);
    }

    step(way) {
      const near = 1e-9 * (this.duration || 1);
      const times = this.scene.events.filter((event) => way * (event.time - this.time) > near);
      const event = way > 0 ? times[0] : times[times.length - 1];
      if (!event) return;
      this.pause();
      this.seek(event.time);
      this.spoken.textContent = `${event.kind}: ${event.name}, t = ${da.told(event.time)}`;
    }

    nextEvent() {
      this.step(1);
    }

    previousEvent() {
      this.step(-1);
    }

    update(scene, { fresh = false } = {}) {
      this.load(scene, false, fresh);
    }

    /* Show the newest instant of a live motion. Plots and trails need not be drawn at every frame. */
    flow(scene, plots) {
      this.scene = scene;
      this.duration = scene.end - scene.start;
      this.time = scene.end;
      this.view.follow(scene, plots);
      if (plots) {
        this.marks();
        da.side.panels(this);
      }
      this.draw();
    }

    full() {
      if (document.fullscreenElement) document.exitFullscreen();
      else this.root.requestFullscreen().catch(() => { this.spoken.textContent = "The browser does not allow full screen here."; });
    }

    destroy() {
      this.gone = true;
      this.playing = false;
      this.resized.disconnect();
      this.scheme.removeEventListener("change", this.schemed);
      this.controls.dispose();
      this.view.dispose();
      this.root.remove();
    }
  }

  /* A vector of the same direction that is at most so long. */
  function shortened(vector, most) {
    const size = Math.hypot(...vector);
    return size > most ? Array.from(vector, (e) => (e * most) / size) : vector;
  }

  function mountPlayer(parent, scene, options) {
    const player = new Player(parent, scene, options || {});
    player.setLoop(player.loop);
    player.pressedState(player.followButton, player.camera.follow);
    const handle = {};
    for (const name of ["update", "play", "pause", "toggle", "seek", "setSpeed", "nextEvent", "previousEvent", "setTheme", "look", "ghost", "draw", "destroy"])
      handle[name] = (...given) => player[name](...given);
    handle.share = (other) => player.share(other.inside);
    Object.defineProperty(handle, "inside", { value: player });
    Object.defineProperties(handle, {
      time: { get: () => player.time },
      playing: { get: () => player.playing },
      renderer: { get: () => player.view.kind },
      camera: { get: () => player.camera },
      root: { get: () => player.root },
    });
    return handle;
  }

  Object.assign(da, { mountPlayer });
})(globalThis);
