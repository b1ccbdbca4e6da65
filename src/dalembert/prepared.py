"""A model that is derived and compiled once, at any initial state. Every motion starts from here.

Open parameters are arguments of the compiled functions. Another value of an open parameter, or of an initial
coordinate, speed or multiplier, costs one evaluation, but no derivation and no compilation.
"""

from __future__ import annotations

import logging
import pickle
from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from hashlib import blake2b
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.equations import Equations
from dalembert.errors import ModelError
from dalembert.expressions import nodes
from dalembert.expressions.parse import nearest
from dalembert.formalisms import default_method, derive
from dalembert.language import language, tr
from dalembert.model.alike import alike
from dalembert.model.closures import joint_of
from dalembert.model.record import ModelRecord, read_only
from dalembert.model.remarks import remarks
from dalembert.model.units import scales
from dalembert.model.values import Values, at_start, initial_values
from dalembert.motions.initial import Correction, NoPosition, consistent, position, unclosed
from dalembert.programs.functions import FEW_TIMES, OFTEN, Backend, compiled
from dalembert.programs.system import CompiledSystem

if TYPE_CHECKING:
    from dalembert.motions.unilateral import HybridSystem

LOG = logging.getLogger(__name__)


ZERO = nodes.Number(0)
MOST_KNOWN, MOST_VARIANTS = 32, 4  # models that are remembered, and sets of open parameters of each
SEPARATELY = 2  # derivations before one in which all parameters are open
Kind = tuple[bytes, str | None, bool, bool, str]
_KNOWN: OrderedDict[Kind, tuple[Prepared, ...]] = OrderedDict()
_ALIKE: dict[Kind, Kind] = {}  # kinds of models that state the same as one that is known
_LOCK = Lock()


@dataclass(frozen=True, slots=True)
class Start:
    """A compiled system at its consistent initial state."""

    record: ModelRecord
    system: CompiledSystem
    time: float
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray  # followed by s, after the controllers have computed at the start
    changes: tuple[Correction, ...]
    seconds: Mapping[str, float]  # derive, compile
    hybrid: HybridSystem | None = None  # the system with its contacts and frictions, if there are any
    stated: np.ndarray = field(default_factory=lambda: np.zeros(0))  # s before controllers compute

    @property
    def x(self) -> np.ndarray:
        return self.system.state(self.time, self.q, self.v, self.z)

    @property
    def y(self) -> np.ndarray:
        """(q, v, z, s) from which a motion begins. Its first action is to let the controllers compute."""
        return np.concatenate([self.q, self.v, self.z[: self.system.k], self.stated])

    @property
    def corrections(self) -> tuple[dict[str, Any], ...]:
        return tuple(asdict(change) for change in self.changes)

    @property
    def notes(self) -> tuple[str, ...]:
        values = initial_values(self.record)
        told = (*self.system.equations.notes, *(f"{change}." for change in self.changes))
        return (*told, *self._chosen(values), *self._vanishing(), *remarks(self.record, values))

    def _chosen(self, values: Values) -> tuple[str, ...]:
        """A note on speeds that were not given and that the constraints leave open, if the least norm is not zero."""
        system = self.system
        left_out = [i for i, name in enumerate(system.equations.coordinates) if values.speeds[name] is None]
        if not system.m or not np.any(self.v[left_out]):
            return ()
        A = system.velocity(self.x)[system.m :].reshape(system.m, system.n)[:, left_out]
        _, sizes, V = np.linalg.svd(A)
        open_ways = V[int((sizes > 1e-10 * max(1.0, sizes[0])).sum()) :]
        names = [
            f"{system.equations.coordinates[i]}' = {self.v[i]:.6g}"
            for i, ways in zip(left_out, open_ways.T, strict=True)
            if self.v[i] != 0.0 and np.abs(ways).max(initial=0.0) > 1e-8
        ]
        if not names:
            return ()
        return (
            tr(
                "Speeds that were not given and that the constraints leave open were chosen small: {names}.",
                names=", ".join(names),
            ),
        )

    def _vanishing(self) -> tuple[str, ...]:
        """A note for every constraint whose gradient is zero here, so it restrains nothing: (x - 1)^2 = 0."""
        system = self.system
        A = system.velocity(self.x)[system.m :].reshape(system.m, system.n)
        names = [row.name for row, entries in zip(system.equations.constraints, A, strict=True) if not entries.any()]
        return tuple(
            tr(
                "The gradient of {name} is zero at the initial state, so it restrains nothing there; "
                "write it without a square, as x = 1 instead of (x - 1)^2 = 0, or begin elsewhere.",
                name=name,
            )
            for name in names
        )


