"""A quantity over a range: the root locus, or a sweep of motions, with picture, table and sentences."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.language import tr

if TYPE_CHECKING:
    import xarray

    from dalembert.model.record import ModelRecord
    from dalembert.results.locus import Locus

ROWS = 60  # of a table on the screen; the file has all rows
MOTIONS = 20_000  # of a sweep in the lab
STATES = 2_000  # of a root locus


def _values(one: Mapping[str, Any]) -> np.ndarray:
    return np.linspace(one["from"], one["to"], one["count"])


def _bounded(axes: Sequence[Mapping[str, Any]], most: int) -> None:
    count = int(np.prod([float(one["count"]) for one in axes]))
    if count > most:
        raise ModelError(
            "{count} values were asked for; the lab computes at most {most}. `dalembert sweep` computes more.",
            count=count,
            most=most,
        )


def locus(
    model: ModelRecord, axes: Sequence[Mapping[str, Any]], method: str | None, steady: bool, rows: int = ROWS
) -> dict[str, Any]:
    """Eigenvalues over the first quantity."""
    from dalembert.api.linearize import root_locus
    from dalembert.results.plots.figure import picture

    _bounded(axes[:1], STATES)
    found = root_locus(model, axes[0]["name"], _values(axes[0]), method, steady)
    columns = found.columns()
    shown = {
        name: values
        for name, values in columns.items()
        if name in (found.vary, "stability") or (name.startswith("eigenvalue.") and np.nanmax(np.abs(values)) > 0)
    }
    return {
        "svg": picture(found.plot(), "svg").decode(),
        "alt": tr("Eigenvalues over {vary}", vary=found.vary),
        "sentences": [*_ranges(found), *found.notes, *(sentence for _, sentence in found.failures[:3])],
        "critical": [[turn.value, turn.words, " → ".join(map(tr, turn.stability))] for turn in found.critical],
        **_table(shown, columns, rows),
    }


def _ranges(found: Locus) -> Iterable[str]:
    for first, last, word in found.ranges:
        yield tr("{word} from {first} to {last}", word=tr(word), first=f"{first:.6g}", last=f"{last:.6g}")


def sweep(
    model: ModelRecord,
    axes: Sequence[Mapping[str, Any]],
    records: Sequence[str],
    told: Callable[[float], None],
    rows: int = ROWS,
    **asked: Any,
) -> dict[str, Any]:
    """Motions over a grid of one or two quantities, with the records of each."""
    from dalembert.api.sweep import sweep as swept
    from dalembert.results.plots.figure import picture
    from dalembert.sweep.pictures import figure

    _bounded(axes, MOTIONS)
    found = swept(
        model,
        {one["name"]: _values(one) for one in axes},
        keep=tuple(records) or ("final",),
        progress=lambda news: told(news.done / news.size),
        threads=1,
        **asked,
    )
    columns = _columns(found)
    ended = Counter(columns["status"].tolist())
    return {
        "svg": picture(figure(found), "svg").decode(),
        "alt": tr("{records} over {names}", records=", ".join(records), names=", ".join(one["name"] for one in axes)),
        "sentences": [tr("{count} motions {word}", count=count, word=tr(word)) for word, count in ended.items()],
        "critical": [],
        **_table(columns, columns, rows),
    }


def _columns(found: xarray.Dataset) -> dict[str, np.ndarray]:
    """A row for each motion: the varied values, how it ended, and the records that are single numbers."""
    from dalembert.sweep.ensemble import WORDS

    grid = [str(name) for name in found["status"].dims]
    places = np.meshgrid(*(found[name].values for name in grid), indexing="ij")
    columns = {name: values.ravel() for name, values in zip(grid, places, strict=True)}
    for name, data in found.data_vars.items():
        if set(data.dims) == set(grid) and name != "message":
            values = data.transpose(*grid).values.ravel()
            columns[str(name)] = np.array([WORDS[int(code)] for code in values]) if name == "status" else values
        elif len(data.dims) == len(grid) + 1:
            (further,) = set(map(str, data.dims)) - set(grid)
            for place in found[further].values:
                part = data.sel({further: place}).transpose(*grid)
                columns[f"{name} at {further} = {place:g}"] = part.values.ravel()
    return columns


def _table(shown: Mapping[str, np.ndarray], columns: Mapping[str, np.ndarray], rows: int) -> dict[str, Any]:
    """Some rows for the screen, and all rows as CSV."""
    file = StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))
    count = len(next(iter(shown.values())))
    chosen = np.unique(np.linspace(0, count - 1, min(count, rows)).round().astype(int))
    return {
        "head": list(shown),
        "rows": [[_cell(values[i]) for values in shown.values()] for i in chosen],
        "count": count,
        "csv": file.getvalue(),
    }


def _cell(value: Any) -> float | str | None:
    if isinstance(value, str):
        return tr(str(value))
    return float(value) if np.isfinite(value) else None
