"""States and motions as aligned text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from dalembert.language import Sentences, tr
from dalembert.results.motion import Motion
from dalembert.results.state import Numbers, State, labelled
from dalembert.results.text.layout import noted, number, table
from dalembert.results.words import described

HEADS: Sentences = {
    "multipliers": "multiplier", "definitions": "definition", "states": "state", "inputs": "input",
    "outputs": "output",
}  # fmt: skip


def _heading(answer: State | Motion, when: str) -> list[str]:
    told = ", ".join(filter(None, (described(answer.description), when)))
    line = tr("method {method}, {when}", method=answer.method, when=told)
    return [*([answer.title] if answer.title else []), line, ""]


def _state_table(q: Numbers, v: Numbers, a: Numbers, units: Mapping[str, str]) -> list[str]:
    rows = [[labelled(name, units), number(q[name]), number(v[name]), number(a[name])] for name in q]
    return table(["", "q", "q'", "q''"], rows)


def _energy(energy: Mapping[str, float]) -> str:
    return tr("energy: {values}", values=", ".join(f"{tr(name)} {number(value)}" for name, value in energy.items()))


def _product(value: float, name: str) -> str:
    return f"{number(value)} δ{name}"


ROUNDING = 1e-15  # of the largest component; a smaller one is cos(pi/2)


def state_text(state: State) -> str:
    """Coordinates, speeds and accelerations; multipliers with their generalized reactions; energy; notes."""
    state = state.in_units()
    lines = _heading(state, f"t = {number(state.time)}")
    lines += _state_table(state.coordinates, state.speeds, state.accelerations, state.units)
    if state.multipliers:
        rows = []
        for name, value in state.multipliers.items():
            row = state.reactions.get(name, {})
            least = ROUNDING * max(map(abs, row.values()), default=0.0)
            work = [_product(force, q) for q, force in row.items() if not abs(force) <= least]
            rows.append([name, number(value), " + ".join(work).replace("+ -", "− ") or "0"])
        lines += ["", *table([tr("constraint"), tr("multiplier")], [row[:2] for row in rows])]
        works = [tr("virtual work of the reaction"), *(row[2] for row in rows)]
        lines[-len(works) :] = [f"{line}   {work}" for line, work in zip(lines[-len(works) :], works, strict=True)]
    lines += [f"  {state.released}"] if state.released is not None else []
    for head, numbers in (
        (tr("state"), state.states),
        (tr("input"), state.inputs),
        (tr("output"), state.outputs),
    ):
        if numbers:
            lines += ["", *table([head, ""], [[name, number(value)] for name, value in numbers.items()])]
    if state.modes:
        lines += ["", *table([tr("contact or friction"), ""], [[name, tr(word)] for name, word in state.modes.items()])]
    lines += [
        "",
        _energy(state.energy),
        tr("degrees of freedom: {degrees_of_freedom}", degrees_of_freedom=state.degrees_of_freedom),
        *noted(state.notes),
    ]
    return "\n".join(lines)


def motion_text(motion: Motion) -> str:
    """The last state, the events, how it was computed."""
    if not len(motion.times):
        return "\n".join([*_heading(motion, tr(motion.status)), *noted(motion.notes)])
    motion = motion.in_units()
    last = {
        kind: {name: float(values[-1]) for name, values in getattr(motion, kind).items()}
        for kind in (
            "coordinates", "speeds", "accelerations", "multipliers", "definitions", "states", "inputs", "outputs",
            "energy",
        )
    }  # fmt: skip
    span = tr(
        "t = {times} to {times2}, {count} samples, {status}",
        times=number(motion.times[0]),
        times2=number(motion.times[-1]),
        count=len(motion.times),
        status=tr(motion.status),
    )
    lines = _heading(motion, span)
    lines += [tr("at t = {times}", times=number(motion.times[-1]))]
    lines += _state_table(last["coordinates"], last["speeds"], last["accelerations"], motion.units)
    for kind, head in HEADS.items():
        if last[kind]:
            lines += ["", *table([tr(head), ""], [[name, number(value)] for name, value in last[kind].items()])]
        if kind == "multipliers" and motion.released is not None:
            lines.append(f"  {motion.released}")
    if motion.modes:
        rows = [[name, tr(str(words[-1]))] for name, words in motion.modes.items()]
        lines += ["", *table([tr("contact or friction"), ""], rows)]
    if motion.events:
        rows = [[event.name, tr(event.kind), number(event.time)] for event in motion.events[:20]]
        lines += ["", *table([tr("event"), tr("kind"), tr("time")], rows)]
        if len(motion.events) > 20:
            lines.append(tr("  … and {count} more", count=len(motion.events) - 20))
    about = motion.diagnostics
    lines += ["", _energy(last["energy"])]
    lines.append(
        tr(
            "energy drift {energy_drift:.2e}, constraint residual {constraint_residual:.2e}",
            energy_drift=about.energy_drift,
            constraint_residual=about.constraint_residual,
        )
    )
    seconds = ", ".join(f"{tr(name)} {value:.3f} s" for name, value in about.seconds.items())
    lines.append(
        tr(
            "{steps} steps, {evaluations} evaluations ({stepper}); {seconds}",
            steps=about.steps,
            evaluations=about.evaluations,
            stepper=about.stepper,
            seconds=seconds,
        )
    )
    return "\n".join([*lines, *noted(motion.notes)])