@dataclass(frozen=True)
class Prepared:
    """A compiled model. Its `open` parameters, its coordinates, speeds and multipliers can still be chosen."""

    record: ModelRecord
    method: str | None
    open: frozenset[str]  # including every parameter whose value depends on an open one, or that a motion changes
    system: CompiledSystem
    hybrid: HybridSystem | None
    whole: bool
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def equations(self) -> Equations:
        return self.system.equations

    def at(self, settings: Mapping[str, Any] | None = None, strict: bool = False) -> Start:
        """The consistent initial state, with settings `{"R": 0.3, "theta'": 0.1}` in place of the model's values."""
        from dalembert.model.change import with_settings  # a command reads its model with the values already set

        record = with_settings(self.record, settings or {})
        values = initial_values(record)
        fixed = [name for name in settings or {} if name in record.parameters and name not in self.open]
        if fixed:
            raise ModelError(
                "the parameter {fixed} was put in as a number and cannot be set any more; leave it open", fixed=fixed[0]
            )
        return self.start(record, values, strict)

    def differing(self, values: Values) -> set[str]:
        """Parameters that were substituted as numbers in the equations and now have other values."""
        before = initial_values(self.record).parameters
        other = {name for name, value in before.items() if name not in self.open and values.parameters[name] != value}
        return other & self._named if other else other

    @cached_property
    def _named(self) -> set[str]:
        return _names(_bare(self.record))

    def serves(self, values: Values) -> bool:
        """Whether these values need no new derivation."""
        return not self.differing(values)

    def start(self, record: ModelRecord, values: Values, strict: bool) -> Start:
        parameters = [values.parameters[str(symbol)] for symbol in self.equations.parameters]
        system = self.system.valued(parameters)
        hybrid = None if self.hybrid is None else self.hybrid.valued(parameters)
        names = self.equations.coordinates
        q = np.array([values.coordinates[name] for name in names])
        given = np.array([values.speeds[name] is not None for name in names])
        v = np.array([values.speeds[name] or 0.0 for name in names])
        z = _extra_states(record, system)
        time = float(record.simulation.start)
        if self.whole and self.equations.method == "virtual-displacements":
            from dalembert.constraint_models.hidden import with_hidden
            from dalembert.constraint_models.samples import Initial

            system = with_hidden(system, Initial(time, q, v, given), lambda: derive(record, self.method))
        stated = v
        try:
            q, v, changes = consistent(system, q, stated, given, strict, time, z)
        except NoPosition as error:
            raise unclosed(record, error) from error
        begun = system.parameters[: system.s]
        held = _held_at_start(self.equations, system, time, q, v, z)
        if held:
            parameters = [held.get(symbol, p) for symbol, p in zip(self.equations.parameters, parameters, strict=True)]
            system = system.valued(parameters)
            hybrid = None if self.hybrid is None else self.hybrid.valued(parameters)
        kept = None if hybrid is None else hybrid.checked(system.state(time, q, v))
        if kept is not None:  # frictions that stick hold rows from the start
            moved = [change for change in changes if not change.quantity.endswith("'")]
            _, v, changes = consistent(kept, q, stated, given, strict, time)
            changes = [*moved, *changes]
        if self.whole and system.k:
            from dalembert.constraint_models.regularity import require_regular
            from dalembert.constraint_models.samples import Initial

            require_regular(system, Initial(time, q, v, given, z))
        factors = scales(record)
        told = tuple(_in_unit(change, factors.get(change.quantity.rstrip("'"), 1.0)) for change in changes)
        for change in told:
            LOG.info("%s: %s", record.title or "model", change)
        carried = np.concatenate([z, system.parameters[: system.s]])
        return Start(record, system, time, q, v, carried, told, self.seconds, hybrid, begun)


