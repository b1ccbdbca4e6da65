// What tables and keys of a model mean, and the words that may stand where one types.

const TABLES = {
  "": { title: "a text", reference: "where the model comes from", gravity: "a vector; acts on every body" },
  parameters: { "*": "name = value, or { value, unit, about, min, max }; each has a slider", value: "a number, or an expression of parameters above", unit: "a text", about: "a text", min: "an end of the slider", max: "an end of the slider" },
  coordinates: { "*": "name = initial value, or { initial, speed, unit, about }", initial: "where it starts", speed: "how fast; left out, it is solved from the constraints", unit: "a text", about: "a text" },
  speeds: { "*": "initial speed of a coordinate" },
  definitions: { "*": "a named expression, usable below and recorded" },
  frames: { "*": "{ from, turn = [[axis, angle], …] }: axes turned from others", from: "a frame or body", turn: "[[axis, angle], …], about its own axes" },
  points: { "*": "[x, y, z], or { from, in, at }: a place in a frame", from: "a point or body", in: "a frame or body", at: "[x, y, z]" },
  bodies: { "*": "a body: mass, position, and what it turns like", mass: "an expression, of time too", position: "of the centre of mass: [x, y, z] or a point", rotation: "[[axis, angle], …]", frame: "instead of rotation", spin: "[axis, angle]: about its axis of symmetry", inertia: "[xx, yy, zz] or [xx, yy, zz, xy, yz, xz], body axes", ejection: "relative velocity of the mass that leaves or joins", shape: "how it is drawn: { ball = \"R\" }", shapes: "[{ … }, { … }]: several shapes" },
  drawings: { "*": "what is drawn besides bodies, in inertial axes: { spring = 0.05, from = …, to = … }" },
  view: { up: "what is up in the picture", eye: "from where one looks", follow: "true: the eye goes along" },
  energy: { kinetic: "added to what the bodies have", potential: "added to what gravity gives", dissipation: "Rayleigh's function" },
  forces: { body: "on which it acts", at: "a point; else the centre of mass", force: "[x, y, z], inertial axes", torque: "[x, y, z], inertial axes", generalized: "{ q = \"…\" }" },
  constraints: { "*": "\"left = right\"; without a prime it is holonomic, a vector equation is three rows" },
  rolling: { body: "that rolls", wheel: "the radius of a disk about its spin axis", ball: "the radius", at: "a material point", on: "\"ground\", { point, normal }, or a body that carries the plane", rows: "[\"touch\", \"slip\"]" },
  contacts: { gap: "an expression kept ≥ 0", restitution: "0 to 1", slip: "[\"expression linear in the speeds\", …]", friction: "a coefficient, or \"rough\"", reverses: "what an impact reverses, too", law: "\"newton\", \"poisson\" or \"zhang-mei\"" },
  frictions: { slip: "[\"expression linear in the speeds\", …]", normal: "a force, or the name of what presses", coefficient: "of sliding", static: "of sticking", held: "kept zero inside the same cone" },
  events: { when: "an expression; its zeros are recorded", stop: "true: the motion ends there" },
  quasi_velocities: { "*": "an expression linear in the speeds" },
  virtual_displacements: { rule: "\"chetaev\", \"vakonomic\" or \"rows\"", rows: "[{ x = \"…\" }, …]" },
  multipliers: { "*": "initial multiplier of a vakonomic motion" },
  simulation: { duration: "seconds", samples: "how many", tolerance: "1e-9 unless said", method: "by which it is derived", start: "0 unless said", stepper: "\"auto\", \"dop853\", \"gauss\" or \"radau\"", step: "of a fixed stepper", description: "\"segmented\" or \"whole-course\"" },
};
const SHAPES = "ball box cylinder disk wheel tube rod capsule cone ellipsoid torus pipe bowl spring chain blade arrow text mesh at axis turn from to colour clear spokes turns links size".split(" ");
const FUNCTIONS = "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max dot cross norm omega pi t world".split(" ");

/** The table that a place in the text belongs to: its name without that of its entry. */
function tableAt(text, at) {
  const heads = [...text.slice(0, at).matchAll(/^[ \t]*\[\[?([A-Za-z_]+)/gm)];
  return heads.length ? heads.at(-1)[1] : "";
}

/** A sentence on the line at a place of the text, empty where there is nothing to say. */
export function helpAt(text, at) {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const end = text.indexOf("\n", at);
  const line = text.slice(start, end < 0 ? text.length : end);
  const head = /^[ \t]*\[\[?([A-Za-z_]+)/.exec(line);
  const table = head ? head[1] : tableAt(text, start);
  const known = TABLES[table];
  if (!known) return "";
  if (head) return `[${table}]: ${known["*"] ?? Object.keys(known).join(", ")}`;
  const key = /^[ \t]*([A-Za-z_0-9]+)[ \t]*=/.exec(line)?.[1];
  if (!key) return "";
  return known[key] ? `${key}: ${known[key]}` : known["*"] ? `${key}, of [${table}]: ${known["*"]}` : "";
}

/** The words that go on from what stands before a place: names of the model, functions, keys, tables. */
export function wordsAt(text, at) {
  const before = text.slice(0, at);
  const typed = /[A-Za-z_][A-Za-z_0-9]*$/.exec(before)?.[0] ?? "";
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const table = tableAt(text, at);
  let pool;
  if (/^[ \t]*\[[A-Za-z_]*$/.test(line)) pool = Object.keys(TABLES).filter(Boolean);
  else if (/^[ \t]*[A-Za-z_]*$/.test(line)) pool = Object.keys(TABLES[table] ?? {}).filter((key) => key !== "*");
  else {
    const named = [...text.matchAll(/^[ \t]*\[(?:bodies|forces|rolling|contacts|frictions)\.([A-Za-z_0-9]+)\]/gm)].map((found) => found[1]);
    for (const name of ["parameters", "coordinates", "definitions", "frames", "points"]) {
      const inside = new RegExp(`^[ \\t]*\\[${name}\\][^\\n]*\\n([\\s\\S]*?)(?=^[ \\t]*\\[|$(?![\\s\\S]))`, "m").exec(text)?.[1] ?? "";
      named.push(...[...inside.matchAll(/^[ \t]*([A-Za-z_0-9]+)[ \t]*=/gm)].map((found) => found[1]));
    }
    const drawing = /shapes?[ \t]*=|^[ \t]*\{/.test(line) || table === "drawings";
    pool = [...new Set([...named, ...FUNCTIONS, ...(drawing ? SHAPES : []), ...Object.keys(TABLES[table] ?? {}).filter((key) => key !== "*")])];
  }
  return { typed, words: pool.filter((word) => word.startsWith(typed) && word !== typed).slice(0, 40) };
}
