// Motions by the engine in WebAssembly, in node: `node carried.mjs SCRIPT REQUEST.json` answers with their numbers.
import { readFileSync } from "node:fs";

const [, , script, request] = process.argv;
(0, eval)(readFileSync(script, "utf8")); // a classic script, as pages have it
const { engine, told, motions } = JSON.parse(readFileSync(request, "utf8"));
const model = await dalembert.carry(engine, told);
const answers = [];
for (const { settings, times, end } of motions) {
  const asked = dalembert.asked(told, model, settings, times, end);
  await model.motion(asked); // the second is timed: machine code is ready then
  const began = performance.now();
  const motion = await model.motion(asked);
  const { status, t, states, forces, modes, events, steps } = motion;
  answers.push({
    status, t, steps, states: [...states], forces: [...(forces ?? [])], modes: [...(modes ?? [])], milliseconds: performance.now() - began,
    events: events.map(({ time, kind, index, after }) => ({ time, kind, index, after: [...after] })),
  });
}
console.log(JSON.stringify(answers));