def _held_at_start(
    equations: Equations, system: CompiledSystem, time: float, q: np.ndarray, v: np.ndarray, z: np.ndarray
) -> dict[Any, float]:
    """The values that controllers sampling at the start hold from then on."""
    held: dict[Any, float] = {}
    for law in equations.sampled:
        late = (time - law.offset) / law.every
        if late < -1e-12:
            continue  # the first sample is later
        function = compiled(equations.inputs, list(law.values.values()), backend="numpy")
        held |= dict(zip(law.values, function(system.state(time, q, v, z)).tolist(), strict=True))
    return held


def _in_unit(change: Correction, factor: float) -> Correction:
    """A correction in the unit of its coordinate."""
    return replace(change, given=change.given / factor, used=change.used / factor) if factor != 1.0 else change


def prepared(
    record: ModelRecord,
    method: str | None = None,
    open: Collection[str] | None = None,
    *,
    often: bool = True,
    whole: bool = True,
    backend: Backend = "llvm",
) -> Prepared:
    """Derive with numbers for all parameters but the `open` ones (None: all are open), and compile.

    `often`: the functions will be called many times and are worth optimizing. `whole`: the equations must determine the
    motion, so hidden constraints are added, and a singular model of constraint is refused. The `backend` numpy is ready
    sooner, for a handful of states and no motion.
    """
    kept = _with_dependents(record, open)
    began = perf_counter()
    equations = derive(record, method, numeric=True, open=kept)
    derived = perf_counter()
    level = OFTEN if often else FEW_TIMES
    system = CompiledSystem(equations, backend, level)
    hybrid: HybridSystem | None = None
    if equations.unilateral is not None:
        from dalembert.motions.unilateral import HybridSystem  # which smooth models do not load

        hybrid = HybridSystem(equations, level)
    seconds = {"derive": derived - began, "compile": perf_counter() - derived}
    LOG.info(
        "%s: derived by %s in %.3f s, compiled in %.3f s", record.title or "model", equations.method, *seconds.values()
    )
    return Prepared(record, method, kept, system, hybrid, whole, seconds)


def prepare(
    record: ModelRecord, method: str | None = None, strict: bool = False, often: bool = True, whole: bool = True
) -> Start:
    """The model's own initial state, derived and compiled with numbers for its parameters, which gives the fastest
    code.

    An earlier derivation of a model with the same content is used again. If only values of parameters differ, these are
    left open the second time, so that a third value costs only an evaluation. The third derivation leaves all of them
    open and serves every value. The first one that serves is taken: the same question again has the same bits.
    """
    values, kind = initial_values(record), _kind(record, method, often, whole)
    known = _known(kind)
    for one in known:
        if one.serves(values):
            return replace(one.start(record, values, strict), seconds={"derive": 0.0, "compile": 0.0})
    other = {name for one in known for name in one.differing(values) | one.open}
    made = prepared(record, method, sorted(other) if len(known) < SEPARATELY else None, often=often, whole=whole)
    _remember(kind, made)
    return made.start(record, values, strict)


def prepared_once(record: ModelRecord, method: str | None, open: Collection[str]) -> Prepared:
    """`prepared` for a few calls with exactly these `open` parameters, or an earlier derivation that has them open."""
    values, kept = initial_values(record), _with_dependents(record, open)
    kind = _kind(record, method, often=False, whole=True)
    for one in _known(kind):
        if one.open == kept and one.serves(values):
            return replace(one, record=record, seconds={"derive": 0.0, "compile": 0.0})
    made = prepared(record, method, open, often=False)
    _remember(kind, made)
    return made


def _known(kind: Kind) -> tuple[Prepared, ...]:
    with _LOCK:
        if kind in _KNOWN:
            _KNOWN.move_to_end(kind)  # the last one that goes
        return _KNOWN.get(kind, ())


def _remember(kind: Kind, made: Prepared) -> None:
    with _LOCK:
        known = _KNOWN.get(kind, ())
        _KNOWN[kind] = (*known[:1], *known[1:][2 - MOST_VARIANTS :], made)  # the first one stays: it is the fastest
        _KNOWN.move_to_end(kind)
        while len(_KNOWN) > MOST_KNOWN:
            _KNOWN.popitem(last=False)


