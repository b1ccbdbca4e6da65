/* What the view of a motion that the page computed needs: the upward direction, the ground, and a box around it (of a `Scene` of simulated.js). */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});
  const NEAR = 1e-9;

  /* The ends of a box about places, three numbers each. */
  function box(tracks) {
    const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    for (const { rows } of tracks)
      for (let i = 0; i < rows.length; i += 3)
        for (let k = 0; k < 3; k++) {
          if (rows[i + k] < low[k]) low[k] = rows[i + k];
          if (rows[i + k] > high[k]) high[k] = rows[i + k];
        }
    return [low, high];
  }

  /* Up is against gravity, if it is so in the recorded scene. It may change with a parameter. */
  function up(scene) {
    const { up } = scene.base.outlook;
    if (!scene.places.figures.up) return up;
    const unit = (e) => e.map((c) => c / (Math.hypot(...e) || 1));
    const zero = da.asked(scene.told, scene.model, {}, [], 0);
    const [first, last] = scene.places.figures.up;
    const own = unit(Array.from(scene.model.at("figures", scene.model.begin(zero)).subarray(first, last)));
    return own.every((e, k) => Math.abs(e - up[k]) < NEAR) ? unit(Array.from(scene.numbers("figures", "up", 0))) : up;
  }

  /* The inclination of a slope follows gravity. Its plane is fixed in the model's axes. */
  function ground(scene, bodies, up) {
    const { ground, outlook } = scene.base;
    if (!ground?.slope || up.every((e, k) => e === outlook.up[k])) return ground;
    const { normal, surface } = ground.slope;
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const upright = dot(normal, up);
    if (upright > 1 - 1e-9 || upright < 0.05) return { ...ground, normal, point: surface[0], slope: undefined };
    const fall = normal.map((e, k) => upright * e - up[k]);
    const down = fall.map((e) => e / Math.hypot(...fall));
    const across = [normal[1] * down[2] - normal[2] * down[1], normal[2] * down[0] - normal[0] * down[2], normal[0] * down[1] - normal[1] * down[0]];
    const ends = [down, across].map((axis) => {
      let [low, high] = [Infinity, -Infinity];
      for (const { position: { rows } } of bodies)
        for (let i = 0; i < rows.length; i += 3) {
          const reach = dot([rows[i] - surface[0][0], rows[i + 1] - surface[0][1], rows[i + 2] - surface[0][2]], axis);
          [low, high] = [Math.min(low, reach), Math.max(high, reach)];
        }
      const room = 0.9 * outlook.size + 0.08 * (high - low);
      return [low - room, high + room];
    });
    const corner = (a, b) => surface[0].map((e, k) => e + a * down[k] + b * across[k]);
    const [[top, bottom], [left, right]] = ends;
    const corners = [corner(top, left), corner(top, right), corner(bottom, right), corner(bottom, left)];
    const foot = Math.min(...corners.map((p) => dot(p, up))) - 0.12 * outlook.size;
    const base = corners.map((p) => p.map((e, k) => e + (foot - dot(p, up)) * up[k]));
    return { ...ground, point: base[0], normal: up, slope: { surface: corners, foot: base, normal } };
  }

  /* The box around all moving parts, with the same margin as in the recorded scene. */
  function outlook(scene, bodies, drawings) {
    const { outlook } = scene.base;
    const about = (one) => box([...one.bodies, ...one.drawings].map(({ position }) => position));
    const [a, b] = [(scene.base.box ??= about(scene.base)), about({ bodies, drawings })];
    if (!b[0].every(Number.isFinite)) return outlook;
    const low = b[0].map((e, k) => e + outlook.low[k] - a[0][k]);
    const high = b[1].map((e, k) => e + outlook.high[k] - a[1][k]);
    const radius = Math.max(1e-9, Math.hypot(...low.map((e, k) => high[k] - e)) / 2);
    return { ...outlook, low, high, centre: low.map((e, k) => (e + high[k]) / 2), radius };
  }

  da.horizon = { up, ground, outlook };
})(globalThis);
