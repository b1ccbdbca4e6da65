"""Programs as one module of WebAssembly, written byte by byte, so that no compiler is needed.

    NAME(out, in, data)     addresses in the memory that the module imports as env.memory; data is not read

An operation that is read once is written where it is read. The others get a local, which is free again after its last
reader. Sine and cosine are the operations of `sines`, so a state gives the same bits as with machine code. Other
functions are imported from `math` under the names of JavaScript's Math.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from struct import pack

from dalembert.programs import sines
from dalembert.programs.program import CONDITIONS, Program

REAL, WHOLE = b"\x7c", b"\x7f"  # f64, i32
LONG = b"\x7e"  # i64
PLAIN = {"add": 0xA0, "sub": 0xA1, "mul": 0xA2, "div": 0xA3, "min": 0xA4, "max": 0xA5, "abs": 0x99, "neg": 0x9A,
         "floor": 0x9C, "sqrt": 0x9F, "eq": 0x61, "ne": 0x62, "lt": 0x63, "le": 0x65, "not": 0x45, "and": 0x71,
         "or": 0x72, "select": 0x1B}  # fmt: skip
MATHS = {"tan": 1, "asin": 1, "acos": 1, "atan": 1, "atan2": 2, "sinh": 1, "cosh": 1, "tanh": 1, "asinh": 1,
         "acosh": 1, "atanh": 1, "exp": 1, "log": 1, "pow": 2, "sin": 1, "cos": 1}  # fmt: skip
PROGRAM, ONE, TWO, PAIR = range(4)  # types of functions
TYPES = ((WHOLE * 3, b""), (REAL, REAL), (REAL * 2, REAL), (REAL, REAL * 2))
GET, SET = b"\x20", b"\x21"


def whole(value: int) -> bytes:
    """LEB128 of a nonnegative number."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def many(parts: Sequence[bytes]) -> bytes:
    return whole(len(parts)) + b"".join(parts)


def text(name: str) -> bytes:
    return whole(len(name.encode())) + name.encode()


def constant(value: float) -> bytes:
    return b"\x44" + pack("<d", value)


def module(programs: Mapping[str, Program]) -> bytes:
    """A module that exports every program under its name."""
    pruned = {name: program.pruned() for name, program in programs.items()}
    kinds = {operation.kind for program in pruned.values() for operation in program.operations}
    turns = bool(kinds & {"sin", "cos"})
    maths = sorted((kinds & MATHS.keys()) - {"sin", "cos"}) + (["cos", "sin"] if turns else [])
    helpers = ([("sign", ONE, _sign)] if "sign" in kinds else []) + ([("turned", PAIR, _turned)] if turns else [])
    calls = {name: b"\x10" + whole(i) for i, name in enumerate([*maths, *(name for name, *_ in helpers)])}
    codes = {name: _Body(one, calls).code for name, one in pruned.items()}
    places = {code: len(calls) + i for i, code in enumerate(dict.fromkeys(codes.values()))}  # the same code only once
    types = [whole(kind) for _, kind, _ in helpers] + [whole(PROGRAM)] * len(places)
    bodies = [*(made(calls) for _, _, made in helpers), *places]
    imports = [text("env") + text("memory") + b"\x02\x00\x01"]
    imports += [text("math") + text(name) + b"\x00" + whole((ONE, TWO)[MATHS[name] - 1]) for name in maths]
    sections = {
        1: [b"\x60" + many([bytes([e]) for e in given]) + many([bytes([e]) for e in got]) for given, got in TYPES],
        2: imports,
        3: types,
        7: [text(name) + b"\x00" + whole(places[code]) for name, code in codes.items()],
        10: [whole(len(code)) + code for code in bodies],
    }
    made = [bytes([number]) + whole(len(many(parts))) + many(parts) for number, parts in sections.items()]
    return b"\0asm\1\0\0\0" + b"".join(made)


