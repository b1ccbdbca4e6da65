"""The text of a kernel for smooth motions on a GPU: the engine's own headers, with a model's programs inlined."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.engine.build import ROOM
from dalembert.engine.library import Counts
from dalembert.motions.native import Native
from dalembert.motions.written import written
from dalembert.programs import cuda
from dalembert.programs.system import CompiledSystem

LONGEST = 24  # numbers of a state that fit into a thread's registers with their slopes


@dataclass(frozen=True, slots=True)
class Kernel:
    """A source with the entry `smooth_motions`; its headers are in the folder `headers`."""

    text: str
    size: int
    headers: str = str(ROOM)


def kernel(system: CompiledSystem, head: str = cuda.HEAD, pairs: str = cuda.PAIRS) -> Kernel | None:
    """The kernel of a system, or None where its programs cannot be written out. Events are not looked for."""
    parts, size = written(system), 2 * system.n
    if parts is None or size > LONGEST:
        return None
    counts = Native(system, guards=False, written=parts).struct.counts
    inputs = 1 + size + counts.parameters + size
    named = {"slopes": parts.slopes, "correct_position": parts.position, "correct_velocity": parts.velocity}
    known = {"CORRECTS_POSITION": parts.position, "CORRECTS_VELOCITY": parts.velocity}
    lines = [
        f"#define MODEL_SIZE {size}",
        f"#define MODEL_INPUTS {inputs}",
        f"#define MODEL_COUNTS {_braces(counts)}",
        *(f"#define {name}" for name, part in known.items() if part is not None),
        *(cuda.function(part, f"program_{name}", head) for name, part in named.items() if part is not None),
        (ROOM / "kernel.cu").read_text(encoding="utf-8"),
    ]
    return Kernel("\n".join(lines), size)


def _braces(counts: Counts) -> str:
    return "{" + ", ".join(str(getattr(counts, name)) for name, *_ in Counts._fields_) + "}"
