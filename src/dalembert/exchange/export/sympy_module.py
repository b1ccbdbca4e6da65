"""SymPy: a module that builds the equations of a derivation, expression by expression, with `dynamicsymbols`.

A variable has the name of its quantity, and a speed has the name of its coordinate with `_dot`. A name that Python or
the file itself uses (`lambda`, `M`) gets an underscore and is listed. The symbol keeps its name.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dalembert import __version__
from dalembert.exchange.export.names import comment, identifiers
from dalembert.exchange.export.sheet import digest, origin_of
from dalembert.formalisms import derive
from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.report.sympy_objects import SympyEquations, sympy_equations

ENDING = ".py"
OWN = ("t q M h A b R multipliers equations kinetic potential holonomic nonholonomic quasi_velocities region "
       "PARAMETERS MODEL METHOD HASH VERSION dynamicsymbols sp").split()  # fmt: skip


def files(record: ModelRecord, path: Path, method: str | None, _: str) -> tuple[dict[Path, str], tuple[str, ...]]:
    found = sympy_equations(derive(record, method))
    return {path: "\n".join(_lines(record, found)) + "\n"}, ()


def _lines(record: ModelRecord, found: SympyEquations) -> Iterable[str]:
    import sympy

    moving = [*found.q, *found.inputs, *sorted(_states(found), key=str)]
    quantities = [*(str(f.func) for f in moving), *map(str, found.parameters)]
    names = _variables(quantities)
    origin = (
        *origin_of(record.title, found.method, digest(record)),
        "M q'' + h = R multipliers, A q'' = b",
        *(tr("The variable of {name} is {variable}.", name=n, variable=v) for n, v in names.items() if n != v),
    )
    yield from (f"# {comment(line)}" for line in origin)
    yield from ("", "import sympy as sp", "from sympy.physics.mechanics import dynamicsymbols", "")
    yield from (f"MODEL = {record.title!r}", f"METHOD = {found.method!r}", f"HASH = {digest(record)!r}")
    yield from (f"VERSION = {__version__!r}", "", "t = dynamicsymbols._t")
    places: dict[Any, str] = {found.t: "t"}
    for function in moving:
        name = names[str(function.func)]
        yield f"{name} = sp.Function({str(function.func)!r})(t)"
        yield f"{name}_dot = {name}.diff(t)"
        places |= {function: name, function.diff(found.t): f"{name}_dot"}
    for symbol in found.parameters:
        yield f"{names[str(symbol)]} = sp.Symbol({str(symbol)!r})"
        places[symbol] = names[str(symbol)]
    printer = _printer(places)

    def text(expression: Any) -> str:
        return str(printer.doprint(sympy.sympify(expression)))

    yield from (
        "",
        "PARAMETERS = {",
        *(f"    {names[str(s)]}: {value!r}," for s, value in found.parameters.items()),
        "}",
    )
    for letter in ("q", "M", "h", "A", "b", "R", "multipliers"):
        matrix = getattr(found, letter)
        yield f"{letter} = sp.Matrix({matrix.rows}, {matrix.cols}, ["
        yield from (f"    {text(e)}," for e in matrix)
        yield "])"
    yield "equations = M * q.diff(t, 2) + h - R * multipliers"
    yield from (f"kinetic = {text(found.kinetic)}", f"potential = {text(found.potential)}")
    for letter in ("holonomic", "nonholonomic", "quasi_velocities"):
        yield f"{letter} = {{"
        yield from (f"    {name!r}: {text(e)}," for name, e in getattr(found, letter).items())
        yield "}"
    yield f"region = ({''.join(text(relation) + ', ' for relation in found.region)})"


def _states(found: SympyEquations) -> set[Any]:
    """The functions of t among the multipliers."""
    return {e.expr if e.is_Derivative else e for e in found.multipliers}


def _variables(names: Iterable[str]) -> Mapping[str, str]:
    """A variable for every name, different from all words of Python and other variables."""
    taken = {*keyword.kwlist, *OWN}
    found: dict[str, str] = {}
    for name, other in identifiers(names).items():
        variable = other
        while variable in taken or f"{variable}_dot" in taken:
            variable += "_"
        taken |= {variable, f"{variable}_dot"}
        found[name] = variable
    return found


def _printer(places: Mapping[Any, str]) -> Any:
    """SymPy's text with every function and number as a member of `sp`, and variables for quantities."""
    import sympy
    from sympy.printing.precedence import PRECEDENCE
    from sympy.printing.str import StrPrinter

    class ModulePrinter(StrPrinter):
        def __init__(self) -> None:
            super().__init__()
            self.known = dict(places)

        def _print(self, expr: Any, **options: Any) -> str:
            """Print a part that many expressions share only once."""
            if options or not isinstance(expr, sympy.Basic):
                return str(super()._print(expr, **options))
            if expr not in self.known:
                self.known[expr] = super()._print(expr)
            return self.known[expr]

        def _print_Function(self, expr: Any) -> str:
            return f"sp.{expr.func.__name__}({self.stringify(expr.args, ', ')})"

        def _print_Integer(self, expr: Any) -> str:
            return str(expr.p)

        def _print_Half(self, expr: Any) -> str:
            return self._print_Rational(expr)

        _print_Zero = _print_One = _print_NegativeOne = _print_Integer

        def _print_Rational(self, expr: Any) -> str:
            return f"sp.Rational({expr.p}, {expr.q})"

        def _print_Float(self, expr: Any) -> str:
            return f"sp.Float({float(expr)!r})"

        def _print_Pi(self, expr: Any) -> str:
            return "sp.pi"

        def _print_Exp1(self, expr: Any) -> str:
            return "sp.E"

        def _print_Pow(self, expr: Any, rational: bool = False) -> str:
            if expr.exp == sympy.Rational(1, 2):
                return f"sp.sqrt({self._print(expr.base)})"
            if expr.exp.is_Integer and expr.exp > 0:
                return f"{self.parenthesize(expr.base, PRECEDENCE['Pow'], strict=False)}**{expr.exp}"
            return f"sp.Pow({self._print(expr.base)}, {self._print(expr.exp)})"

        def _print_Piecewise(self, expr: Any) -> str:
            return f"sp.Piecewise({', '.join(f'({self._print(e)}, {self._print(c)})' for e, c in expr.args)})"

        def _print_Relational(self, expr: Any) -> str:
            return f"sp.{type(expr).__name__}({self._print(expr.lhs)}, {self._print(expr.rhs)})"

        def _print_BooleanFunction(self, expr: Any) -> str:
            return f"sp.{type(expr).__name__}({self.stringify(expr.args, ', ')})"

        _print_Abs = _print_Max = _print_Min = _print_LatticeOp = _print_Function
        _print_And = _print_Or = _print_Not = _print_BooleanFunction

        def _print_BooleanTrue(self, expr: Any) -> str:
            return "sp.true"

        def _print_BooleanFalse(self, expr: Any) -> str:
            return "sp.false"

    return ModulePrinter()