class _Body:
    """The code of one program. Roots are the operations with a local of their own, in order."""

    def __init__(self, program: Program, calls: Mapping[str, bytes]):
        self.operations, self.calls = program.operations, calls
        places = range(len(program.operations))
        uses = Counter([*program.outputs, *(a for place in places for a in self._arguments(place))])
        self.kept = [
            (uses[place] > 1 or kind in ("sin", "cos")) and kind not in ("number", "true", "false")
            for place, (kind, _, _) in enumerate(program.operations)
        ]
        self.local: dict[int, int] = {}  # locals of kept operations that are still needed
        self.free: dict[bytes, list[int]] = {REAL: [], WHOLE: []}
        self.types: list[bytes] = []  # of the locals
        self.out: list[bytes] = []
        self._write(program)
        runs = [whole(1) + kind for kind in self.types]
        self.code = many(runs) + b"".join(self.out) + b"\x0b"

    def _write(self, program: Program) -> None:
        roots = self._roots(program)
        reads = [self._reads(*root) for root in roots]
        last = {leaf: at for at, places in enumerate(reads) for leaf in places}
        for at, (place, index) in enumerate(roots):
            kind, over = self.operations[place].kind, {leaf for leaf in reads[at] if last[leaf] == at}
            if index is not None:  # an output
                self.out.append(GET + b"\0")
                self._tree(place, False)
                self.out.append((b"\xb8" if kind in CONDITIONS else b"") + b"\x39\x03" + whole(8 * index))
                self._release(over)
            elif kind in ("sin", "cos"):
                self._pair(place, over)
            else:
                self._tree(place, True)
                self._release(over)
                self.local[place] = self._room(WHOLE if kind in CONDITIONS else REAL)
                self.out.append(SET + whole(self.local[place]))

    def _roots(self, program: Program) -> list[tuple[int, int | None]]:
        """The operations in the order of writing: each sine together with its cosine, and all outputs at the end."""
        self.pairs: dict[int, dict[str, int]] = {}
        found: list[tuple[int, int | None]] = []
        for place, (kind, arguments, _) in enumerate(self.operations):
            if kind in ("sin", "cos"):
                pair = self.pairs.setdefault(arguments[0], {})
                pair[kind] = place
                if len(pair) == 1:
                    found.append((place, None))
            elif self.kept[place]:
                found.append((place, None))
        return found + [(place, index) for index, place in enumerate(program.outputs)]

    def _reads(self, place: int, index: int | None) -> list[int]:
        """The kept operations that a root reads."""
        found, stack = [], [place] if index is not None else list(self._arguments(place))
        while stack:
            one = stack.pop()
            if self.kept[one]:
                found.append(one)
            else:
                stack.extend(self._arguments(one))
        return found

    def _arguments(self, place: int) -> tuple[int, ...]:
        kind, arguments, _ = self.operations[place]
        return () if kind == "input" else arguments

    def _pair(self, place: int, over: set[int]) -> None:
        """Sine and cosine of an angle. The call leaves both on the stack, the cosine on top."""
        angle = self.operations[place].arguments[0]
        self._tree(angle, False)
        self.out.append(self.calls["turned"])
        self._release(over)
        for kind in ("cos", "sin"):
            one = self.pairs[angle].get(kind)
            if one is None:
                self.out.append(b"\x1a")  # drop the value
                continue
            self.local[one] = self._room(REAL)
            self.out.append(SET + whole(self.local[one]))

    def _tree(self, root: int, itself: bool) -> None:
        """Push the value of an operation. With `itself`, the root is computed: its local is not set yet."""
        stack: list[tuple[int, bool]] = [(root, False)]
        while stack:
            place, done = stack.pop()
            kind, _, value = self.operations[place]
            if done:
                self.out.append(bytes([PLAIN[kind]]) if kind in PLAIN else self.calls[kind])
            elif self.kept[place] and not (itself and place == root):
                self.out.append(GET + whole(self.local[place]))
            elif kind == "number":
                self.out.append(constant(value))
            elif kind in ("true", "false"):
                self.out.append(b"\x41\x01" if kind == "true" else b"\x41\x00")
            elif kind == "input":
                self.out.append(GET + b"\1" + b"\x2b\x03" + whole(8 * self.operations[place].arguments[0]))
            else:
                stack.append((place, True))
                arguments = self._arguments(place)
                ordered = (*arguments[1:], arguments[0]) if kind == "select" else arguments
                stack.extend((a, False) for a in reversed(ordered))

    def _room(self, kind: bytes) -> int:
        if self.free[kind]:
            return self.free[kind].pop()
        self.types.append(kind)
        return len(self.types) + 2  # after the three arguments

    def _release(self, over: set[int]) -> None:
        for place in sorted(over):
            local = self.local.pop(place)
            self.free[self.types[local - 3]].append(local)


