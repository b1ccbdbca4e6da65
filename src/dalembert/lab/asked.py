"""Reads the JSON of a request into checked plain values, or refuses it with a sentence."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from dalembert.lab.limits import Limits
from dalembert.lab.refusal import Refusal
from dalembert.language import tr

LONGEST_NAME = 200
LANES = ("a", "b", "check", "derive", "steps", "compare", "analyze", "vary", "file", "carry a", "carry b")
STUDIES = ("locus", "sweep")
KINDS = ("toml", "csv", "json", "nc", "parquet", "png", "svg", "html", "gif", "mp4", "tex", "steps.html", "steps.tex")


def read_json(body: bytes) -> Mapping[str, Any]:
    """The JSON object in a body."""
    try:
        data = json.loads(body.decode("utf-8"), parse_constant=_not_finite)
    except UnicodeDecodeError:
        raise Refusal(400, tr("the request is not UTF-8; JSON must be UTF-8.")) from None
    except (ValueError, RecursionError):
        raise Refusal(400, tr("the request is not JSON that can be read.")) from None
    if not isinstance(data, dict):
        raise Refusal(400, tr("the request is JSON, but an object {…} is expected."))
    return data


def _not_finite(word: str) -> NoReturn:
    raise Refusal(400, tr("{word} was met in the request, and finite numbers are expected.", word=word))


def asked(data: Mapping[str, Any], limits: Limits, needed: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict:
    """The values of the known keys. A key that is left out or null is None."""
    unknown = sorted(set(data) - {*needed, *optional})
    if unknown:
        raise Refusal(
            400,
            tr(
                "the key {unknown} is not known here; known are {needed}.",
                unknown=_shown(unknown[0]),
                needed=", ".join(needed + optional),
            ),
        )
    for key in needed:
        if data.get(key) is None:
            raise Refusal(400, tr("the key {key} is missing.", key=key))
    return {key: None if data.get(key) is None else _READ[key](key, data[key], limits) for key in needed + optional}


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _refuse(key: str, value: object, expected: str) -> NoReturn:
    raise Refusal(400, tr("{key} is {shown}; {expected} is expected.", key=key, shown=_shown(value), expected=expected))


def _string(value: object, key: str, longest: int) -> str:
    if not isinstance(value, str):
        _refuse(key, value, "a text")
    if len(value) > longest:
        raise Refusal(
            413,
            tr(
                "{key} has {count} characters; at most {longest} are taken.", key=key, count=len(value), longest=longest
            ),
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise Refusal(
            400, tr("{key} contains half of a character (a lone surrogate); send complete text.", key=key)
        ) from None
    return value


def _text(key: str, value: object, limits: Limits) -> str:
    return _string(value, key, limits.text)


def _name(key: str, value: object, limits: Limits) -> str:
    return _string(value, key, LONGEST_NAME)


def _number(key: str, value: object, limits: Limits) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        _refuse(key, value, "a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        _refuse(key, value, tr("a finite number"))
    return number


def _samples(key: str, value: object, limits: Limits) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 2 <= value <= limits.samples:
        _refuse(key, value, tr("a whole number from 2 to {samples}", samples=limits.samples))
    return value


def _settings(key: str, value: object, limits: Limits) -> dict[str, float]:
    if not isinstance(value, dict):
        _refuse(key, value, tr('an object of names and numbers, as {"R": 0.3},'))
    if len(value) > limits.settings:
        raise Refusal(
            400,
            tr("{count} values were set; at most {settings} are taken.", count=len(value), settings=limits.settings),
        )
    return {_name(tr("the name in settings"), n, limits): _number(tr("the value of {n}", n=_shown(n)), v, limits)
            for n, v in value.items()}  # fmt: skip


def _names(what: str) -> Callable[[str, object, Limits], list[str]]:
    def read(key: str, value: object, limits: Limits) -> list[str]:
        if not isinstance(value, list) or not 1 <= len(value) <= 30:
            _refuse(key, value, tr("a list of 1 to 30 names"))
        return [_name(what, name, limits) for name in value]

    return read


def _axes(key: str, value: object, limits: Limits) -> list[dict[str, Any]]:
    """One or two quantities, each with its range and number of values."""
    if not isinstance(value, list) or not 1 <= len(value) <= 2:
        _refuse(key, value, tr("a list of one or two ranges"))
    return [_axis(key, one, limits) for one in value]


def _axis(key: str, value: object, limits: Limits) -> dict[str, Any]:
    if not isinstance(value, dict) or set(value) != {"name", "from", "to", "count"}:
        _refuse(key, value, tr('a range {"name", "from", "to", "count"}'))
    first, last = (_number(end, value[end], limits) for end in ("from", "to"))
    if not first < last:
        _refuse(key, value, tr("a range whose first value is less than its last"))
    count = _samples("count", value["count"], limits)
    return {"name": _name("name", value["name"], limits), "from": first, "to": last, "count": count}


def _flag(key: str, value: object, limits: Limits) -> bool:
    if not isinstance(value, bool):
        _refuse(key, value, tr("true or false"))
    return value


def _one_of(choices: tuple[str, ...]) -> Callable[[str, object, Limits], str]:
    def read(key: str, value: object, limits: Limits) -> str:
        if not isinstance(value, str) or value not in choices:
            _refuse(key, value, tr("one of {choices}", choices=", ".join(choices)))
        return value

    return read


_READ: dict[str, Callable[[str, object, Limits], Any]] = {
    "text": _text,
    "method": _name,
    "methods": _names("a method"),
    "settings": _settings,
    "until": _number,
    "samples": _samples,
    "tolerance": _number,
    "kind": _one_of(KINDS),
    "lane": _one_of(LANES),
    "client": _name,
    "name": _name,
    "job": _name,
    "replace": _flag,
    "data": _flag,
    "study": _one_of(STUDIES),
    "vary": _axes,
    "records": _names("a record"),
    "steady": _flag,
}
