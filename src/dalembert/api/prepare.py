"""`prepare`: a model as numeric functions, derived and compiled once.

    M(q, t) q̈ + h(q, q̇, t) = Aᵀ λ,   A(q, q̇, t) q̈ = b(q, q̇, t)

h contains all terms without accelerations: Coriolis and centrifugal terms, and applied forces with a minus sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.api.calls import sampling, stepping
from dalembert.api.motion import followed
from dalembert.equations import Equations
from dalembert.errors import MathematicsError, ModelError
from dalembert.formalisms import default_method
from dalembert.language import tr
from dalembert.model.record import ModelRecord
from dalembert.motions.accelerations import solve_accelerations
from dalembert.prepared import Prepared, Start, prepared
from dalembert.programs.functions import OFTEN, Function, function
from dalembert.programs.slopes import PLAIN, slopes

if TYPE_CHECKING:
    from dalembert.results.motion import Motion


@dataclass(frozen=True)
class PreparedModel:
    """A model as numeric functions, made by `model.prepare()`. It can be pickled, and called from several threads.

    q and v are one state, or rows of states; t is one time, or one for every row. All are in SI units, in the order of
    `coordinates`, at the parameters of the model. M q'' + h = Aᵀ λ and A q'' = b.
    """

    record: ModelRecord
    method: str | None = None

    def __repr__(self) -> str:
        return f"<PreparedModel {self.record.title!r}: coordinates {', '.join(self.coordinates)}>"

    def __reduce__(self) -> tuple[type[PreparedModel], tuple[ModelRecord, str | None]]:
        return PreparedModel, (self.record, self.method)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The names of the coordinates, in the order of q and v."""
        return tuple(self.record.coordinates)

    @cached_property
    def _prepared(self) -> Prepared:
        return prepared(self.record, self.method)

    @cached_property
    def _start(self) -> Start:
        return self._prepared.at()

    def M(self, q: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """The mass matrix."""
        eq, n = self._equations("M"), len(self.coordinates)
        system = self._start.system
        code = system.compiled("M", lambda eq: [e for row in eq.D for e in row])
        reads = system.once("reads of M", code.program.reads)
        if any(n < i <= 2 * n for i in reads):
            names = ", ".join(str(eq.inputs[i]) for i in sorted(reads) if n < i <= 2 * n)
            raise ModelError("the mass matrix of this model depends on the speeds {names}", names=names)
        found = self._values("M", code, t, q, np.zeros(n))
        return found.reshape(*found.shape[:-1], n, n)

    def h(self, q: ArrayLike, v: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """The terms without accelerations: M q'' + h = Aᵀ λ."""
        self._equations("h")
        return -self._values("h", self._start.system.compiled("d", lambda eq: list(eq.d)), t, q, v)

    def A(self, q: ArrayLike, v: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """The matrix of the constraints, A q'' = b: a row for each of them."""
        eq, n = self._equations("A"), len(self.coordinates)
        code = self._start.system.compiled("A", lambda eq: [e for row in eq.A for e in row])
        found = self._values("A", code, t, q, v)
        return found.reshape(*found.shape[:-1], len(eq.b), n)

    def b(self, q: ArrayLike, v: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """The right sides of the constraints, A q'' = b."""
        self._equations("b")
        return self._values("b", self._start.system.compiled("b", lambda eq: list(eq.b)), t, q, v)

    def slopes(self, t: ArrayLike, q: ArrayLike, v: ArrayLike | None = None) -> np.ndarray:
        """Accelerations q''. Without v, q is y = (q, q'), and the answer is y' = (q', q''), as solvers want it.

        A state without a solution raises MathematicsError.
        """
        n = len(self.coordinates)
        if v is None:
            y = self._shaped("y", q, 2 * n)
            return np.concatenate([y[..., n:], self.slopes(t, y[..., :n], y[..., n:])], axis=-1)
        self._equations("slopes")
        x = self._states(t, q, v)
        code = self._accelerations
        self._known("slopes", self._start.system.dynamics if code is None else code)
        out = np.full((*x.shape[:-1], n + 1), 0.0) if code is None else code(x)
        a = out[..., :n].copy()
        left = (out[..., n] != 1.0) | ~np.isfinite(a).all(axis=-1)
        for place in np.ndindex(left.shape):
            if left[place]:  # solve with pivots, or raise a sentence
                a[place] = solve_accelerations(self._start.system, x[place]).a
        return a

    def motion(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        until: float | None = None,
        samples: int | None = None,
        at: Iterable[float] | None = None,
        tolerance: float | None = None,
        stepper: str | None = None,
        step: float | None = None,
        strict: bool = False,
        dense: bool = False,
        progress: Callable[[float], None] | None = None,
    ) -> Motion:
        """Follow the motion with other values of parameters, coordinates and speeds; nothing is derived again."""
        chosen = stepping(self.record, tolerance, stepper, step, dense, progress)  # refuse a bad call first
        asked = sampling(self.record, until, samples, at)
        return followed(self._prepared.at(settings, strict), asked, chosen)

    @cached_property
    def _accelerations(self) -> Function | None:
        found = slopes(self._start.system.equations, self._start.x, PLAIN)
        return None if found is None else function(found.program, OFTEN)

    def _equations(self, what: str) -> Equations:
        """The record. Models in which (t, q, v) does not determine this function are refused."""
        eq = self._start.system.equations
        if eq.z:
            names = ", ".join(map(str, eq.z))
            raise ModelError(
                "{what} of the method {method} depends on more than t, q and q' ({names}); motion(...) follows it",
                what=what,
                method=eq.method,
                names=names,
            )
        if eq.unilateral is not None and what == "slopes":
            raise ModelError(
                "accelerations of a model with contacts or frictions depend on which of them act; motion(...) knows it"
            )
        return eq

    def _states(self, t: ArrayLike, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """x = (t, q, v, p), for one state or for rows."""
        system, n = self._start.system, len(self.coordinates)
        given = [self._shaped(letter, part, n) for letter, part in (("q", q), ("v", v))]
        times, p = np.asarray(t, dtype=float)[..., None], system.parameters
        lead = np.broadcast_shapes(times.shape[:-1], *(part.shape[:-1] for part in given))
        x = np.concatenate([np.broadcast_to(e, (*lead, e.shape[-1])) for e in (times, *given, p)], axis=-1)
        for place, signal in system.signals:
            x[..., place] = signal(x[..., 0])
        return x

    @staticmethod
    def _shaped(letter: str, given: ArrayLike, n: int) -> np.ndarray:
        """One row of n numbers, or several."""
        part = np.asarray(given, dtype=float)
        if part.ndim not in (1, 2) or part.shape[-1] != n:
            raise ModelError(
                "{letter} has the shape {shape}; ({n},) or (states, {n}) is expected",
                letter=letter,
                shape=part.shape,
                n=n,
            )
        return part

    def _known(self, what: str, code: Function) -> None:
        """Refuse a function that depends on states of first order or on what controllers hold: no call gives them."""
        eq = self._start.system.equations
        reads = self._start.system.once(f"reads of {what}", code.program.reads)
        names = ", ".join(str(symbol) for symbol in eq.followed if eq.inputs.index(symbol) in reads)
        if names:
            raise ModelError(
                "{what} depends on more than t, q and q' ({names}), which a motion changes; motion(...) follows it",
                what=what,
                names=names,
            )

    def _values(self, what: str, code: Function, t: ArrayLike, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        self._known(what, code)
        x = self._states(t, q, v)
        found = code(x)
        if not np.isfinite(found).all():
            bad = x[~np.isfinite(found).all(axis=-1)][0] if x.ndim > 1 else x
            reason = self._start.system.domain_failure(bad)
            raise MathematicsError(
                "at t = {bad:.9g} {reason}", bad=bad[0], reason=reason or tr("a number grew beyond all bounds")
            )
        return found


def prepare(record: ModelRecord, method: str | None = None) -> PreparedModel:
    """Derive now, and find the initial state. Each function is compiled when it is first called."""
    made = PreparedModel(record, method or default_method(record))
    made._start  # noqa: B018
    return made
