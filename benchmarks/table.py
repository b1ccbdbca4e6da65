"""The results as Markdown: ratios, targets, seconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchmarks.measure import Record, middle, numbers, ratio
from benchmarks.plan import HEADINGS, OURS
from benchmarks.systems import System
from benchmarks.targets import Target


def ratios(results: Mapping[System, Mapping[str, Record]], names: Mapping[str, str], error: float) -> str:
    """Every peer's seconds divided by ours: above one, this package is faster."""
    rows = []
    for system, records in results.items():
        ours = numbers(records[OURS], error) if OURS in records else {}
        for peer, record in records.items():
            if peer == OURS:
                continue
            theirs = numbers(record, error)
            cells = [times(ratio(theirs[key], ours.get(key))) for key in HEADINGS]
            rows.append([system.title, names[peer], *cells, record.fault])
    return markdown(("system", "peer", *HEADINGS, ""), rows)


def seconds(results: Mapping[System, Mapping[str, Record]], names: Mapping[str, str], error: float) -> str:
    rows = []
    for system, records in results.items():
        for peer, record in records.items():
            found = numbers(record, error)
            best = min(record.errors.values(), default=None)
            note = "" if best is None else f"{best:.0e}"
            rows.append([system.title, names[peer], *[duration(found[key]) for key in HEADINGS], note])
    return markdown(("system", "peer", *HEADINGS, "smallest error"), rows)


def targets(entries: Iterable[Target]) -> str:
    rows = []
    for entry in entries:
        found = "–" if entry.found is None else f"{entry.found:.3g}"
        rows.append([entry.claim, f"{entry.better} {entry.bound:g}", found, entry.verdict])
    return markdown(("target", "bound", "found", ""), rows)


def start_up(taken: Mapping[str, Sequence[float]], base: str) -> str:
    rows = []
    for name, values in taken.items():
        best, usual = min(values) / min(taken[base]), middle(values) / middle(taken[base])
        rows.append([f"`{name}`", times(best), times(usual), duration(min(values))])
    return markdown(("cold process", "by the best", "by the median", "seconds"), rows)


def linearized(taken: Mapping[str, Sequence[float]]) -> str:
    """The bicycle, derived and linearized; SymPy's own test only in a full run."""
    rows = [[name, duration(min(values)), duration(middle(values))] for name, values in taken.items() if values]
    return markdown(("", "best", "median"), rows)


def dragged(taken: Mapping[str, float]) -> str:
    """The slowest models, and the one in the middle."""
    slowest = sorted(taken.items(), key=lambda entry: -entry[1])[:8]
    rows = [[name, duration(seconds)] for name, seconds in slowest]
    return markdown(("", "best"), [*rows, [f"median of {len(taken)} models", duration(middle(list(taken.values())))]])


def exported(taken: Mapping[str, float]) -> str:
    """Every target, and an evaluation of C."""
    return markdown(("", "best"), [[name, duration(seconds)] for name, seconds in taken.items()])


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with columns of even width, readable as text too."""
    lines = [list(head), *[list(row) for row in rows]]
    if all(not row[-1] for row in lines):
        lines = [row[:-1] for row in lines]
    widths = [max(len(row[k]) for row in lines) for k in range(len(lines[0]))]
    padded = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in lines]
    text = [f"| {' | '.join(row)} |" for row in padded]
    text.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(text)


def times(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.0f}×" if value >= 10 else f"{value:.2g}×"


def duration(value: float | None) -> str:
    if value is None:
        return "–"
    if value < 1e-3:
        return f"{value * 1e6:.3g} µs"
    return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"
