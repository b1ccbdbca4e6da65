"""A root locus as aligned text: members, critical values, ranges of stability."""

from __future__ import annotations

import numpy as np

from dalembert.language import tr
from dalembert.results.locus import Locus
from dalembert.results.state import labelled
from dalembert.results.text.layout import noted, number, table

MOST_ROWS = 25  # members shown in a terminal


def locus_text(locus: Locus) -> str:
    over = tr(
        "{vary} = {values} to {values2}, {count} states",
        vary=locus.vary,
        values=number(locus.values[0]),
        values2=number(locus.values[-1]),
        count=len(locus.members),
    )
    lines = [*([locus.title] if locus.title else []), tr("method {method}, {over}", method=locus.method, over=over)]
    if locus.steady:
        lines.append(tr("steady motions; held: {held}", held=", ".join(locus.held) or tr("nothing")))
    lines += ["", *_member_lines(locus)]
    rows = [
        [number(turn.value), _complex(turn.eigenvalue), " → ".join(map(tr, turn.stability)), turn.words]
        for turn in locus.critical
    ]
    if rows:
        lines += [
            "",
            *table(
                [tr("critical {vary}", vary=labelled(locus.vary, locus.units)), tr("eigenvalue"), tr("stability"), ""],
                rows,
            ),
        ]
    lines += [""]
    for first, last, word in locus.ranges:
        lines.append(
            tr("{word} at {first}", word=tr(word), first=number(first))
            if first == last
            else tr("{word} from {first} to {last}", word=tr(word), first=number(first), last=number(last))
        )
    lines += [
        tr("at {vary} = {number}: {sentence}", vary=locus.vary, number=number(value), sentence=sentence)
        for value, sentence in locus.failures[:3]
    ]
    if len(locus.failures) > 3:
        lines.append(tr("… and {count} more values at which none was found", count=len(locus.failures) - 3))
    return "\n".join([*lines, *noted(locus.notes)])


def _member_lines(locus: Locus) -> list[str]:
    """A table of members: the quantities that change, and the eigenvalue that grows fastest."""
    columns = locus.columns()
    names = list(locus.members[0].coordinates)
    state = [*names, *(f"{name}'" for name in names)]
    shown = [n for n in state if n in columns and n != locus.vary and np.ptp(columns[n]) > 1e-12]
    shown = shown[:8]
    chosen = np.unique(np.linspace(0, len(locus.members) - 1, MOST_ROWS).round().astype(int))
    rows = []
    for k in chosen.tolist():
        member = locus.members[k]
        fastest = _fastest(member.eigenvalues)
        cells = [f"{columns[name][k] + 0.0:.6g}" for name in shown]
        rows.append([number(member.value), *cells, _complex(fastest), tr(member.stability)])
    heads = [labelled(name, locus.units) for name in (locus.vary, *shown)]
    return table([*heads, tr("grows fastest"), tr("stability")], rows)


def _fastest(eigenvalues: np.ndarray) -> complex:
    """The eigenvalue with the greatest real part. Among equal real parts, the one with the greatest frequency."""
    size = np.abs(eigenvalues).max(initial=0.0)
    most = eigenvalues.real.max(initial=-np.inf)
    near = eigenvalues[eigenvalues.real >= most - 1e-7 * size]
    return complex(near[int(near.imag.argmax())]) if len(near) else 0j


def _complex(value: complex) -> str:
    if abs(value.imag) <= 1e-7 * max(abs(value), 1e-3):
        return f"{(value.real if abs(value.real) > 1e-12 else 0.0):.6g}"
    real = value.real if abs(value.real) > 1e-7 * abs(value) else 0.0
    return f"{real:.6g} ± {abs(value.imag):.6g}i"
