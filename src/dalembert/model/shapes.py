"""Shapes of bodies, read and checked as the rest of a model is. Nothing is drawn here.

A shape is a table with one word for its kind and sizes, and keys that place it:

    { wheel = "R", spokes = 12 }    { box = [1, 0.4, "h"], at = [0, 0, "h/2"], colour = "wood" }
    { tube = 0.02, from = [0, 0, 0], to = ["l", 0, 0] }

Sizes and places are expressions. Places in a body's shapes are in body axes, from its centre of mass. In [drawings]
they are inertial. Both may move. The ends and turns of a body's shape contain parameters only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from dalembert.errors import Fault, ModelError
from dalembert.expressions.nodes import Expression, Number, Vector
from dalembert.expressions.parse import nearest
from dalembert.expressions.text import text
from dalembert.language import mark, tr
from dalembert.model.forms import Forms, listed, met
from dalembert.model.places import Places
from dalembert.model.record import Body, ModelRecord, Shape, View

SIZES: Mapping[str, tuple[str, ...]] = {  # each word, and the ways to state its sizes
    "ball": ("radius",),
    "sphere": ("radius",),
    "box": ("edge", "[a, b, c]"),
    "cube": ("edge",),
    "cylinder": ("[radius, height]",),
    "disk": ("radius", "[radius, height]"),
    "wheel": ("radius", "[radius, width]"),
    "tube": (mark("radius with from and to"), "[radius, length]"),
    "rod": ("length", "[length, radius]"),
    "capsule": ("[radius, length]",),
    "cone": ("[radius, height]",),
    "ellipsoid": ("[a, b, c]",),
    "torus": ("radius", "[radius, tube]"),
    "ring": ("radius", "[radius, tube]"),
    "pipe": ("[radius, height]",),
    "bowl": ("radius",),
    "spring": (mark("radius with from and to"), "[radius, length]"),
    "chain": (mark("width with from and to"), "[width, length]"),
    "blade": ("[length, height]",),
    "arrow": (mark("radius with from and to"), "length", "[length, radius]"),
}
SPANS = ("tube", "spring", "chain", "arrow")  # may join two places
NAMED = ("text", "mesh")  # have a text, and a separate key for their size
WORDS = (*SIZES, *NAMED)
COUNTS = {"wheel": "spokes", "spring": "turns", "chain": "links"}
COLOURS = {  # Okabe and Ito's palette, and materials
    "blue": "#0072b2", "orange": "#e69f00", "green": "#009e73", "pink": "#cc79a7", "sky": "#56b4e9",
    "vermilion": "#d55e00", "purple": "#8c6bb1", "yellow": "#b5a100", "steel": "#8a929c", "dark": "#5a636e",
    "wood": "#b5824e", "rubber": "#50565e", "ice": "#b9d9ea", "glass": "#9fc3dc", "white": "#e8eaed", "red": "#c0392b",
}  # fmt: skip
HEX = re.compile(r"#[0-9a-fA-F]{6}")
MOST_SHAPES = 200  # of one body
LONGEST_TEXT = 80
MOST_COUNT = 400


def shape(forms: Forms, value: Any, table: str, key: str, place: str = "") -> Shape | None:
    """One shape. `place` says which entry of a list it is."""
    stated = forms.table(value, table, key, tr("{place}a table such as {{ ball = 0.1 }}", place=place))
    if stated is None:
        return None
    words = [word for word in stated if word in WORDS]
    keys = ("at", "axis", "turn", "from", "to", "colour", "color", "clear", "size", *COUNTS.values())
    unknown = [word for word in stated if word not in (*WORDS, *keys)]
    if unknown:
        hint = nearest(unknown[0], (*WORDS, *keys)) or tr("; shapes are {words}", words=listed(WORDS))
        return forms.fault(
            table,
            key,
            tr("{place}{unknown} was met, which is not a shape{hint}", place=place, unknown=met(unknown[0]), hint=hint),
        )
    if len(words) != 1:
        what = tr("{words} were met together", words=listed(words)) if words else tr("no shape was met")
        return forms.fault(
            table,
            key,
            tr(
                "{place}{what}; one of {words} is expected, several stand in shapes",
                place=place,
                what=what,
                words=listed(WORDS),
            ),
        )
    return _read(forms, words[0], stated, table, key, place)


def _read(forms: Forms, word: str, stated: dict[str, Any], table: str, key: str, place: str) -> Shape | None:
    before = len(forms.faults)
    vector = partial(_vector, forms, table=table, key=key, place=place)
    fields = {"at": "at", "from": "start", "to": "to"}
    parts: dict[str, Any] = {field: vector(stated[name]) for name, field in fields.items() if name in stated}
    if ("from" in stated) != ("to" in stated):
        forms.fault(table, key, tr("{place}one of from and to was met; give both", place=place))
    elif "to" in stated and (word not in SPANS or "at" in stated or "axis" in stated):
        forms.fault(
            table,
            key,
            tr("{place}from and to place {spans}, and need neither at nor axis", place=place, spans=listed(SPANS)),
        )
    if "axis" in stated:
        turn = forms.turn([stated["axis"], 0], table, key)
        parts["axis"] = turn.axis if turn is not None else None
    if "turn" in stated:
        parts["turn"] = forms.turns(stated["turn"], table, key) or ()
    colour = stated.get("colour", stated.get("color", ""))
    if not isinstance(colour, str) or (colour and colour not in COLOURS and not HEX.fullmatch(colour)):
        forms.fault(
            table,
            key,
            tr(
                "{place}the colour {colour} was met; #rrggbb or {colours} is expected",
                place=place,
                colour=met(colour),
                colours=listed(COLOURS),
            ),
        )
    parts["clear"] = forms.flag(stated.get("clear", False), table, key)
    for kind, name in COUNTS.items():
        if name in stated and kind != word:
            forms.fault(
                table,
                key,
                tr(
                    "{place}{name} belongs to a {kind}, and this is a {word}",
                    place=place,
                    name=name,
                    kind=kind,
                    word=word,
                ),
            )
        elif name in stated:
            parts["count"] = _scalar(forms, stated[name], table, key, place)
    sizes = _sizes(forms, word, stated, table, key, place)
    if word in NAMED:
        parts |= _named(forms, word, stated[word], table, key, place)
    elif "size" in stated:
        forms.fault(
            table,
            key,
            tr(
                "{place}size belongs to {named}; the size of a {word} is its own value",
                place=place,
                named=listed(NAMED),
                word=word,
            ),
        )
    if len(forms.faults) > before:
        return None
    return Shape(word, sizes or (), colour=COLOURS.get(colour, colour), **parts)


def _sizes(
    forms: Forms, word: str, stated: dict[str, Any], table: str, key: str, place: str
) -> tuple[Expression, ...] | None:
    value = stated.get("size", 1) if word in NAMED else stated[word]
    entries = value if isinstance(value, (list, tuple)) else [value]
    if word in NAMED:
        return None if (size := _scalar(forms, value, table, key, place)) is None else (size,)
    taken = {3 if "c]" in way else 1 + way.count(",") for way in SIZES[word]}
    spans = "to" in stated
    if word in SPANS:
        taken = {1} if spans else {2, 1} if word == "arrow" else {2}
    if len(entries) not in taken or not all(_may_be_size(entry) for entry in entries):
        return forms.fault(
            table,
            key,
            tr(
                "{place}{word} = {told} was met; {sizes} is expected",
                place=place,
                word=word,
                told=_told(value),
                sizes=listed(map(tr, SIZES[word])),
            ),
        )
    found = [_scalar(forms, entry, table, key, place) for entry in entries]
    return None if None in found else tuple(found)  # type: ignore[arg-type]


def _scalar(forms: Forms, value: Any, table: str, key: str, place: str) -> Expression | None:
    return value if isinstance(value, Expression) else forms.expression(value, table, key, place)


def _may_be_size(value: Any) -> bool:
    return (isinstance(value, (str, int, float, Expression)) and not isinstance(value, bool)) or hasattr(value, "item")


def _told(value: Any) -> str:
    return tr("a list of {count}", count=len(value)) if isinstance(value, (list, tuple)) else met(value)


def _named(forms: Forms, word: str, value: Any, table: str, key: str, place: str) -> dict[str, Any]:
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_TEXT:
        forms.fault(
            table,
            key,
            tr(
                "{place}{word} = {met} was met; a text of 1 to {longest_text} letters is expected",
                place=place,
                word=word,
                met=met(value),
                longest_text=LONGEST_TEXT,
            ),
        )
        return {}
    if word == "text":
        return {"text": value}
    from dalembert.model.mesh import read_mesh  # loads numpy, which nothing else here needs

    try:
        return {"text": value, "mesh": read_mesh(value, forms.folder)}
    except ModelError as error:
        forms.fault(table, key, f"{place}{error.faults[0].message}")
        return {}


def _vector(forms: Forms, value: Any, table: str, key: str, place: str) -> Expression | None:
    if isinstance(value, Expression):
        return value
    if isinstance(value, (list, tuple)) and len(value) == 3:
        entries = [_scalar(forms, entry, table, key, place) for entry in value]
        return None if None in entries else Vector(*entries)  # type: ignore[arg-type]
    return forms.vector(value, table, key)


def shapes(forms: Forms, value: Any, table: str, key: str) -> tuple[Shape, ...] | None:
    """A list of shapes."""
    if not isinstance(value, (list, tuple)):
        return forms.fault(
            table, key, tr("{met} was met, and a list of shapes [{{ … }}, {{ … }}] is expected", met=met(value))
        )
    if len(value) > MOST_SHAPES:
        return forms.fault(
            table,
            key,
            tr("{count} shapes were met; a body has at most {most_shapes}", count=len(value), most_shapes=MOST_SHAPES),
        )
    found = [shape(forms, entry, table, key, tr("entry {i}: ", i=i)) for i, entry in enumerate(value, 1)]
    return None if None in found else tuple(found)  # type: ignore[arg-type]


def joined(forms: Forms, given: dict[str, Any], table: str) -> dict[str, Any]:
    """The keys `shape` and `shapes` of a body as one."""
    alone = given.pop("shape", None)
    if alone is not None and "shapes" in given:
        forms.fault(table, "shape", tr("shapes is given as well; one of the two is expected"))
    return given if alone is None else {**given, "shapes": (alone,)}


def drawing(forms: Forms, name: str, value: Any) -> Shape | None:
    """A shape of [drawings]."""
    return shape(forms, value, "drawings", name)


def view(forms: Forms, value: Any) -> View | None:
    readers: dict[str, Any] = {"up": forms.vector, "eye": forms.vector, "follow": forms.flag}
    given = forms.entries(value, "view", "", readers)
    return None if given is None else View(**given)


def written(one: Shape) -> dict[str, Any]:
    """A shape by the keys of the file."""
    value: Any = one.text if one.kind in NAMED else one.sizes[0] if len(one.sizes) == 1 else one.sizes
    stated: dict[str, Any] = {one.kind: value}
    if one.kind in NAMED:
        stated["size"] = one.sizes[0]
    for key, field in (("at", one.at), ("from", one.start), ("to", one.to), ("axis", one.axis), ("turn", one.turn)):
        if field:
            stated[key] = field
    if one.count is not None:
        stated[COUNTS[one.kind]] = one.count
    if one.colour:
        stated["colour"] = one.colour
    return stated | ({"clear": True} if one.clear else {})


def rules(places: Places) -> None:
    """Check every expression of a shape in its place."""
    for name, body in places.model.bodies.items():
        for one in body.shapes:
            _shape(places, one, f"bodies.{name}", _key(body), own=True)
    for name, one in places.model.drawings.items():
        _shape(places, one, "drawings", name, own=False)
    for key in ("up", "eye"):
        places.vector(getattr(places.model.view, key), "view", key, speeds=False)


def _key(body: Body) -> str:
    return "shape" if len(body.shapes) == 1 else "shapes"


def _shape(places: Places, one: Shape, table: str, key: str, own: bool) -> None:
    for size in (*one.sizes, *([one.count] if one.count is not None else [])):
        places.scalar(size, table, key)
    places.vector(one.at, table, key)
    found = [places.vector(place, table, key, speeds=not own) for place in (one.start, one.to)]
    found += [places.scalar(turn.angle, table, key, speeds=not own) for turn in one.turn]
    if own and any(kind.what is not None and (kind.coordinates or kind.time) for kind in found):
        message = tr(
            "the ends and turns of a body's shape may contain parameters only; put shapes that move into [drawings]"
        )
        places.fault(table, key, message)


def numbers(model: ModelRecord, probe: Any) -> Iterator[Fault]:
    """Faults of sizes and counts that are not valid at the start."""
    for name, body in model.bodies.items():
        for one in body.shapes:
            yield from _positive(one, probe, f"bodies.{name}", _key(body))
    for name, one in model.drawings.items():
        yield from _positive(one, probe, "drawings", name)


def _positive(one: Shape, probe: Any, table: str, key: str) -> Iterator[Fault]:
    values = [probe.number(size) for size in one.sizes]
    for size, value in zip(one.sizes, values, strict=True):
        if value is None or value < 0 or (not any(values) and isinstance(size, Number)):
            told = tr("has no finite value") if value is None else tr("is {value:g}", value=value)
            yield Fault(
                table,
                key,
                None,
                tr(
                    "{kind}: {size} {told} at the start, and a length is expected",
                    kind=one.kind,
                    size=text(size),
                    told=told,
                ),
            )
    if one.count is not None and not 0 <= (probe.number(one.count) or 0) <= MOST_COUNT:
        what = tr("{counts} = {count} was met", counts=COUNTS[one.kind], count=text(one.count))
        yield Fault(
            table,
            key,
            None,
            tr("{what}; a number from 0 to {most_count} is expected", what=what, most_count=MOST_COUNT),
        )
