"""Many motions by the default engine's own loops, records and all: `simulate.ensemble` translated.

Every thread claims a motion, follows it to its end, keeps what is asked of it, and claims the next. A motion's memory
is the thread's own; what threads share is read and written by motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.compile.system import CompiledSystem
from dalembert.cuda.kernels import accelerate, by_name, call, function_text, memory_of, model_functions
from dalembert.cuda.kinds import NOTHING, REAL, TRUTH, WHOLE, Array, Kind, Known, Record, Row, kind_of
from dalembert.cuda.terms import Term, Terms
from dalembert.cuda.translate import Translator, read
from dalembert.cuda.writer import header
from dalembert.motions.unilateral import HybridSystem
from dalembert.simulate import advance, core, ensemble, hybrid, hybrid_drive, machine
from dalembert.simulate.crew import Span, Wanted, books_for, note_size, plan_for
from dalembert.simulate.through import claim, through

SHARED = ("parameters", "states", "ends", "status", "values", "notes", "kept", "kept_modes", "claimed", "stop")


@dataclass(frozen=True)
class Kept:
    """What is kept of every motion, with its expressions: of states, of what is watched; `inputs` are their symbols."""

    wanted: Wanted
    inputs: Sequence[Any]
    values: Sequence[Any]
    watched: Sequence[Any]
    states: tuple[int, int] = (0, 0)  # how many states are kept with how many modes


@dataclass(frozen=True)
class Many:
    """The source; `samples_size` is what a thread needs of memory for a sample, `modes` beside it."""

    text: str
    size: int
    modes: int


def loop_of(translator: Translator, terms: list[Term], scope: Terms) -> Term:
    """The loop that the entry at an address would call: that of contacts has no method before its calls."""
    function = hybrid.hybrid_loop if isinstance(terms[0][1], Record) else advance.loop
    return translator.called(function, terms, scope)


def cleared(translator: Translator, terms: list[Term], scope: Terms) -> Term:
    code, kind = terms[0]
    assert isinstance(kind, Array)
    return f"clear_array({code}.p, {kind.count})", NOTHING


def claimed(translator: Translator, terms: list[Term], scope: Terms) -> Term:
    return f"claimed_next({terms[0][0]})", WHOLE


SPECIAL = {core.call: call, core.accelerate: accelerate, ensemble.clear: cleared, claim: claimed}


def many_source(system: CompiledSystem, touching: HybridSystem | None, span: Span, kept: Kept) -> Many:
    """Motions of one model, smooth or with contacts; what varies from motion to motion are numbers."""
    translator = Translator(SPECIAL, {through: loop_of})
    build = _smooth(translator, system, span, kept) if touching is None else _hybrid(translator, touching, span, kept)
    functions = [model_functions(system if touching is None else touching.system, touching)]
    eq, wanted = system.equations, kept.wanted
    functions.append(function_text("values", kept.inputs, kept.values))
    functions.append(function_text("watched", kept.inputs, kept.watched))
    functions.append(function_text("energy", eq.inputs, [eq.kinetic, eq.potential] if wanted.drift else []))
    size, width = build.size, max(build.modes, 1)
    entry = header("many.h")
    kept_states = "{kept, count}, {kept_modes, count}" if kept.states[0] else "{kept}, {kept_modes}"
    for word, text in {
        "MEMORY_OF_A_THREAD": "\n  ".join(build.lines), "FOLLOW_MOTIONS": build.call, "MOTIONS_TYPE": build.motions,
        "SIZE_OF_STATE": str(size), "SIZE_OF_MODE": str(width), "KEPT_OF_MOTIONS": kept_states,
    }.items():  # fmt: skip
        entry = entry.replace(word, text)
    return Many("\n".join([header("base.h"), *functions, translator.text(), entry]), size, build.modes)


@dataclass(frozen=True)
class _Build:
    """Lines that make a thread's memory, the call, and the type of what is shared."""

    lines: list[str]
    call: str
    motions: str
    size: int
    modes: int


def _plan_of(kept: Kept, chunk: tuple[int, int, int], blank: Any) -> Any:
    """The plan with names in place of addresses."""
    plan = plan_for(kept.wanted, 0, chunk, blank)
    names: Any = {"function": "watched", "data": 0}
    watch = plan.watch._replace(**names)
    names = {"advance": "", "function": "values", "data": 0, "energy": "energy", "energy_data": 0, "watch": watch}
    return plan._replace(**names)


def _motions_kind(kept: Kept, system: CompiledSystem, size: int) -> Record:
    rows, modes = kept.states
    length = None if rows else 0
    kinds: dict[str, Kind] = {
        "parameters": Array(REAL, None, (len(system.parameters),)), "states": Array(REAL, None, (size,)),
        "ends": Array(REAL, None), "status": Array(WHOLE, None),
        "values": Array(REAL, None, (len(kept.wanted.columns),)),
        "notes": Array(REAL, None, (note_size(size, system.dynamics.inputs),)),
        "kept": Array(REAL, length, (max(rows, 1), size)),
        "kept_modes": Array(WHOLE, length, (max(rows, 1), 1 + modes)),
        "claimed": Array(WHOLE, 1), "stop": Array(WHOLE, 1),
    }  # fmt: skip
    assert tuple(kinds) == SHARED == ensemble.Motions._fields
    return Record("Motions", tuple(kinds.items()))


