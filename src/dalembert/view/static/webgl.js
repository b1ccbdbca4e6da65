/* The scene in WebGL, with three.js. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const { cross, dot, minus, plus, scaled } = da.vector;

  const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i; // names of renderers without a graphics card

  function software(context) {
    const told = context.getExtension("WEBGL_debug_renderer_info");
    return Boolean(told) && SOFTWARE.test(context.getParameter(told.UNMASKED_RENDERER_WEBGL));
  }

  class WebglView {
    /* `choosing`: refuse a renderer in software, because the plain canvas is faster. */
    constructor(canvas, choosing = false) {
      if (!root.THREE) throw new Error("three.js is not there");
      this.kind = "webgl";
      const T = (this.T = root.THREE);
      this.canvas = canvas;
      const wanted = { antialias: true, alpha: false };
      const context = canvas.getContext("webgl2", wanted); // asked for here, because three.js would log an error
      if (!context) throw new Error("this browser has no WebGL");
      if (choosing && software(context)) {
        context.getExtension("WEBGL_lose_context")?.loseContext();
        throw Object.assign(new Error("WebGL is drawn by software"), { software: true });
      }
      T.ColorManagement.enabled = false; // colours are those of the style sheet, as on the canvas
      this.renderer = new T.WebGLRenderer({ canvas, context, ...wanted });
      this.renderer.outputColorSpace = T.LinearSRGBColorSpace;
      this.renderer.shadowMap.type = T.PCFSoftShadowMap;
      this.camera = new T.PerspectiveCamera(28, 1, 0.1, 100);
    }

    /* The same parts after the motion has advanced. Trails and sizes are renewed at intervals. */
    follow(scene, sizes) {
      if (sizes) this.load(scene, this.other);
      else this.scene = scene;
    }

    /* `other` is the scene of a second run, drawn as a ghost. */
    load(scene, other = null) {
      this.past ??= this.world; // until the new one is drawn: shaders that both have are not compiled again
      this.kept = this.solids || new Map();
      this.solids = new Map();
      const T = this.T;
      this.scene = scene;
      this.other = other;
      this.world = new T.Scene();
      this.renderer.shadowMap.enabled = Boolean(scene.ground); // without a ground there is no visible shadow
      this.lamp = new T.DirectionalLight(0xffffff, 0.42 * Math.PI); // with the others 1, so that no colour becomes another
      this.lamp.castShadow = true;
      this.lamp.shadow.mapSize.set(1024, 1024);
      this.lamp.shadow.radius = 4;
      this.world.add(new T.AmbientLight(0xffffff, 0.46 * Math.PI), this.lamp, this.lamp.target);
      this.sky = new T.HemisphereLight(0xffffff, 0xb0b4bd, 0.12 * Math.PI);
      this.world.add(this.sky);
      this.bodies = scene.bodies.map((body, i) => this.thing(body, da.PALETTE[i % da.PALETTE.length]));
      this.drawings = scene.drawings.map((one) => this.thing(one, da.PLAIN));
      this.ghosts = other ? other.bodies.map((body, i) => this.thing(body, da.PALETTE[i % da.PALETTE.length], 0.3)) : [];
      this.trails = [...scene.bodies, ...scene.drawings].map((one, i) => {
        const which = i < scene.bodies.length ? i : i - scene.bodies.length;
        return one.trail && !one.position.still ? da.surroundings.trail(this.world, scene, one, which) : null;
      });
      this.links = scene.links.map(() => this.rod());
      this.points = scene.points.map(() => this.ball(0x444444, true));
      this.contacts = scene.contacts.map(() => this.ball(0xffffff, false));
      this.arrows = scene.arrows.map((arrow) => this.arrow(da.FORCES[arrow.kind]));
      this.couples = scene.couples.map((couple) => this.couple(da.FORCES[couple.kind]));
      this.walls = scene.walls.map((wall) => da.surroundings.plate(this.world, wall));
      this.slope = scene.ground && scene.ground.slope ? da.surroundings.wedge(this.world, scene.ground.slope) : null;
      this.grid = da.surroundings.gridPlane(this.world);
      this.shadow = da.surroundings.shadowPlane(this.world);
    }

    resize(width, height, ratio) {
      this.width = width;
      this.height = height;
      this.renderer.setPixelRatio(ratio);
      this.renderer.setSize(width, height, false);
    }

    thing(one, otherwise, strength = 1) {
      const made = new this.T.Group();
      for (const shape of one.shapes) made.add(this.solid(shape, da.rgb(da.paint(shape, otherwise)), one.turns, strength));
      this.world.add(made);
      return made;
    }

    /* The geometry of a shape in its own axes; one that was there before is taken over. */
    geometry(shape, colour, turns) {
      const { kind, sizes, count, mesh, growth } = shape;
      if (growth) return this.faces(shape, colour, turns); // of a chain a part is drawn
      const key = JSON.stringify([kind, sizes, count, colour, turns, mesh?.corners]);
      const made = this.solids.get(key) || this.kept.get(key) || this.faces(shape, colour, turns);
      this.solids.set(key, made);
      return made;
    }

    faces(shape, colour, turns) {
      const T = this.T;
      const mesh = da.mesh({ ...shape, growth: true }, 3); // in its own axes; three.js places it
      const positions = [], normals = [], colours = [];
      mesh.faces.forEach((face, k) => {
        const paint = da.toned(colour, mesh.tones[k], turns);
        for (const c of face.length === 3 ? [0, 1, 2] : [0, 1, 2, 0, 2, 3]) {
          positions.push(...mesh.corners[face[c]]);
          normals.push(...mesh.normals[k][c]);
          colours.push(...paint);
        }
      });
      const geometry = new T.BufferGeometry();
      geometry.setAttribute("position", new T.Float32BufferAttribute(positions, 3));
      geometry.setAttribute("normal", new T.Float32BufferAttribute(normals, 3));
      geometry.setAttribute("color", new T.Float32BufferAttribute(colours, 3));
      return geometry;
    }

    solid(shape, colour, turns, strength) {
      const T = this.T;
      const geometry = this.geometry(shape, colour, turns);
      const opacity = strength * (shape.clear ? 0.24 : shape.guessed ? 0.55 : 1); // a guessed shape is transparent
      const clear = opacity < 1 ? { transparent: true, opacity, depthWrite: !shape.clear } : {};
      const made = new T.Mesh(geometry, new T.MeshPhongMaterial({ vertexColors: true, shininess: 40, specular: 0x1a1a1a, side: T.DoubleSide, ...clear }));
      made.castShadow = opacity > 0.5;
      made.receiveShadow = opacity > 0.5;
      if (shape.kind === "box" && strength === 1) {
        const edges = new T.LineSegments(new T.EdgesGeometry(geometry, 20), new T.LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.35 }));
        made.add(edges);
      }
      if (shape.turn) {
        const m = shape.turn;
        made.quaternion.setFromRotationMatrix(new T.Matrix4().set(...m[0], 0, ...m[1], 0, ...m[2], 0, 0, 0, 0, 1));
      }
      if (shape.at) made.position.set(...shape.at);
      return made;
    }

    /* Set the pose of a group. Shapes that grow are scaled; a shorter chain shows fewer links. */
    pose(group, one, { position, rotation, growth }) {
      group.position.set(position[0], position[1], position[2]);
      group.quaternion.set(rotation[0], rotation[1], rotation[2], rotation[3]);
      growth.forEach((g, k) => {
        if (!g) return;
        const [shape, mesh] = [one.shapes[k], group.children[k]];
        mesh.position.set(...da.moved(shape, g));
        if (shape.kind !== "chain") {
          mesh.scale.set(...[0, 1, 2].map((c) => Math.max(g[c], 1e-6)));
          return;
        }
        const count = mesh.geometry.attributes.position.count;
        mesh.geometry.setDrawRange(0, 6 * Math.round((count / 6) * g[2]));
        const off = new this.T.Vector3(0, 0, ((1 - g[2]) * shape.sizes[1]) / 2).applyQuaternion(mesh.quaternion);
        mesh.position.add(off);
      });
    }

    rod() {
      const T = this.T;
      const geometry = new T.CylinderGeometry(1, 1, 1, 12);
      const made = new T.Mesh(geometry, new T.MeshPhongMaterial({ color: 0x8a9099 }));
      made.castShadow = true;
      this.world.add(made);
      return made;
    }

    ball(colour, deep) {
      const T = this.T;
      const made = new T.Mesh(new T.SphereGeometry(1, 16, 12), new T.MeshBasicMaterial({ color: colour, depthTest: deep, transparent: true }));
      made.renderOrder = deep ? 0 : 5;
      this.world.add(made);
      return made;
    }

    arrow(colour) {
      const T = this.T;
      const material = new T.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, opacity: 0.92 });
      const shaft = new T.Mesh(new T.CylinderGeometry(1, 1, 1, 10), material);
      const head = new T.Mesh(new T.ConeGeometry(1, 1, 18), material);
      const made = new T.Group();
      made.add(shaft, head);
      shaft.renderOrder = head.renderOrder = 4;
      this.world.add(made);
      return made;
    }

    /* Three quarters of a circle of radius 1 about z, with an arrowhead. */
    couple(colour) {
      const T = this.T;
      const material = new T.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, opacity: 0.92, side: T.DoubleSide });
      const arc = new T.Mesh(new T.TorusGeometry(1, 0.055, 8, 48, 1.5 * Math.PI), material);
      const head = new T.Mesh(new T.ConeGeometry(0.19, 0.46, 18), material);
      head.position.set(0.2, -1, 0);
      head.rotation.z = -Math.PI / 2;
      const made = new T.Group().add(arc, head);
      arc.renderOrder = head.renderOrder = 4;
      this.world.add(made);
      return made;
    }

    draw(now, camera, show, theme, scales, ghost = null) {
      const { scene, width, height } = this;
      const view = camera.frame(width, height);
      const reach = camera.radius;
      this.renderer.setClearColor(theme.back, 1);
      this.aim(view, camera, reach);
      const put = (object, p) => object.position.set(p[0], p[1], p[2]);
      now.bodies.forEach((pose, i) => this.pose(this.bodies[i], scene.bodies[i], pose));
      now.drawings.forEach((pose, i) => this.pose(this.drawings[i], scene.drawings[i], pose));
      this.ghosts.forEach((group, i) => {
        group.visible = Boolean(ghost);
        if (ghost) this.pose(group, this.other.bodies[i], ghost.bodies[i]);
      });
      this.trails.forEach((trail) => {
        if (!trail) return;
        trail.visible = show.trails;
        trail.material.uniforms.ink.value.set(da.trace(trail.userData.tint, theme.ink));
        trail.material.uniforms.now.value = now.time - scene.start;
        trail.material.uniforms.screen.value.set(width, height);
      });
      const thin = 0.0075 * reach;
      now.links.forEach(([a, b], i) => {
        this.links[i].visible = show.links;
        this.links[i].material.color.set(theme.link);
        this.between(this.links[i], a, b, scene.links[i].thin ? 0.5 * thin : thin);
      });
      now.points.forEach((p, i) => {
        this.points[i].visible = show.points;
        this.points[i].material.color.set(theme.ink);
        put(this.points[i], p);
        this.points[i].scale.setScalar(0.011 * reach * camera.zoom);
      });
      now.contacts.forEach(({ place, mode }, i) => {
        this.contacts[i].visible = show.contacts;
        this.contacts[i].material.color.set(da.MODES[mode]);
        put(this.contacts[i], place);
        this.contacts[i].material.opacity = mode === "open" ? 0.6 : 1;
        const [least, usual] = [0.009 * reach * camera.zoom, 0.016 * reach * camera.zoom];
        this.contacts[i].scale.setScalar(mode === "open" ? least : Math.min(usual, Math.max(least, 0.3 * da.sizeOf(scene, scene.contacts[i]))));
      });
      now.arrows.forEach(({ place, vector }, i) => this.point(this.arrows[i], place, vector, scales.arrow, reach * camera.zoom, show[scene.arrows[i].kind]));
      now.couples.forEach(({ place, vector }, i) => this.turn(this.couples[i], place, vector, scales.couple, reach * camera.zoom, show[scene.couples[i].kind]));
      now.walls.forEach((place, i) => place && put(this.walls[i], place));
      if (this.slope) {
        this.slope.material.color.set(theme.slope);
        ["grid", "wall"].forEach((name, k) => this.slope.children[k].material.color.set(theme[name]));
      }
      this.floor(camera, show, theme, reach);
      this.renderer.render(this.world, this.camera);
      if (this.past) this.clear(this.past);
      this.past = null;
    }

    aim(view, camera, reach) {
      const c = this.camera;
      c.aspect = this.width / this.height;
      c.near = Math.max(0.02 * view.distance, view.distance - 60 * reach);
      c.far = view.distance + 60 * reach;
      c.position.set(...view.eye);
      c.up.set(...view.above);
      c.lookAt(...camera.target);
      c.updateProjectionMatrix();
      const { up } = camera;
      const from = plus(camera.target, scaled(6 * reach, plus(plus(up, scaled(0.45, view.e)), scaled(-0.5, view.right))));
      this.lamp.position.set(...from);
      this.lamp.target.position.set(...camera.target);
      this.sky.position.set(...up);
      const box = this.lamp.shadow.camera;
      box.left = box.bottom = -2 * reach;
      box.right = box.top = 2 * reach;
      box.near = 0.1 * reach;
      box.far = 20 * reach;
      box.updateProjectionMatrix();
      this.lamp.shadow.normalBias = 0.01 * reach; // a few points of the shadow's map: no surface shades itself in stripes
    }

    between(mesh, a, b, radius) {
      const T = this.T;
      const way = new T.Vector3(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
      const length = way.length();
      mesh.position.set((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2);
      mesh.scale.set(radius, length || 1e-9, radius);
      if (length > 0) mesh.quaternion.setFromUnitVectors(new T.Vector3(0, 1, 0), way.divideScalar(length));
    }

    point(arrow, place, vector, scale, reach, shown) {
      const T = this.T;
      const way = new T.Vector3(...vector).multiplyScalar(scale);
      const length = way.length();
      arrow.visible = Boolean(shown) && length > 0.004 * reach;
      if (!arrow.visible) return;
      const [shaft, head] = arrow.children;
      const thick = 0.009 * reach;
      const tip = Math.min(0.07 * reach, 0.5 * length);
      shaft.scale.set(thick, length - 0.9 * tip, thick);
      shaft.position.set(0, (length - 0.9 * tip) / 2, 0);
      head.scale.set(0.42 * tip, tip, 0.42 * tip);
      head.position.set(0, length - tip / 2, 0);
      arrow.position.set(...place);
      arrow.quaternion.setFromUnitVectors(new T.Vector3(0, 1, 0), way.divideScalar(length));
    }

    turn(couple, place, vector, scale, reach, shown) {
      const moment = new this.T.Vector3(...vector).multiplyScalar(scale);
      const radius = moment.length();
      couple.visible = Boolean(shown) && radius > 0.01 * reach;
      if (!couple.visible) return;
      couple.scale.setScalar(radius);
      couple.position.set(...place);
      couple.quaternion.setFromUnitVectors(new this.T.Vector3(0, 0, 1), moment.divideScalar(radius));
    }

    floor(camera, show, theme, reach) {
      const T = this.T;
      const ground = da.groundOf(this.scene, camera);
      const [a, b] = da.across(ground.normal);
      const away = dot(minus(camera.target, ground.point), ground.normal);
      const middle = minus(camera.target, scaled(away, ground.normal));
      const size = 7 * reach * Math.max(1, Math.sqrt(camera.zoom));
      const turn = new T.Matrix4().makeBasis(...[a, b, ground.normal].map((v) => new T.Vector3(...v)));
      for (const plane of [this.grid, this.shadow]) {
        plane.quaternion.setFromRotationMatrix(turn);
        plane.position.set(...middle);
        plane.scale.set(size, size, 1);
      }
      const u = this.grid.material.uniforms;
      u.a.value.set(...a);
      u.b.value.set(...b);
      u.middle.value.set(...middle);
      u.ink.value.set(theme.grid);
      u.step_.value = da.gridStep(camera);
      u.reach.value = size;
      this.shadow.material.opacity = 1.7 * theme.shade; // its edges are soft
      this.grid.visible = show.ground;
      this.shadow.visible = show.ground && Boolean(this.scene.ground);
    }

    /* The milliseconds of a finished picture. Software that replaces a missing GPU is slow, and only a measurement shows it. */
    measured(draw) {
      const gl = this.renderer.getContext();
      const wait = () => gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      draw();
      wait(); // the first picture compiles shaders
      const began = performance.now();
      draw();
      wait();
      return performance.now() - began;
    }

    /* Gives back what a world took, but for the geometries that are in use. */
    clear(world) {
      const used = new Set(this.solids.values());
      world.traverse((object) => {
        if (object.geometry && !used.has(object.geometry)) object.geometry.dispose();
        if (object.material) object.material.dispose();
      });
    }

    dispose() {
      this.solids = new Map();
      for (const world of [this.past, this.world]) if (world) this.clear(world);
      this.renderer.dispose();
      this.renderer.forceContextLoss();
    }
  }

  Object.assign(da, { WebglView });
})(globalThis);
