"""From the user's words to the axes of a sweep: grids, lists, columns of a file, arrays, distributions.

R=0.2:0.4:21          21 values from 0.2 to 0.4          R=1e-3:1e3:7:log      the same, spaced by a factor
R=1,2,5               these values                       theta'=@starts.csv    the column theta' of a file
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.expressions.parse import nearest, parse, shown
from dalembert.model.record import ModelRecord
from dalembert.model.rows import row_names
from dalembert.model.values import DOMAIN, Evaluator
from dalembert.sweep.chance import spread
from dalembert.sweep.space import MOST, Axis, Sample, Space, Table, space

MULTIPLIERS = "multipliers."
MOST_VALUES = 10_000_000  # of one axis, which is held in memory


def pairs(texts: Iterable[str], option: str) -> dict[str, str]:
    """Read NAME=… for every use of an option. Commas separate the names of several columns of one file."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (equals and name.strip() and value.strip()):
            example = '"theta=normal(0.1, 0.02)"' if option == "--spread" else "R=0.2:0.4:21, R=1,2,5 or R=@values.csv"
            raise ModelError(
                "{option} was given {text!r}; NAME=… is expected, as in {option} {example}",
                option=option,
                text=text,
                example=example,
            )
        if name.strip() in found:
            raise ModelError(
                "{option} was given {name} twice; give all its values at once", option=option, name=name.strip()
            )
        found[name.strip()] = value.strip()
    return found


def asked_space(
    record: ModelRecord,
    vary: Mapping[str, Any],
    sample: int | None = None,
    seed: int = 0,
    spreads: Mapping[str, str] | None = None,
) -> Space:
    """The space of the requested motions. Every name and every number is checked."""
    axes: list[Axis] = []
    files: dict[str, list[str]] = {}
    for stated, values in vary.items():
        names = [name.strip() for name in stated.split(",")]
        for name in names:
            require_known(record, name)
        if isinstance(values, str) and values.startswith("@"):
            if values not in files:
                axes.append(Table(values, {}))  # keeps its place among the axes
            files.setdefault(values, []).extend(names)
        elif len(names) > 1:
            raise ModelError(
                "{stated} vary together only as columns of a file, as in {stated}=@values.csv", stated=stated
            )
        else:
            axes.append(Table(names[0], {names[0]: _values(names[0], values)}))
    axes = [_read(axis.dimension[1:], files[axis.dimension]) if axis.dimension in files else axis for axis in axes]
    if sample is not None or spreads:
        axes.append(_sample(record, sample, seed, spreads or {}))
    return space(axes)


def require_known(record: ModelRecord, name: str) -> None:
    """Refuse a name that is not a parameter, coordinate, speed (theta') or initial multiplier (multipliers.NAME)."""
    known = [*record.parameters, *record.coordinates, *(f"{q}'" for q in record.coordinates)]
    known += [MULTIPLIERS + row for row in row_names(record)]
    if name not in known:
        raise ModelError(
            "there is no parameter, coordinate or speed {name} to vary{name2}",
            name=shown(name),
            name2=nearest(name, known),
        )


def number(text: str, what: str) -> float:
    """The value of a number or of an expression of numbers, such as pi/6."""
    try:
        return Evaluator({}).number(parse(text.strip()))
    except (*DOMAIN, KeyError, ModelError):
        raise ModelError(
            "{what}: {text!r} was met, and a finite number is expected", what=what, text=text.strip()
        ) from None


def _values(name: str, stated: Any) -> np.ndarray:
    if isinstance(stated, str):
        return grid_of(name, stated) if ":" in stated else _listed(name, stated)
    try:
        found = np.atleast_1d(np.asarray(stated, dtype=float))
    except (TypeError, ValueError):
        raise ModelError(
            "the values of {name} must be numbers, and {stated} was met", name=name, stated=shown(str(stated)[:60])
        ) from None
    if found.ndim != 1:
        raise ModelError(
            "the values of {name} are an array of {ndim} dimensions; one is expected", name=name, ndim=found.ndim
        )
    return found


