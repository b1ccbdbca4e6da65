"""The kernels of `simulate` as C++: the very functions that numba compiles, read as text and written again.

There is one source of what a motion does, and the two engines take the same steps. Kernels are a small part of Python:
numbers, arrays made beforehand, named tuples, loops. Each function is written once for every combination of kinds that
it is called with; sizes of the model are known, so that loops have ends that a compiler sees and branches that a model
never takes are left out. What a kernel may use besides is refused by `Untranslatable`, which a test would meet.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from dalembert.cuda.kinds import (
    NOTHING,
    WHOLE,
    Array,
    Kind,
    Known,
    Numbers,
    Record,
    Row,
    Structures,
    Untranslatable,
    joined,
    literal,
    plain,
)
from dalembert.cuda.terms import Term, Terms, kept, known
from dalembert.cuda.writer import number

UNROLLED = 2  # turns of a loop that are written one after the other: such a loop chooses between two things
FLAT = 16  # turns of an innermost loop that a compiler may unroll: loads of memory then wait together, not one by one
NOT_FLAT = re.compile(r"ROLLED|while \(|break;|return|\w_\d+\(")  # what such a loop does not hold: loops, ends, calls
SMALL = 6  # lines of a function that is copied to where it is called; more cost a compiler minutes
Special = Callable[["Translator", list[Term], Terms], Term]


@cache
def read(function: Any) -> ast.FunctionDef:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return tree


@dataclass(frozen=True, slots=True)
class Written:
    """A function in C++, and what it gives back."""

    name: str
    result: Kind

    @property
    def is_known(self) -> bool:
        """Whether the result is a number whatever it is called with."""
        return isinstance(self.result, Known) and self.result.value is not None


class Translator:
    """Functions, structures and tables written so far; `special` and `spread` ones are written by hand."""

    def __init__(self, special: Mapping[Any, Special], spread: Mapping[Any, Special] | None = None):
        self.special, self.spread = special, spread or {}
        self.structures = Structures()
        self.functions: list[str] = []
        self.tables: list[str] = []
        self.written: dict[tuple[Any, ...], Written] = {}
        self.table_names: dict[Numbers, str] = {}

    def cpp(self, kind: Kind) -> str:
        return self.structures.cpp(kind)

    def table(self, numbers: Numbers) -> str:
        """The name of a table with these entries."""
        if numbers not in self.table_names:
            name = self.table_names[numbers] = f"table{len(self.table_names)}"
            real = numbers.values.dtype.kind == "f"
            entries = ", ".join(number(float(v)) if real else str(int(v)) for v in numbers.values.ravel())
            sizes = "".join(f"[{max(size, 1)}]" for size in numbers.values.shape)
            self.tables.append(f"TABLE {'double' if real else 'int'} {name}{sizes} = {{{entries}}};")
        return self.table_names[numbers]

    def called(self, function: Any, terms: list[Term], scope: Terms) -> Term:
        """A call, with the function written if it is new."""
        if function in self.special:
            return self.special[function](self, terms, scope)
        return self.call_read(read(function), function.__globals__, terms, scope)

    def call_read(self, tree: ast.FunctionDef, module: dict[str, Any], terms: list[Term], scope: Terms) -> Term:
        kinds = tuple(kept(kind) for _, kind in terms)
        written = self.function(tree, module, kinds)
        if written.is_known:
            return known(written.result.value, written.result)  # type: ignore[union-attr]
        codes = [
            self.structures.converted(code, have, want, scope.keep)
            for (code, have), want in zip(terms, kinds, strict=True) if not isinstance(want, Known)
        ]  # fmt: skip
        return f"{written.name}({', '.join(codes)})", written.result

    def function(self, tree: ast.FunctionDef, module: dict[str, Any], kinds: tuple[Kind, ...]) -> Written:
        key = (tree.name, module["__name__"], tuple((a.arg, k) for a, k in zip(tree.args.args, kinds, strict=True)))
        if key not in self.written:
            body = _Body(self, tree, module, kinds)
            body.settle()
            name = f"{tree.name}_{len(self.written)}"
            self.written[key] = Written(name, body.result)
            if not self.written[key].is_known:  # else nobody calls it
                self.functions.append(body.text(name))
        return self.written[key]

    def text(self) -> str:
        """All that was written; a function with one caller is part of it."""
        functions = "\n".join(self.functions)
        for written in self.written.values():
            if functions.count(f"{written.name}(") == 2:
                functions = re.sub(rf"^APART (.* {written.name}\()", r"FUNCTION \1", functions, flags=re.MULTILINE)
        return "\n".join([*self.tables, *self.structures.lines, functions])


def _jumps(body: list[ast.stmt]) -> bool:
    """Whether a loop's body leaves its turn early."""
    for node in body:
        if isinstance(node, (ast.Break, ast.Continue)):
            return True
        if isinstance(node, ast.If) and (_jumps(node.body) or _jumps(node.orelse)):
            return True
    return False


