/* A scene from Python, unpacked: tracks of numbers over the instants, and their values at any time. */
(function (root) {
  "use strict";
  const da = (root.dalembert = root.dalembert || {});

  function bytes(text) {
    const raw = atob(text);
    const out = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
    return out.buffer;
  }

  /* { width, rows, still }: rows has `width` numbers for each instant, or only once if the track is still. */
  function unpack(packed) {
    const width = packed.width;
    if (packed.type === "constant") return { width, rows: Float32Array.from(packed.value), still: true };
    const buffer = bytes(packed.data);
    if (packed.type === "f64") return { width, rows: new Float64Array(buffer), still: false };
    if (packed.type === "f32") return { width, rows: new Float32Array(buffer), still: false };
    if (packed.type === "u8") return { width, rows: new Uint8Array(buffer), still: false };
    const steps = new Uint16Array(buffer);
    const rows = new Float32Array(steps.length);
    for (let c = 0; c < width; c++) {
      const low = packed.low[c];
      const step = (packed.high[c] - low) / 65535;
      for (let i = c; i < steps.length; i += width) rows[i] = low + step * steps[i];
    }
    return { width, rows, still: false };
  }

  /* The numbers of a track at the fraction s between the instants i and i + 1. */
  function between(track, i, s, out) {
    const { width, rows } = track;
    if (track.still || rows.length <= width) {
      for (let c = 0; c < width; c++) out[c] = rows[c];
      return out;
    }
    const last = rows.length / width - 1;
    const a = Math.min(i, last) * width;
    const b = Math.min(i + 1, last) * width;
    for (let c = 0; c < width; c++) out[c] = rows[a + c] + s * (rows[b + c] - rows[a + c]);
    return out;
  }

  function unit(q) {
    const length = Math.hypot(q[0], q[1], q[2], q[3]) || 1;
    for (let c = 0; c < 4; c++) q[c] /= length;
    return q;
  }

  /* The greatest i with times[i] <= t, in 0 … n − 2. */
  function place(times, t) {
    let low = 0;
    let high = times.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= t) low = middle;
      else high = middle;
    }
    return low;
  }

  /* A body or a drawing: its pose and its shapes. */
  const thing = (one) => ({
    ...one,
    position: unpack(one.position),
    rotation: unpack(one.rotation),
    shapes: one.shapes.map((shape) => (shape.growth ? { ...shape, growth: unpack(shape.growth) } : shape)),
  });

  function opened(scene) {
    const times = unpack(scene.times).rows;
    return {
      raw: scene,
      title: scene.title,
      status: scene.status,
      outlook: scene.outlook,
      times,
      start: times[0],
      end: times[times.length - 1],
      unit: scene.unit || "",
      bodies: scene.bodies.map(thing),
      drawings: (scene.drawings || []).map(thing),
      points: scene.points.map((point) => ({ ...point, position: unpack(point.position) })),
      links: scene.links.map((link) => ({ ...link, from: unpack(link.from), to: unpack(link.to) })),
      ground: scene.ground,
      walls: scene.walls.map((wall) => ({ ...wall, place: wall.place && unpack(wall.place) })),
      contacts: scene.contacts.map((touch) => ({ ...touch, place: unpack(touch.place), mode: unpack(touch.mode).rows })),
      arrows: scene.arrows.map((arrow) => ({ ...arrow, place: unpack(arrow.place), vector: unpack(arrow.vector) })),
      couples: scene.couples.map((couple) => ({ ...couple, place: unpack(couple.place), vector: unpack(couple.vector) })),
      events: scene.events,
      panels: scene.panels.map((panel) => {
        const shared = unpack(panel.lines[0].times).rows;
        const opened = (line) => ({ ...line, times: line.times ? unpack(line.times).rows : shared, values: unpack(line.values).rows });
        return { ...panel, lines: panel.lines.map(opened) };
      }),
      equations: scene.equations,
      notes: scene.notes,
    };
  }

  /* Where a shape is in the axes of its body: `growth` has three factors, and where its place moves how far that has. */
  const moved = ({ at = [0, 0, 0] }, growth) => (growth && growth.length > 3 ? at.map((e, k) => e + growth[3 + k]) : at);

  /* The first size of the body that touches: the dot of a contact does not cover it. */
  const sizeOf = ({ bodies }, { body }) => bodies.find(({ name }) => name === body)?.shapes[0]?.sizes[0] ?? Infinity;

  /* Everything at the time t: poses, arrows, contacts. */
  function moment(scene, t) {
    const i = place(scene.times, t);
    const h = scene.times[i + 1] - scene.times[i];
    const s = h > 0 ? Math.min(1, Math.max(0, (t - scene.times[i]) / h)) : 0;
    const at = (track, size) => between(track, i, s, new Float32Array(size));
    const pose = (one) => ({
      position: at(one.position, 3), rotation: unit(at(one.rotation, 4)),
      growth: one.shapes.map((shape) => (shape.growth ? at(shape.growth, shape.growth.width) : null)),
    });
    return {
      time: t,
      index: i,
      bodies: scene.bodies.map(pose),
      drawings: scene.drawings.map(pose),
      points: scene.points.map((point) => at(point.position, 3)),
      links: scene.links.map((link) => [at(link.from, 3), at(link.to, 3)]),
      walls: scene.walls.map((wall) => (wall.place ? at(wall.place, 3) : null)),
      contacts: scene.contacts.map((touch) => ({ place: at(touch.place, 3), mode: touch.modes[touch.mode[i]] })),
      arrows: scene.arrows.map((arrow) => ({ place: at(arrow.place, 3), vector: at(arrow.vector, 3) })),
      couples: scene.couples.map((couple) => ({ place: at(couple.place, 3), vector: at(couple.vector, 3) })),
    };
  }

  Object.assign(da, { unpack, opened, moment, moved, place, sizeOf });
})(globalThis);
