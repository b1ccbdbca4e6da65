"""WebAssembly: a module with the model's programs, and JavaScript that calls it in a page or in node.

const { slopes } = await load(bytes);     slopes(t, q, v, p, u) is an array of accelerations
"""

from __future__ import annotations

import json
from pathlib import Path

from dalembert import __version__, columns
from dalembert.exchange.export.names import comment
from dalembert.exchange.export.sheet import RATES, ExportSheet
from dalembert.language import tr
from dalembert.programs import wasm

ENDING = ".wasm"
CALL = """\
/* BYTES */
export async function load(bytes) {
  const numbers = PLACES.length + COUNT + 1;
  const memory = new WebAssembly.Memory({ initial: Math.ceil((8 * numbers) / 65536) });
  const { exports } = (await WebAssembly.instantiate(bytes, { env: { memory }, math: Math })).instance;
  const given = new Float64Array(memory.buffer, 0, PLACES.length);
  const found = new Float64Array(memory.buffer, given.byteLength, COUNT + 1);

SLOPES
  function slopes(t, q, v, p = Object.values(PARAMETERS), u = []) {
    const parts = { t: [t], q, v, p, u };
    for (const [letter, size] of Object.entries(SIZES))
      if (parts[letter].length !== size)
        throw new RangeError(`${letter} has ${parts[letter].length} numbers; ${size} are expected`);
    PLACES.forEach(([letter, k], i) => { given[i] = parts[letter][k]; });
    for (const way of WAYS) {
      exports[way](found.byteOffset, 0, 0);
      if (found[COUNT] === 1) return found.slice(0, -1);
    }
    return new Float64Array(COUNT).fill(NaN);
  }
  return { slopes };
}
"""


def written(sheet: ExportSheet, path: Path) -> dict[Path, str | bytes]:
    """The two files, by their paths."""
    ways = {f"way{i}": way for i, way in enumerate(sheet.ways)}
    named = {
        "MODEL": sheet.title, "METHOD": sheet.method, "HASH": sheet.digest, "VERSION": __version__,
        "COORDINATES": sheet.coordinates, "PARAMETERS": sheet.parameters, "INPUTS": sheet.inputs,
    }  # fmt: skip
    named |= {"STATES": sheet.states} if sheet.states else {}
    sizes = {letter: len(names) for letter, names in sheet.groups.items()}
    lines = [f"// {comment(line)}" for line in (*sheet.origin, *sheet.notes)]
    lines += [f"export const {name} = {json.dumps(value)};" for name, value in named.items()]
    lines += [f"const PLACES = {json.dumps(sheet.places)};", f"const WAYS = {json.dumps(list(ways))};"]
    lines += [f"const SIZES = {json.dumps(sizes)};", f"const COUNT = {sheet.size};", ""]
    read = tr(
        "`bytes` are those of the file {name}: in a page (await fetch(URL)).arrayBuffer(), in node await "
        "readFile(PATH).",
        name=comment(path.name),
    )
    about = tr(
        "Accelerations q'' at the time t, the coordinates q, the speeds v = q', the parameters p and the inputs u, in "
        "SI units, where v meets the constraints. All are NaN where the masses or the constraints are singular."
    )
    about += " " + tr(RATES) if sheet.states else ""
    code = CALL.replace("q, v, p", "q, v, s, p") if sheet.states else CALL
    call = code.replace("SLOPES", "\n".join(columns.lines(f"{about} */", 120, "  /* ", "     "))).replace("BYTES", read)
    script = "\n".join(lines) + "\n" + call
    return {path: wasm.module(ways), path.with_suffix(".mjs"): script}
