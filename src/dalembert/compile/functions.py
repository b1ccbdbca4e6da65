"""Expressions to machine code: a list of them is one C function `void f(double *out, const double *in, void *data)`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from dalembert.compile.tape import Tape, tape
from dalembert.counters import WORK
from dalembert.errors import MathematicsError

Backend = Literal["llvm", "numpy"]

# LLVM's optimization levels. Measured on n-link pendulums: level 1 runs as fast as 3 and compiles a little sooner;
# level 0 compiles three times sooner and runs 1.5 times slower, which is right for a function called a few times.
OFTEN, FEW_TIMES = 1, 0


def have_llvm() -> bool:
    """Whether this SymEngine carries its LLVM back end."""
    import symengine

    return bool(symengine.have_llvm)


@dataclass(frozen=True, slots=True)
class Function:
    """A compiled list of expressions. `address` and `data` are what C needs; both are 0 for the NumPy back end."""

    inputs: int
    outputs: int
    address: int
    data: int
    _code: Any = field(repr=False)  # the LLVM object, alive as long as the address may be called; or the tape
    _entry: Any = field(default=None, repr=False)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """The values at `x`, or at every row of it."""
        x = np.ascontiguousarray(x, dtype=float)
        if x.shape[-1] != self.inputs:
            raise ValueError(f"a compiled function of {self.inputs} inputs was called with {x.shape[-1]}")
        if not self.outputs or 0 in x.shape[:-1]:
            return np.zeros((*x.shape[:-1], self.outputs))
        if isinstance(self._code, Tape):
            return _tape_values(self._code, x)
        if not self.inputs:
            return np.broadcast_to(self._code([]), (*x.shape[:-1], self.outputs)).copy()
        return np.asarray(self._code(x), dtype=float).reshape((*x.shape[:-1], self.outputs))


def compiled(inputs: Sequence[Any], outputs: Sequence[Any], backend: Backend = "llvm", level: int = OFTEN) -> Function:
    """The function inputs -> outputs, by LLVM or as a NumPy tape."""
    WORK["compiled"] += 1
    inputs, outputs = list(inputs), list(outputs)
    if backend == "numpy" or not outputs or not have_llvm():
        return Function(len(inputs), len(outputs), 0, 0, tape(inputs, outputs))
    import ctypes

    import symengine

    inputs, outputs = _apart(inputs, outputs)
    try:
        code = symengine.Lambdify(inputs, outputs, backend="llvm", cse=True, opt_level=level, order="C")
    except RuntimeError as error:
        tape(inputs, outputs)  # says which sub-expression it is, where the tape knows
        raise MathematicsError(f"the expressions of the model cannot be compiled: {error}") from error
    function, data = code.as_ctypes()
    address = ctypes.cast(function, ctypes.c_void_p).value or 0
    return Function(len(inputs), len(outputs), address, data.value or 0, code, function)


def _apart(inputs: list[Any], outputs: list[Any]) -> tuple[list[Any], list[Any]]:
    """The same expressions without inputs called x0, x1, …

    SymEngine's cse calls its temporaries so unless an expression holds that name, and does not look at the inputs.
    """
    import symengine

    other = {s: symengine.Symbol(f"in {s}") for s in inputs if str(s)[:1] == "x" and str(s)[1:].isdigit()}
    if not other:
        return inputs, outputs
    return [other.get(s, s) for s in inputs], [symengine.sympify(e).xreplace(other) for e in outputs]


def _tape_values(code: Tape, x: np.ndarray) -> np.ndarray:
    values = code.values(np.moveaxis(x, -1, 0))
    result = np.empty((*x.shape[:-1], len(code.outputs)))
    for column, place in enumerate(code.outputs):
        result[..., column] = values[place]
    return result