def _sign(_: Mapping[str, bytes]) -> bytes:
    """x > 0 ? 1 : x < 0 ? −1 : x."""
    x, zero = GET + b"\0", constant(0.0)
    less = constant(-1.0) + x + x + zero + b"\x63" + b"\x1b"
    return b"\0" + constant(1.0) + less + x + zero + b"\x64" + b"\x1b" + b"\x0b"


def _turned(calls: Mapping[str, bytes]) -> bytes:
    """Sine and cosine of x with the steps of `sines.sine_and_cosine`; beyond 2²⁰ quarter turns those of `math`."""
    names = "x shifted count r z square sine w cosine".split()
    local = {name: whole(i) for i, name in enumerate(names)}
    quarter = whole(len(names))  # an i64
    add, sub, mul = b"\xa0", b"\xa1", b"\xa2"
    c = constant

    def get(name: str) -> bytes:
        return GET + local[name]

    def put(name: str, code: bytes) -> bytes:
        return code + SET + local[name]

    def polynomial(coefficients: Sequence[float]) -> bytes:
        numbers = [c(one) for one in coefficients]
        return sines.in_pairs(numbers, get("z"), get("square"), lambda a, b: a + b + add, lambda a, b: a + b + mul)

    def signed(turns: bytes, value: bytes) -> bytes:
        """Change the sign if the second bit of `turns` is set."""
        sign = turns + b"\x42\x02" + b"\x83" + b"\x42\x3e" + b"\x86"  # (turns & 2) << 62
        return value + b"\xbd" + sign + b"\x85" + b"\xbf"

    odd = GET + quarter + b"\xa7" + b"\x41\x01" + b"\x71"
    after = GET + quarter + b"\x42\x01" + b"\x7c"
    steps = [
        put("shifted", get("x") + c(sines.QUARTERS) + mul + c(sines.ROUNDER) + add),
        put("count", get("shifted") + c(sines.ROUNDER) + sub),
        get("count") + b"\x99" + c(sines.MOST_QUARTERS) + b"\x65" + b"\x45",  # not within the limit, or NaN
        b"\x04\x40" + get("x") + calls["sin"] + get("x") + calls["cos"] + b"\x0f" + b"\x0b",
        put("r", get("x")),
        *(put("r", get("r") + get("count") + c(part) + mul + sub) for part in sines.PI_HALF),
        put("z", get("r") + get("r") + mul),
        put("square", get("z") + get("z") + mul),
        put("sine", get("r") + get("z") + get("r") + mul + polynomial(sines.SINE) + mul + add),
        put("w", c(1.0) + c(0.5) + get("z") + mul + sub),
        get("w") + c(1.0) + get("w") + sub + c(0.5) + get("z") + mul + sub,
        put("cosine", get("square") + polynomial(sines.COSINE) + mul + add + add),
        get("shifted") + b"\xbd" + SET + quarter,
        signed(GET + quarter, get("cosine") + get("sine") + odd + b"\x1b"),
        signed(after, get("sine") + get("cosine") + odd + b"\x1b"),
    ]
    return many([whole(len(names) - 1) + REAL, whole(1) + LONG]) + b"".join(steps) + b"\x0b"
