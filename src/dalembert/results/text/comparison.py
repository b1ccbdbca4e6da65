"""A comparison as aligned text for a terminal."""

from __future__ import annotations

from dalembert.language import tr
from dalembert.results.comparison import AGREED, Answer, Comparison
from dalembert.results.text.layout import noted, number, table


def comparison_text(comparison: Comparison) -> str:
    """Differences, groups of methods that agree, and the control forces of each group."""
    answers = comparison.answers
    span = tr(
        "t = {start} to {end}, {samples} samples",
        start=number(comparison.start),
        end=number(comparison.end),
        samples=comparison.samples,
    )
    lines = [
        *([comparison.title] if comparison.title else []),
        tr("{count} methods, {span}", count=len(answers), span=span),
        "",
    ]
    head = [tr("method"), tr("model"), "q''", tr("forces"), tr("motion")]
    lines += table(head, [_differences(answer) for answer in answers.values()])
    lines += [
        tr(
            "  (largest differences from {reference}: along its motion, of control forces, of the motions)",
            reference=comparison.reference,
        ),
        "",
    ]
    for i, group in enumerate(comparison.groups, 1):
        alone = tr("stands alone") if answers[group[0]].motion is not None else tr("has no motion to compare")
        agree = tr("agree to {agreed:g}", agreed=AGREED) if len(group) > 1 else alone
        lines.append(f"{i}. {', '.join(group)}: {agree}")
    shown = [answers[group[0]] for group in comparison.groups]
    lines += ["", tr("accelerations at the start"), *_columns(shown, "accelerations")]
    if any(answer.state and answer.state.reactions for answer in shown):
        lines += ["", tr("control forces at the start: what keeps the constraints"), *_columns(shown, "forces")]
        lines += ["", tr("multipliers at the start"), *_columns(shown, "multipliers")]
    if any(answer.motion is not None for answer in shown):
        when = f"t = {number(comparison.end)}"
        lines += ["", tr("coordinates at {when}", when=when), *_columns(shown, "end")]
        lines += ["", tr("control forces at {when}", when=when), *_columns(shown, "final")]
    errors = [f"{answer.method}: {answer.error}" for answer in answers.values() if answer.error]
    return "\n".join([*lines, *(["", *errors] if errors else []), *noted(comparison.notes)])


def _differences(answer: Answer) -> list[str]:
    def shown(value: float | None) -> str:
        return "–" if value is None else f"{value:.1e}"

    parts = (answer.accelerations, answer.control, answer.coordinates)
    return [answer.method, tr(answer.model), *map(shown, parts)]


def _columns(shown: list[Answer], what: str) -> list[str]:
    """One row for each name, one column for each group's first method."""
    values: list[dict[str, float]] = []
    for answer in shown:
        if what == "forces":
            values.append(answer.control_forces)
        elif what == "final":
            values.append(answer.final_control_forces)
        elif what == "end":
            motion = answer.motion
            values.append({} if motion is None else {q: float(v[-1]) for q, v in motion.coordinates.items()})
        else:
            values.append(dict(getattr(answer.state, what)) if answer.state else {})
    names = list(dict.fromkeys(name for column in values for name in column))
    rows = [[name, *(number(column[name]) if name in column else "" for column in values)] for name in names]
    return table(["", *(answer.method for answer in shown)], rows)