class _Body(Terms):
    """One function for one combination of kinds."""

    def __init__(self, translator: Translator, tree: ast.FunctionDef, module: dict[str, Any], kinds: tuple[Kind, ...]):
        super().__init__(translator, module)
        self.tree = tree
        self.arguments = [(a.arg, k) for a, k in zip(tree.args.args, kinds, strict=True)]
        self.names = dict(self.arguments)
        self.result: Kind = NOTHING
        self.changed = False

    def settle(self) -> None:
        """Walk until no kind changes any more."""
        for _round in range(20):
            self.changed, self.lines, self.count = False, [], 0
            result = self.result
            self.block(self.tree.body)
            if not self.changed and self.result == result:
                return
        raise Untranslatable(f"the kinds of {self.tree.name} do not settle")

    def text(self, name: str) -> str:
        given = [(a, k) for a, k in self.arguments if not isinstance(k, Known)]
        head = ", ".join(f"{self.translator.cpp(k)} {a}_in" for a, k in given)
        small = len(self.lines) <= SMALL and not any(line.startswith(("ROLLED", "while")) for line in self.lines)
        lines = [f"{'FUNCTION' if small else 'APART'} {self.translator.cpp(self.result)} {name}({head}) {{"]
        for local, kind in self.names.items():
            if isinstance(kind, Known):
                continue
            before = dict(given).get(local)
            start = ""
            if before is not None:
                start = f" = {self.translator.structures.converted(f'{local}_in', before, kind, lambda code: code)}"
            elif local in dict(self.arguments):
                start = f" = {literal(dict(self.arguments)[local].value)}"  # type: ignore[union-attr]
            lines.append(f"{self.translator.cpp(kind)} {local}_{start};")
        return "\n".join([*lines, *self.lines, "}"])

    def assign_kind(self, name: str, kind: Kind) -> None:
        if name in self.chosen:
            raise Untranslatable(f"{self.tree.name} changes {name} inside its loop")
        if isinstance(kind, Known) and not kind.fixed and kind.value is not None and not isinstance(kind.value, str):
            kind = plain(kind)
        old = self.names.get(name)
        new = kind if old is None else joined(old, kind)
        if new != old:
            self.names[name] = new
            self.changed = self.changed or old is not None

    # statements

    def block(self, statements: list[ast.stmt]) -> bool:
        """Write statements; whether what follows is reached."""
        return all(getattr(self, f"do_{type(s).__name__}", self.unknown)(s) for s in statements)

    def unknown(self, node: ast.stmt) -> bool:
        raise Untranslatable(f"{self.tree.name}, line {node.lineno}: {ast.unparse(node)}")

    def do_Expr(self, node: ast.Expr) -> bool:
        if isinstance(node.value, ast.Constant):
            return True
        assert isinstance(node.value, ast.Call)
        if isinstance(node.value.func, ast.Name) and node.value.func.id == "apart":
            return True  # every function that is not small stays apart here
        code, _ = self.term(node.value)
        if code:
            self.lines.append(f"{code};")
        return True

    def do_Pass(self, node: ast.Pass) -> bool:
        return True

    def do_Assign(self, node: ast.Assign) -> bool:
        (target,) = node.targets
        if isinstance(target, ast.Tuple):
            self.unpack(target, node.value)
        else:
            self.put(target, self.term(node.value))
        return True

    def unpack(self, target: ast.Tuple, value: ast.expr) -> None:
        if isinstance(value, ast.Tuple):
            terms: list[Term] = []
            for e in value.elts:
                code, kind = self.term(e)
                terms.append((code, kind) if isinstance(kind, (Known, Array, Record)) else (self.keep(code), kind))
        else:
            code, row = self.term(value)
            assert isinstance(row, Row)
            code = self.keep(code)
            terms = [
                known(k.value, k) if isinstance(k, Known) else (f"{code}.at{i}", k) for i, k in enumerate(row.entries)
            ]
        for place, term in zip(target.elts, terms, strict=True):
            self.put(place, term)

    def put(self, target: ast.expr, term: Term) -> None:
        code, kind = term
        if not isinstance(target, ast.Name):
            self.lines.append(f"{self.term(target)[0]} = {code};")
            return
        self.assign_kind(target.id, kind)
        want = self.names[target.id]
        if not isinstance(want, Known):
            self.lines.append(f"{target.id}_ = {self.translator.structures.converted(code, kind, want, self.keep)};")

    def do_AugAssign(self, node: ast.AugAssign) -> bool:
        value = ast.BinOp(node.target, node.op, node.value)
        ast.copy_location(value, node)
        if isinstance(node.target, ast.Name):
            self.assign_kind(node.target.id, plain(self.names[node.target.id]))
        code, kind = self.term(value)
        if isinstance(node.op, ast.BitOr) and plain(self.term(node.target)[1]).cpp == "bool":  # type: ignore[union-attr]
            kind = plain(self.term(node.target)[1])
        self.put(node.target, (code, plain(kind)))
        return True

    def do_Return(self, node: ast.Return) -> bool:
        if node.value is None:
            self.lines.append("return;")
            return False
        code, kind = self.term(node.value)
        alone = len(self.tree.body) - isinstance(self.tree.body[0], ast.Expr) == 1
        if not (alone and isinstance(kind, Known) and kind.fixed):
            kind = plain(kind)
        self.result = kind if self.result == NOTHING else joined(self.result, kind)
        if not isinstance(self.result, Known):
            self.lines.append(f"return {self.translator.structures.converted(code, kind, self.result, self.keep)};")
        return False

    def do_If(self, node: ast.If) -> bool:
        code, kind = self.term(node.test)
        if isinstance(kind, Known):
            return self.block(node.body if kind.value else node.orelse)
        self.lines.append(f"if ({code}) {{")
        first = self.block(node.body)
        second = True
        if node.orelse:
            self.lines.append("} else {")
            second = self.block(node.orelse)
        self.lines.append("}")
        return first or second

    def do_For(self, node: ast.For) -> bool:
        assert isinstance(node.iter, ast.Call) and isinstance(node.target, ast.Name) and not node.orelse
        terms = [self.term(a) for a in node.iter.args]
        start = known(0) if len(terms) == 1 else terms[0]
        end = terms[0] if len(terms) == 1 else terms[1]
        step = terms[2][1].value if len(terms) == 3 else 1  # type: ignore[union-attr]
        values = None
        if isinstance(start[1], Known) and isinstance(end[1], Known):
            values = range(start[1].value, end[1].value, step)
        if values is not None and (not values or (len(values) <= UNROLLED and not _jumps(node.body))):
            return self.turns(node, values)
        self.count += 1
        name, last = node.target.id, f"last{self.count}"
        self.assign_kind(name, WHOLE)
        if not isinstance(end[1], Known):
            self.lines.append(f"const int {last} = {end[0]};")
        bound = end[0] if isinstance(end[1], Known) else last
        compare = "<" if step > 0 else ">"
        mark = len(self.lines)
        self.lines.append("")
        self.block(node.body)
        short = values is not None and len(values) <= FLAT
        flat = short and not any(NOT_FLAT.search(line) for line in self.lines[mark:])
        head = f"for ({name}_ = {start[0]}; {name}_ {compare} {bound}; {name}_ += {step}) {{"
        self.lines[mark] = f"{'UNROLLED' if flat else 'ROLLED'} {head}"
        self.lines.append("}")
        return True

    def turns(self, node: ast.For, values: range) -> bool:
        """A short loop, its turns one after the other."""
        assert isinstance(node.target, ast.Name)
        for value in values:
            self.chosen[node.target.id] = Known(value, True)
            reached = self.block(node.body)
            del self.chosen[node.target.id]
            if not reached:
                return False
        return True

    def do_While(self, node: ast.While) -> bool:
        mark = len(self.lines)
        code, kind = self.term(node.test)
        before = self.lines[mark:]
        del self.lines[mark:]
        self.lines.append("while (true) {")
        if not (isinstance(kind, Known) and kind.value):
            self.lines += [*before, f"if (!({code})) break;"]
        self.block(node.body)
        self.lines.append("}")
        return True

    def do_Break(self, node: ast.Break) -> bool:
        self.lines.append("break;")
        return False

    def do_Continue(self, node: ast.Continue) -> bool:
        self.lines.append("continue;")
        return False
