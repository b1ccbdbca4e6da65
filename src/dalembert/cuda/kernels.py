"""What every translated kernel needs: the model's own functions, the solve that belongs to it, and memory."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from dalembert.compile.system import CompiledSystem
from dalembert.cuda.expressions import write
from dalembert.cuda.kinds import NOTHING, Array, Kind, Known, Record, Structures, member, room
from dalembert.cuda.terms import Term, Terms
from dalembert.cuda.translate import Translator, read
from dalembert.cuda.writer import Writer, text
from dalembert.motions.laws import law_expressions
from dalembert.motions.unilateral import HybridSystem
from dalembert.simulate import core, modes

FUNCTIONS = ("dynamics", "position", "velocity", "guards", "laws_function")


def call(translator: Translator, terms: list[Term], scope: Terms) -> Term:
    """A compiled function of x, by its name in place of an address."""
    kind = terms[0][1]
    assert isinstance(kind, Known)
    return f"model_{kind.value}({terms[1][0]}, {terms[2][0]})", NOTHING


def accelerate(translator: Translator, terms: list[Term], scope: Terms) -> Term:
    """The solve that belongs to the calls: plain, or that of a mode."""
    kind = terms[0][1]
    assert isinstance(kind, Record)
    module = core if kind.name == "Calls" else modes
    (inner,) = (node for node in read(module._accelerate).body if isinstance(node, ast.FunctionDef))
    return translator.call_read(inner, vars(module), terms, scope)


class Listed(CompiledSystem):
    """The functions of a record as lists of expressions: what the same properties compile."""

    def compiled(self, name: str, expressions: Callable[[], Sequence[Any]]) -> Any:
        return list(expressions())


def expressions_of(system: CompiledSystem, name: str) -> list[Any]:
    """What one of the compiled functions gives, as expressions."""
    return getattr(Listed(system.equations), name)  # type: ignore[no-any-return]


def function_text(name: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> str:
    """A function of x that fills `out`, as the compiled ones do."""
    writer = Writer("v")
    cells = write(writer, {symbol: f"x[{i}]" for i, symbol in enumerate(inputs)}, outputs)
    lines = [*writer.lines, *(f"out[{i}] = {text(cell)};" for i, cell in enumerate(cells))]
    return "\n".join([f"APART void model_{name}(double *out, const double *x) {{", *lines, "}"])


def model_functions(system: CompiledSystem, touching: HybridSystem | None) -> str:
    """Every compiled function that the kernels call."""
    eq = system.equations
    outputs = {name: expressions_of(system, name) for name in ("dynamics", "position", "velocity", "guards")}
    if touching is not None:
        outputs["laws_function"] = law_expressions(touching.unilateral)
    return "\n".join(function_text(name, eq.inputs, found) for name, found in outputs.items())


def memory_of(structures: Structures, kind: Kind, name: str) -> list[str]:
    """Lines that make memory of a kind and clear it, and the record that points to it."""
    lines = [f"double {name}_room[{room(kind)}];", f"{structures.cpp(kind)} {name} = {{{name}_room}};"]
    return lines + _cleared(kind, name)


def _cleared(kind: Kind, code: str) -> list[str]:
    if isinstance(kind, Record):
        parts = [_cleared(inner, member(code, kind, field)) for field, inner in kind.fields if field != "stack"]
        return [line for part in parts for line in part]  # a stack is written before it is read
    if not isinstance(kind, Array):
        return []
    return [f"for (int i = 0; i < {kind.count}; i++) {code}.p[i] = {-1 if code.endswith('rank()') else 0};"]


def by_name(calls: Any) -> Any:
    """Addresses replaced by names."""
    return calls._replace(**{name: name for name in FUNCTIONS if name in calls._fields})
