"""A program as LLVM's language: `void f(double *out, const double *in, void *data)`, for one state or for LANES.

One writer serves both: a value is a double, or a vector with one double for every lane (`in[index*LANES + lane]`). Sums
and products are rounded one by one, sine and cosine are the operations of `sines`, and other functions are the C
library's, called lane by lane. So a state gives the same bits alone and in any lane, next to any other states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from struct import pack, unpack

from dalembert.programs import sines
from dalembert.programs.program import CONDITIONS, LOGIC, Program

LANES = 8
LONG = 700  # operations of a long program
PLAIN = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
ORDER = {"lt": "fcmp olt", "le": "fcmp ole", "eq": "fcmp oeq", "ne": "fcmp une"}


@dataclass
class Text:
    """The lines of one function, and the functions that it calls."""

    lanes: int
    lines: list[str] = field(default_factory=list)
    calls: dict[str, int] = field(default_factory=dict)  # functions of the C library, with their numbers of arguments
    turns: set[int] = field(default_factory=set)  # widths of `sines` that are called
    intrinsics: set[str] = field(default_factory=set)
    prefix: str = ""  # of names; LLVM reads numbers faster, but these must ascend from line to line
    names: int = 0
    labels: int = 0

    @property
    def real(self) -> str:
        return f"<{self.lanes} x double>" if self.lanes > 1 else "double"

    @property
    def bits(self) -> str:
        return f"<{self.lanes} x i1>" if self.lanes > 1 else "i1"

    @property
    def whole(self) -> str:
        return f"<{self.lanes} x i64>" if self.lanes > 1 else "i64"

    def constant(self, value: float) -> str:
        text = f"0x{unpack('<Q', pack('<d', value))[0]:016X}"
        return text if self.lanes == 1 else f"<{', '.join([f'double {text}'] * self.lanes)}>"

    def constants(self, kind: str, value: int) -> str:
        return str(value) if self.lanes == 1 else f"<{', '.join([f'{kind} {value}'] * self.lanes)}>"

    def new(self, right: str) -> str:
        name = f"%{self.prefix}{self.names}"
        self.names += 1
        self.lines.append(f"{name} = {right}")
        return name

    def op(self, kind: str, a: str, b: str) -> str:
        return self.new(f"{kind} {self.real} {a}, {b}")

    def choose(self, condition: str, a: str, b: str) -> str:
        return self.new(f"select {self.bits} {condition}, {self.real} {a}, {self.real} {b}")

    def intrinsic(self, name: str, *arguments: str) -> str:
        full = f"llvm.{name}.{'f64' if self.lanes == 1 else f'v{self.lanes}f64'}"
        self.intrinsics.add(f"declare {self.real} @{full}({', '.join([self.real] * len(arguments))})")
        return self.new(f"call {self.real} @{full}({', '.join(f'{self.real} {a}' for a in arguments)})")

    def call(self, name: str, *arguments: str) -> str:
        """Call a function of the C library, lane by lane."""
        self.calls[name] = len(arguments)
        if self.lanes == 1:
            return self.new(f"call double @{name}({', '.join(f'double {a}' for a in arguments)})")
        found = "undef"
        for lane in range(self.lanes):
            parts = [self.new(f"extractelement {self.real} {a}, i32 {lane}") for a in arguments]
            value = self.new(f"call double @{name}({', '.join(f'double {p}' for p in parts)})")
            found = self.new(f"insertelement {self.real} {found}, double {value}, i32 {lane}")
        return found

    def load(self, index: int) -> str:
        place = self.new(f"getelementptr inbounds double, ptr %in, i64 {index * self.lanes}")
        return self.new(f"load {self.real}, ptr {place}, align 8")

    def store(self, value: str, index: int) -> None:
        place = self.new(f"getelementptr inbounds double, ptr %out, i64 {index * self.lanes}")
        self.lines.append(f"store {self.real} {value}, ptr {place}, align 8")

    def label(self) -> str:
        self.labels += 1
        return f"b{self.labels}"


def function(program: Program, lanes: int = 1, name: str = "f") -> tuple[str, Text]:
    """The definition, and the text that lists the necessary declarations."""
    text = Text(lanes)
    text.lines.append("entry:")
    body(program, text, stores=True)
    head = f"define void @{name}(ptr noalias nocapture %out, ptr noalias nocapture readonly %in, ptr %data) nounwind {{"
    return "\n".join([head, *text.lines, "ret void", "}"]), text


def body(program: Program, text: Text, stores: bool = False) -> list[str]:
    """The value of every operation; with `stores`, outputs are stored as well.

    Sines are computed as soon as their angles are known, several at a time.
    """
    found: list[str] = [""] * len(program.operations)
    turns: dict[int, tuple[str, str]] = {}
    for angles in _rounds(program):
        for place in _needed(program, angles, found):
            found[place] = _value(program, place, text, found, turns)
        turns |= sines.turned(text, {angle: found[angle] for angle in angles})
    due = _due(program) if stores else {}
    for place, known in enumerate(found):
        if not known:
            found[place] = _value(program, place, text, found, turns)
        if place in due:
            for index in due[place]:
                _store(program, index, text, found)
    return found


def _due(program: Program) -> dict[int, list[int]]:
    """Outputs by the operation after which they are stored: numbers in order, as soon as those before are known. In
    LLVM's quick way to code, a value that waits for its store is first written elsewhere and read again.

    In long programs, conditions are stored at once. The code before the last one that becomes a number goes through
    another part of LLVM, which orders long code badly: with `fine` stored last, 12 links take 1.24 times as long, and
    Andrews' squeezer 1.17. Short programs are a few percent faster so.
    """
    due: dict[int, list[int]] = {}
    last, early = 0, len(program.operations) > LONG
    for index, place in enumerate(program.outputs):
        waits = not early or program.operations[place].kind not in CONDITIONS
        last = max(last, place) if waits else last
        due.setdefault(last if waits else place, []).append(index)
    return due


def _store(program: Program, index: int, text: Text, found: list[str]) -> None:
    place = program.outputs[index]
    value = found[place]
    if program.operations[place].kind in CONDITIONS:
        value = text.choose(value, text.constant(1.0), text.constant(0.0))
    text.store(value, index)


def _rounds(program: Program) -> list[list[int]]:
    """Angles grouped by the number of nested sines or cosines that they depend on."""
    depth: list[int] = []
    rounds: dict[int, dict[int, None]] = {}
    turns = [place for place, operation in enumerate(program.operations) if operation.kind in ("sin", "cos")]
    for kind, arguments, _ in program.operations[: turns[-1] + 1 if turns else 0]:
        deep = 0
        for a in arguments if kind != "input" else ():
            if depth[a] > deep:
                deep = depth[a]
        if kind in ("sin", "cos"):
            rounds.setdefault(deep, {})[arguments[0]] = None
            deep += 1
        depth.append(deep)
    return [list(rounds[deep]) for deep in sorted(rounds)]


def _needed(program: Program, places: list[int], found: list[str]) -> list[int]:
    """These places and everything that they need, in order of computation."""
    seen: set[int] = set()
    stack = list(places)
    while stack:
        place = stack.pop()
        if place not in seen and not found[place]:
            seen.add(place)
            kind, arguments, _ = program.operations[place]
            stack.extend(() if kind == "input" else arguments)
    return sorted(seen)


def _value(program: Program, place: int, text: Text, found: list[str], turns: dict[int, tuple[str, str]]) -> str:
    kind, arguments, value = program.operations[place]
    if kind in PLAIN:
        a, b = arguments
        return text.new(f"{PLAIN[kind]} {text.real} {found[a]}, {found[b]}")
    if kind == "number":
        return text.constant(value)
    if kind == "input":
        return text.load(arguments[0])
    if kind in ("sin", "cos"):
        return turns[arguments[0]][kind == "cos"]
    return _other(text, kind, [found[a] for a in arguments])


def _other(text: Text, kind: str, parts: list[str]) -> str:
    real = text.real
    if kind == "neg":
        return text.new(f"fneg {real} {parts[0]}")
    if kind == "sqrt":
        return text.intrinsic("sqrt", parts[0])
    if kind == "abs":  # without the sign's bit: LLVM's quick way to code knows no fabs
        whole = text.new(f"bitcast {real} {parts[0]} to {text.whole}")
        rest = text.new(f"and {text.whole} {whole}, {text.constants('i64', 2**63 - 1)}")
        return text.new(f"bitcast {text.whole} {rest} to {real}")
    if kind in ORDER:
        return text.new(f"{ORDER[kind]} {real} {parts[0]}, {parts[1]}")
    if kind in ("true", "false"):
        return text.constants("i1", int(kind == "true"))
    if kind == "not":
        return text.new(f"xor {text.bits} {parts[0]}, {text.constants('i1', 1)}")
    if kind in LOGIC:
        return text.new(f"{kind} {text.bits} {parts[0]}, {parts[1]}")
    if kind == "select":
        return text.choose(*parts)
    if kind in ("max", "min"):
        order = text.new(f"fcmp {'oge' if kind == 'max' else 'ole'} {real} {parts[0]}, {parts[1]}")
        either = text.choose(order, parts[0], parts[1])
        missing = text.new(f"fcmp uno {real} {parts[0]}, {parts[0]}")
        return text.choose(missing, parts[0], either)  # NaN if either is NaN
    if kind == "sign":
        zero = text.constant(0.0)
        negative = text.choose(text.new(f"fcmp olt {real} {parts[0]}, {zero}"), text.constant(-1.0), parts[0])
        return text.choose(text.new(f"fcmp ogt {real} {parts[0]}, {zero}"), text.constant(1.0), negative)
    return text.call(kind, *parts)


def library(programs: Mapping[str, Program], lanes: int = 1) -> tuple[str, set[int]]:
    """A module with a function for every program, and the widths of the sines that it calls."""
    made = [function(program, lanes, name) for name, program in programs.items()]
    texts = [text for _, text in made]
    calls = {name: n for text in texts for name, n in text.calls.items()}
    turns = {width for text in texts for width in text.turns}
    declared = [f"declare double @{name}({', '.join(['double'] * n)}) nounwind" for name, n in calls.items()]
    declared += [sines.declaration(width) for width in sorted(turns)]
    intrinsics = sorted({line for text in texts for line in text.intrinsics})
    return "\n".join([*declared, *intrinsics, *(definition for definition, _ in made)]), turns


ROWS = """define void @rows(ptr %f, ptr %out, ptr %in, i64 %count, i64 %outputs, i64 %inputs) nounwind {
entry:
br label %next
next:
%i = phi i64 [ 0, %entry ], [ %j, %next ]
%from = mul i64 %i, %inputs
%to = mul i64 %i, %outputs
%a = getelementptr double, ptr %in, i64 %from
%b = getelementptr double, ptr %out, i64 %to
call void %f(ptr %b, ptr %a, ptr null)
%j = add i64 %i, 1
%more = icmp ult i64 %j, %count
br i1 %more, label %next, label %end
end:
ret void
}"""  # calls a function of one state (or of LANES) for every row; compiled once, for all functions
