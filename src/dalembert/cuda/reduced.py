"""Fixed steps of coordinates and independent speeds: slopes by `reduce` and `elimination`, written out.

Dependent speeds are worked out at the end alone. What is watched is only what can fail: a pivot that is a sum may
vanish, and a cosine may change the sign that it had under a root; a motion that meets either, or is no longer finite,
is LEFT.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.compile.system import CompiledSystem
from dalembert.cuda.bodywise import reduced_by_bodies
from dalembert.cuda.elimination import Forms, accelerations, equations, needed, solved
from dalembert.cuda.expressions import write
from dalembert.cuda.polynomials import Letters
from dalembert.cuda.reduce import Reduction, reduction
from dalembert.cuda.simplify import pivot_tests, price, sign_tests
from dalembert.cuda.writer import SIGNATURE, Cell, Writer, function, text


@dataclass(frozen=True)
class Reduced:
    """Functions in C++, how many components are stepped, and what one evaluation counts."""

    functions: str
    stepped: int
    operations: Counter[str]

    @property
    def idle(self) -> tuple[int, ...]:
        """Components that the slopes do not read."""
        slopes = self.functions[self.functions.index("reduced_slopes") :].split("\n}", 1)[0]
        return tuple(i for i in range(self.stepped) if f"y[{i}]" not in slopes)


def reduced_functions(system: CompiledSystem, x: np.ndarray) -> Reduced | None:
    """For the signs and pivots of the state x; None where there is no form with independent speeds."""
    bodies = reduced_by_bodies(system, x)
    found = [form for form in (_for_good(system, x), None if bodies is None else Reduced(*bodies)) if form is not None]
    return min(found, key=lambda form: price(form.operations), default=None)


def _for_good(system: CompiledSystem, x: np.ndarray) -> Reduced | None:
    known = reduction(system, x)
    if known is None:
        return None
    eq, letters = system.equations, known.letters
    constants = {eq.t: "t"} | {symbol: f"p[{i}]" for i, symbol in enumerate(eq.parameters)}
    places = constants | {symbol: f"y[{i}]" for i, symbol in enumerate((*eq.q, *known.u))}
    full = constants | {symbol: f"y[{i}]" for i, symbol in enumerate((*eq.q, *eq.v))}
    slopes, operations = _slopes(known, places)
    parts = [
        slopes,
        _function("void reduced_start", ("Vector", "Reduced"), full, letters, (*eq.q, *known.start)),
        _function("void reduced_end", ("Reduced", "Vector"), places, letters, (*eq.q, *known.speeds)),
    ]
    return Reduced("\n".join(parts), len(eq.q) + len(known.u), operations)


def written(
    writer: Writer, places: Mapping[Any, str], letters: Letters, outputs: Sequence[Any], defined: Mapping[Any, Any]
) -> list[Cell]:
    """Outputs in letters: first the sines, cosines and roots that they need."""
    live = needed(dict(defined), outputs)
    used = set().union(*(e.free_symbols for e in (*live.values(), *outputs)))
    met = [letter for letter in (*letters.angles, *letters.roots) if letter in used]
    cells = write(writer, places, [letters.plain(letter) for letter in met])
    found = {letter: text(cell) for letter, cell in zip(met, cells, strict=True)}
    return write(writer, {**places, **found}, outputs, live)


def _slopes(known: Reduction, places: Mapping[Any, str]) -> tuple[str, Counter[str]]:
    forms = Forms(known.letters)
    maggi = equations(forms, known)
    u, watched = solved(forms, maggi.M, maggi.r)
    writer, found, tests = _settled(
        forms, known, places, [*(speed.value for speed in maggi.v), *(a.value for a in u)], watched
    )
    lines = [*writer.lines, *(f"out[{i}] = {text(cell)};" for i, cell in enumerate(found))]
    head = f"EVALUATION bool reduced_slopes({SIGNATURE.format(given='Reduced', found='Reduced')}) {{"
    return "\n".join([head, *lines, f"return {' & '.join(tests) or 'true'};", "}"]), Counter(writer.operations)


def all_slopes(system: CompiledSystem, x: np.ndarray, places: Mapping[Any, str]) -> tuple[str, Counter[str]] | None:
    """ẏ of coordinates and all speeds, where no slope looks at a dependent one: then it is the same function of them.

    `places` are those of t, q, v and parameters. None where dependent speeds cannot be eliminated for good, or are
    looked at.
    """
    import symengine

    eq, known = system.equations, reduction(system, x)
    if known is None or not system.m or not set(known.u) <= set(eq.v):
        return None
    dependent = set(eq.v) - set(known.u)
    entries = [*(e for row in eq.D for e in row), *eq.d, *eq.b]
    if any(dependent & symengine.sympify(e).free_symbols for e in entries):
        return None
    forms = Forms(known.letters)
    maggi = equations(forms, known)
    u, watched = solved(forms, maggi.M, maggi.r)
    a = accelerations(forms, maggi, u)
    own = {speed: given.value for speed, given in zip(known.u, u, strict=True)}
    outputs = [own.get(speed, found.value) for speed, found in zip(eq.v, a, strict=True)]
    writer, found, tests = _settled(forms, known, places, outputs, watched)
    n = system.n
    lines = [*writer.lines, *(f"out[{i}] = y[{n + i}];" for i in range(n))]
    lines += [f"out[{n + i}] = {text(cell)};" for i, cell in enumerate(found)]
    good = " && ".join([*tests, *(f"is_finite(out[{n + i}])" for i in range(n))])
    head = f"template <bool FULL> FUNCTION bool slopes({SIGNATURE.format(given='Vector', found='Vector')}) {{"
    return "\n".join([head, *lines, f"return {good};", "}"]), Counter(writer.operations)


def _settled(
    forms: Forms,
    known: Reduction,
    places: Mapping[Any, str],
    outputs: Sequence[Any],
    watched: Sequence[tuple[Any, Any]],
) -> tuple[Writer, list[Cell], list[str]]:
    """Outputs in their cheapest forms, and what must hold for them."""
    import symengine

    outputs = [symengine.sympify(e) for e in outputs]
    pairs = [symengine.sympify(e) for pair in watched for e in pair]

    def cost(definitions: dict[Any, Any]) -> int:
        writer = Writer("e")
        written(writer, places, known.letters, [*outputs, *pairs], definitions)
        return price(writer.operations)

    forms.settle(cost, [*outputs, *pairs])
    writer = Writer("e")
    letters = [letter for letter, _ in known.signs]
    cells = written(writer, places, known.letters, [*outputs, *pairs, *letters], forms.definitions)
    found, rest = cells[: len(outputs)], cells[len(outputs) :]
    tests = pivot_tests(rest[: len(pairs)]) + sign_tests(rest[len(pairs) :], known.signs)
    return writer, found, tests


def _function(
    name: str, kinds: tuple[str, str], places: Mapping[Any, str], letters: Letters, outputs: Sequence[Any]
) -> str:
    writer = Writer("e")
    cells = written(writer, places, letters, outputs, {})
    return function(name, kinds, writer, cells)