def grid_of(name: str, text: str) -> np.ndarray:
    """Read FIRST:LAST:COUNT, with :log if the steps are factors."""
    parts = [part.strip() for part in text.split(":")]
    if len(parts) not in (3, 4) or (len(parts) == 4 and parts[3] not in ("log", "linear")):
        raise ModelError(
            "{name}={text} was met; FIRST:LAST:COUNT is expected, as in {name}=0.2:0.4:21, or with :log",
            name=name,
            text=text,
        )
    first, last = (number(part, f"{name}={text}") for part in parts[:2])
    if not re.fullmatch(r"[0-9_]+|[0-9]+e[0-9]+", parts[2]):
        raise ModelError(
            "{name}={text}: the count {parts!r} was met, and a whole number is expected",
            name=name,
            text=text,
            parts=parts[2],
        )
    count = int(float(parts[2].replace("_", "")))
    if count < 1:
        raise ModelError("{name}={text}: the grid is empty; at least one value is expected", name=name, text=text)
    if count > MOST_VALUES:
        raise ModelError(
            "{name}={text}: {count:.6g} values were asked for, and at most {most_values:,} of one quantity are taken",
            name=name,
            text=text,
            count=count,
            most_values=MOST_VALUES,
        )
    if count == 1 and first != last:
        raise ModelError(
            "{name}={text}: one value cannot run from {first:g} to {last:g}; give a list, or two and more",
            name=name,
            text=text,
            first=first,
            last=last,
        )
    if parts[3:] != ["log"]:
        return np.linspace(first, last, count)
    if first * last <= 0:
        raise ModelError(
            "{name}={text}: steps by a factor lead from {first:g} to {last:g} only with one sign, and not 0",
            name=name,
            text=text,
            first=first,
            last=last,
        )
    return np.geomspace(first, last, count)


def _listed(name: str, text: str) -> np.ndarray:
    """Read numbers separated by commas, which may be expressions: pi/6, atan2(1, 2)."""
    parts = re.split(r",(?![^(]*\))", text)
    if not text.strip() or any(not part.strip() for part in parts):
        raise ModelError(
            "{name}={text} was met; numbers between commas, FIRST:LAST:COUNT or @FILE is expected", name=name, text=text
        )
    return np.array([number(part, f"{name}={text}") for part in parts])


def _read(file: str, names: list[str]) -> Table:
    """Columns of a CSV file by the names in its first line. A file with one column needs no such line."""
    try:
        with Path(file).open(newline="", encoding="utf-8-sig") as lines:
            rows = [row for row in csv.reader(lines) if row and not row[0].startswith("#")]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelError("the file {file} cannot be read: {reason}", file=shown(file), reason=reason) from None
    if not rows:
        raise ModelError("the file {file} has no values; at least one line of numbers is expected", file=shown(file))
    head = [cell.strip() for cell in rows[0]]
    if len(head) == 1 and len(names) == 1 and _is_number(head[0]):
        head, body = names, rows
    else:
        body = rows[1:]
    if not body:
        raise ModelError("the file {file} has no values below its first line", file=shown(file))
    for name in names:
        if name not in head:
            raise ModelError(
                "the file {file} has no column {name}; it has {head}",
                file=shown(file),
                name=name,
                head=", ".join(head[:20]),
            )
    columns = {name: _column(file, body, head.index(name), name) for name in names}
    return Table(names[0] if len(names) == 1 else Path(file).stem, columns)


def _column(file: str, rows: list[list[str]], place: int, name: str) -> np.ndarray:
    found = np.empty(len(rows))
    for i, row in enumerate(rows):
        try:
            found[i] = float(row[place])
        except (IndexError, ValueError):
            met = repr(row[place]) if place < len(row) else "nothing"
            raise ModelError(
                "{file}, row {i} of {name}: {met} was met, and a number is expected",
                file=file,
                i=i + 1,
                name=name,
                met=met,
            ) from None
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _sample(record: ModelRecord, size: int | None, seed: int, spreads: Mapping[str, str]) -> Sample:
    if size is None:
        raise ModelError("a spread was given and no number of samples; say how many, as in --sample 1000")
    if not spreads:
        raise ModelError('samples were asked for and no spread; say of what, as in --spread "theta=normal(0.1, 0.02)"')
    if size < 1:
        raise ModelError("{size} samples were asked for; at least one is expected", size=size)
    if size > MOST:
        raise ModelError(
            "{size:.6g} samples were asked for, and at most {most:,} motions are computed in one sweep",
            size=size,
            most=MOST,
        )
    for name in spreads:
        require_known(record, name)
    laws = [spread(name, text, partial(number, what=name)) for name, text in spreads.items()]
    return Sample(size, seed, tuple(laws))
