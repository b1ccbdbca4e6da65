"""States and motions as aligned text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dalembert.results.motion import Motion
from dalembert.results.state import Numbers, State
from dalembert.results.text.layout import number, table


def _heading(title: str, method: str, when: str) -> list[str]:
    return [*([title] if title else []), f"method {method}, {when}", ""]


def _state_table(q: Numbers, v: Numbers, a: Numbers, units: Mapping[str, str]) -> list[str]:
    def labelled(name: str) -> str:
        return f"{name} [{units[name]}]" if units.get(name) else name

    rows = [[labelled(name), number(q[name]), number(v[name]), number(a[name])] for name in q]
    return table(["", "q", "q'", "q''"], rows)


def _energy(energy: Mapping[str, float]) -> str:
    return "energy: " + ", ".join(f"{name} {number(value)}" for name, value in energy.items())


def _notes(notes: Iterable[str]) -> list[str]:
    return [f"note: {note}" for note in notes]


def _product(value: float, name: str) -> str:
    return f"{number(value)} δ{name}"


def state_text(state: State) -> str:
    """Coordinates, speeds and accelerations; multipliers with their generalized reactions; energy; notes."""
    state = state.in_units()
    lines = _heading(state.title, state.method, f"t = {number(state.time)}")
    lines += _state_table(state.coordinates, state.speeds, state.accelerations, state.units)
    if state.multipliers:
        rows = []
        for name, value in state.multipliers.items():
            row = state.reactions.get(name, {})
            work = [_product(force, q) for q, force in row.items() if force != 0]
            rows.append([name, number(value), " + ".join(work).replace("+ -", "− ") or "0"])
        lines += ["", *table(["constraint", "multiplier"], [row[:2] for row in rows])]
        works = ["virtual work of the reaction", *(row[2] for row in rows)]
        lines[-len(works) :] = [f"{line}   {work}" for line, work in zip(lines[-len(works) :], works, strict=True)]
    for head, numbers in (("state", state.states), ("output", state.outputs)):
        if numbers:
            lines += ["", *table([head, ""], [[name, number(value)] for name, value in numbers.items()])]
    if state.modes:
        lines += ["", *table(["contact or friction", ""], [[name, word] for name, word in state.modes.items()])]
    lines += ["", _energy(state.energy), f"degrees of freedom: {state.degrees_of_freedom}", *_notes(state.notes)]
    return "\n".join(lines)


def motion_text(motion: Motion) -> str:
    """The last state, the events, how it was computed."""
    if not len(motion.times):
        return "\n".join([*_heading(motion.title, motion.method, motion.status), *_notes(motion.notes)])
    motion = motion.in_units()
    last = {
        kind: {name: float(values[-1]) for name, values in getattr(motion, kind).items()}
        for kind in (
            "coordinates", "speeds", "accelerations", "multipliers", "definitions", "states", "inputs", "outputs",
            "energy",
        )
    }  # fmt: skip
    span = f"t = {number(motion.times[0])} to {number(motion.times[-1])}, {len(motion.times)} samples, {motion.status}"
    lines = _heading(motion.title, motion.method, span)
    lines += [f"at t = {number(motion.times[-1])}"]
    lines += _state_table(last["coordinates"], last["speeds"], last["accelerations"], motion.units)
    for kind in ("multipliers", "definitions", "states", "inputs", "outputs"):
        head = kind.removesuffix("s")
        if last[kind]:
            lines += ["", *table([head, ""], [[name, number(value)] for name, value in last[kind].items()])]
    if motion.modes:
        rows = [[name, str(words[-1])] for name, words in motion.modes.items()]
        lines += ["", *table(["contact or friction", ""], rows)]
    if motion.events:
        rows = [[event.name, event.kind, number(event.time)] for event in motion.events[:20]]
        lines += ["", *table(["event", "kind", "time"], rows)]
        if len(motion.events) > 20:
            lines.append(f"  … and {len(motion.events) - 20} more")
    about = motion.diagnostics
    lines += ["", _energy(last["energy"])]
    lines.append(f"energy drift {about.energy_drift:.2e}, constraint residual {about.constraint_residual:.2e}")
    seconds = ", ".join(f"{name} {value:.3f} s" for name, value in about.seconds.items())
    lines.append(f"{about.steps} steps, {about.evaluations} evaluations ({about.stepper}); {seconds}")
    return "\n".join([*lines, *_notes(motion.notes)])