def _smooth(translator: Translator, system: CompiledSystem, span: Span, kept: Kept) -> _Build:
    size = 2 * system.n + system.k
    motion = machine.prepare(system, np.zeros(size), span.samples, span.start, span.end, span.tolerance)
    calls = by_name(motion.calls)
    plan = _plan_of(kept, (motion.chunk, 1, motion.chunk), system.dynamics)
    books = books_for(kept.wanted, plan, calls.guard_count)
    room = 2 * calls.guard_count * core.NODES
    events: Kind = Known(None, True)
    lines, more = [], ""
    if calls.guard_count:
        events = Row((Array(REAL, room), Array(WHOLE, room, (2,)), Array(REAL, room, (size,))))
        lines = [f"double times[{room}]; int event_marks[{2 * room}]; double event_states[{room * size}];"]
        lines.append(f"{translator.cpp(events)} events = {{{{times}}, {{event_marks}}, {{event_states}}}};")
        more = "events, "
    recorded = Array(REAL, 1 if len(kept.wanted.what) else 0, (2 + 8 * size,))
    kinds = kind_of(plan), kind_of(books, memory=True), kind_of(calls), kind_of(motion.memory, memory=True)
    shared = _motions_kind(kept, system, size)
    written = translator.function(
        read(ensemble.smooth_loop), vars(ensemble),
        (Known(1, True), kinds[0], kinds[1], Known(None, True), kinds[2], kinds[3], *_notes(size), events, recorded,
         shared),
    )  # fmt: skip
    lines += memory_of(translator.structures, kinds[1], "books") + memory_of(translator.structures, kinds[3], "mem")
    call_text = f"{written.name}({{}}, books, {{}}, mem, {NOTES}, {more}{{recorded}}, motions)"
    return _Build([*lines, _recorded(size)], call_text, translator.cpp(shared), size, 0)


NOTES = "{real}, {whole}, {start_of_reals}, samples, sampled"


def _notes(size: int) -> tuple[Kind, ...]:
    """real, whole, template, samples, sampled."""
    reals = Array(REAL, core.REALS)
    return reals, Array(WHOLE, core.WHOLES), reals, Array(REAL, None), Array(REAL, None, (size,))


def _recorded(size: int) -> str:
    return f"double recorded[{2 + 8 * size}]; double real[{core.REALS}]; int whole[{core.WHOLES}];"


def _hybrid(translator: Translator, touching: HybridSystem, span: Span, kept: Kept) -> _Build:
    system, laws = touching.system, touching.laws
    size = 2 * system.n
    calls = by_name(hybrid_drive.hybrid_calls(touching))
    memory = hybrid_drive.hybrid_memory(touching.system, calls, laws)
    chunk = hybrid_drive.CHUNK, hybrid_drive.GROWTH, hybrid_drive.LONGEST
    plan = _plan_of(kept, chunk, system.dynamics)
    books = books_for(kept.wanted, plan, calls.guard_count)
    rows: Kind = Array(WHOLE, None)
    base = kind_of(calls)
    assert isinstance(base, Record) and isinstance(base["shape"], Record)
    base = _with(base, shape=_with(base["shape"], general=TRUTH, active=rows, columns=rows), phi_rows=rows)
    room = 8 * (laws.contacts + laws.frictions) + 2 * core.NODES * max(calls.guard_count, 1) + 8
    state = Array(REAL, room, (size,))
    events = Row((Array(WHOLE, room, (2,)), Array(REAL, room, (4,)), state, state))
    width = max(laws.contacts + laws.frictions, 1)
    recorded = Array(REAL, 1 if kept.wanted.stepwise else 0, (2 + 8 * size,))
    kinds = kind_of(plan), kind_of(books, memory=True), kind_of(memory, memory=True)
    shared = _motions_kind(kept, system, size)
    written = translator.function(
        read(ensemble.hybrid_loop), vars(ensemble),
        (kinds[0], kinds[1], base, kinds[2], *_notes(size), Array(WHOLE, None, (width,)), events, recorded, shared),
    )  # fmt: skip
    count, level = laws.rows, system.mh
    lines = [
        *memory_of(translator.structures, kinds[1], "books"),
        *memory_of(translator.structures, kinds[2], "mem"),
        f"int every[{max(count, level, 1)}];",
        f"for (int i = 0; i < {max(count, level)}; i++) every[i] = i;",
        f"{translator.cpp(base)} calls = {{{{false, {{every, {count}}}, {{every, {count}}}}}, {{every, {level}}}}};",
        f"int event_marks[{2 * room}]; double event_reals[{4 * room}];",
        f"double befores[{room * size}], afters[{room * size}];",
        f"{translator.cpp(events)} events = {{{{event_marks}}, {{event_reals}}, {{befores}}, {{afters}}}};",
        _recorded(size),
    ]
    call_text = f"{written.name}({{}}, books, calls, mem, {NOTES}, modes, events, {{recorded}}, motions)"
    return _Build(lines, call_text, translator.cpp(shared), size, laws.contacts + laws.frictions)


def _with(record: Record, **changes: Kind) -> Record:
    return Record(record.name, tuple((name, changes.get(name, kind)) for name, kind in record.fields))