def _kind(record: ModelRecord, method: str | None, often: bool, whole: bool) -> Kind:
    """Models of one kind share derivations. Equations keep their notes in a language.

    The hash depends on the objects that parts of a model share. A model of an unknown hash is compared with the others.
    """
    kind = content(record), method or default_method(record), often, whole, language()
    with _LOCK:
        if kind in _KNOWN or kind in _ALIKE:
            return _ALIKE.get(kind, kind)
        others = [(other, known[0].record) for other, known in _KNOWN.items() if other[1:] == kind[1:]]
    bare = _bare(record)
    for other, there in others:
        if list(there.coordinates) == list(record.coordinates) and alike(_bare(there), bare):
            with _LOCK:
                _ALIKE[kind] = other
                while len(_ALIKE) > MOST_KNOWN:
                    del _ALIKE[next(iter(_ALIKE))]
            return other
    return kind


def require_closed(record: ModelRecord, once: Prepared | None = None) -> None:
    """Refuse a model with a loop of joints that its own initial coordinates cannot close.

    A question that computes at the initial state finds this out by itself; this is for those that do not.
    """
    if not any(joint_of(record, row) for row in record.constraints):
        return
    once = once or prepared(record, open=(), often=False, whole=False, backend="numpy")
    values = initial_values(record)
    q = np.array([values.coordinates[name] for name in once.equations.coordinates])
    system = once.system.valued([values.parameters[str(symbol)] for symbol in once.equations.parameters])
    try:
        position(system, float(record.simulation.start), q)
    except NoPosition as error:
        raise unclosed(record, error) from error


def content(record: ModelRecord) -> bytes:
    """A hash of everything in a model that its equations depend on, except values of parameters and the start."""
    return blake2b(pickle.dumps(_bare(record), protocol=5), digest_size=20).digest()


def _bare(record: ModelRecord) -> ModelRecord:
    """The model without values of parameters and without its start."""
    return replace(
        record,
        title="",
        reference="",
        parameters=read_only(dict.fromkeys(record.parameters)),
        coordinates=read_only(dict.fromkeys(record.coordinates)),
        multipliers=read_only(dict.fromkeys(record.multipliers)),
        states=read_only({name: replace(state, initial=ZERO) for name, state in record.states.items()}),
        stated=None,  # the user's words for the same, values included
        simulation=replace(record.simulation, duration=None, samples=None, tolerance=1e-9, stepper="auto", step=None),
    )


def _names(part: Any) -> set[str]:
    """Every name and every other word in a part of a model, without the keys of its tables."""
    if isinstance(part, nodes.Expression):
        return nodes.names([part])
    if isinstance(part, str):
        return {part}
    if isinstance(part, Mapping):
        part = part.values()
    elif is_dataclass(part):
        part = [getattr(part, one.name) for one in fields(part)]
    elif not isinstance(part, tuple | list):
        return set()
    return set().union(*map(_names, part))


def require_constant(equations: Equations, what: str, instead: str) -> None:
    """Refuse a model with first-order states, data or sampled controllers if only q and v can be followed."""
    if equations.varying:
        names = ", ".join(map(str, equations.varying))
        raise ModelError(
            "{what} cannot follow states, inputs from data or sampled controllers ({names}); {instead}",
            what=what,
            names=names,
            instead=instead,
        )
    require_plain_events(equations, what)


def require_plain_events(equations: Equations, what: str) -> None:
    """Refuse events of accelerations and reactions where the state alone is looked at."""
    if equations.guards_forces:
        names = ", ".join(equations.guards_forces)
        raise ModelError(
            "{what} cannot look for events of accelerations and reactions ({names}); leave them out",
            what=what,
            names=names,
        )


def _with_dependents(record: ModelRecord, names: Collection[str] | None) -> frozenset[str]:
    """The named parameters, those whose values are expressions of them, and those that a motion changes."""
    if names is None:
        return frozenset(record.parameters)
    for name in names:
        if name not in record.parameters:
            raise ModelError(
                "there is no parameter {name} to leave open{name2}",
                name=name,
                name2=nearest(name, list(record.parameters)),
            )
    found = {*names, *record.varying}
    for name, parameter in record.parameters.items():  # a parameter may depend on those above it
        if not found.isdisjoint(nodes.names([parameter.value])):
            found.add(name)
    return frozenset(found)


def _extra_states(record: ModelRecord, system: CompiledSystem) -> np.ndarray:
    """The initial multipliers of a vakonomic motion. They are zero unless the model states them."""
    if not system.k:
        return np.zeros(0)
    given, start = record.multipliers, at_start(record)
    names = system.multiplier_names[: system.k]
    return np.array([start.number(given[name]) if name in given else 0.0 for name in names])
