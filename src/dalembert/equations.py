"""The record that every method of derivation produces, and that everything after it reads.

    D(x) a = d(x) + R(x) ν          n rows: the method's dynamic equations
    A(x) a = b(x)                   m rows: the constraints at the level of accelerations
    x = (t, q, v, z, p)             v = q̇, a = q̈; z: extra states with ż = the first len(z) entries of ν; p: parameters
    φ(q, t) = 0, ψ(q, v, t) = 0     residuals for projection: holonomic rows; all rows at the level of speeds

Most methods have R = Aᵀ (`R is None`): Chetaev's rule. It differs for general virtual displacements, for the vakonomic
model (ν = λ̇, R = -Gᵀ) and for friction. The state is always (q, q̇): initial conditions, projection, events and
nonlinear quasi-velocities all use it. Dependent speeds are chosen again by pivoting at every evaluation of the compiled
record, so that no choice can become singular later. Nothing here is solved symbolically.

Quantities that do not vary through q and v alone (first-order states, data, values held by controllers) have symbols
among the parameters p, with their values at the start. `states`, `signals` and `sampled` describe how a motion changes
them. Those that a motion carries along (`followed`) come first in p, so that the components of a motion y = (q, v, z,
s) are adjacent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import NoneType
from typing import Any

from dalembert.language import language

Scalar = Any  # a SymEngine expression; that library has no types
Matrix = tuple[tuple[Scalar, ...], ...]
Row = tuple[Scalar, ...]


class Once:
    """A call that is made when its answer is first needed. After pickling it is made again in the other process."""

    __slots__ = ("_answers", "_call")

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._answers: dict[str, Any] = {}  # by language, since some contain sentences

    def __call__(self) -> Any:
        spoken = language()
        if spoken not in self._answers:
            self._answers[spoken] = self._call()
        return self._answers[spoken]

    def __reduce__(self) -> tuple[type[Once], tuple[Callable[[], Any]]]:
        return Once, (self._call,)


@dataclass(frozen=True, slots=True)
class Erratum:
    """An error in the print of a paper: the printed formula, the right one (both LaTeX), and the reason."""

    place: str  # "Long (35)"
    printed: str
    right: str
    because: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a derivation: its title, the formula, the result for this model, and the place in a paper.

    `why` is the sentence before it. `formula` is LaTeX of the general law; `results` are pairs (left side as LaTeX,
    this model's expression: a SymEngine scalar, a row, or a matrix). A left side that ends in \\ge, \\le or \\ne states
    that relation instead of an equation. `key` names the step for models that have their own place for it in a paper.
    """

    title: str
    formula: str = ""
    locator: str = ""  # e.g. "Long (15)"
    results: tuple[tuple[str, Any], ...] = ()
    note: str = ""
    why: str = ""
    key: str = ""
    errata: tuple[Erratum, ...] = ()


@dataclass(frozen=True, slots=True)
class ConstraintRow:
    name: str
    kind: str  # "holonomic", "linear" (in the speeds), "nonlinear"
    residual: Scalar  # as stated: φ(q, t) or f(q, v, t)


@dataclass(frozen=True, slots=True)
class QuasiVelocities:
    """n quantities π(q, q̇, t) in place of the speeds; the last `held` of them are the constraints' residuals."""

    names: tuple[str, ...]
    values: Row
    jacobian: Matrix  # ∂π/∂q̇
    drift: Row  # dπ/dt at q̈ = 0
    held: int = 0


@dataclass(frozen=True, slots=True)
class ContactLaw:
    """A one-sided constraint: the gap's row, the rows it reverses, its restitution and law. Row numbers are of
    `Unilateral`.
    """

    name: str
    gap: int
    reverses: tuple[int, ...]
    restitution: Scalar
    law: str


@dataclass(frozen=True, slots=True)
class FrictionLaw:
    """Coulomb friction along slip rows. The pressing force is given, or is the reaction of a constraint or contact."""

    name: str
    slips: tuple[int, ...]
    held: tuple[int, ...]
    coefficient: Scalar
    static: Scalar
    normal: Scalar | None  # the pressing force, if it is given
    constraint: int | None  # otherwise the row of A whose reaction presses
    contact: int | None  # or the contact
    rough: bool = False  # never slips while it touches


@dataclass(frozen=True, slots=True)
class Unilateral:
    """Contacts and frictions: further rows besides those of the constraints, which the motion switches on and off.

    The rows are in the order gaps, slips, held, reversed. A, b and ψ have all of them, φ only the gaps.
    """

    contacts: tuple[ContactLaw, ...]
    frictions: tuple[FrictionLaw, ...]
    A: Matrix
    b: Row
    psi: Row
    phi: Row
    phi_q: Matrix


Rate = tuple[Scalar, ...]  # coefficients of the speeds
WORLD = 0  # the first node


@dataclass(frozen=True, slots=True)
class Node:
    parent: int
    before: Matrix | None  # a constant rotation of the parent's axes, before the turn
    axis: int
    angle: Scalar
    rate: Rate


@dataclass(frozen=True, slots=True)
class NodePoint:
    origin: int | None
    node: int
    at: Row  # in the node's axes; for a root in the world's
    rates: tuple[Rate, Rate, Rate] | None  # for a root: the rates of its three components


@dataclass(frozen=True, slots=True)
class Spin:
    """A wheel on its axle: its inertia about it, and its own rate relative to `node` about `axis`."""

    inertia: Scalar
    node: int
    axis: int
    rate: Rate


@dataclass(frozen=True, slots=True)
class Gyrostat:
    node: int
    point: int
    mass: Scalar
    inertia: Matrix
    spins: tuple[Spin, ...]


@dataclass(frozen=True, slots=True)
class Wheel:
    """`up` is the plane's normal in the world. `rows` name the rows of the record that the wheel represents."""

    node: int
    point: int
    axis: int
    rate: Rate
    radius: Scalar
    up: Row
    touches: bool
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """Bodies as a tree of turns: the input of a recursion over bodies, instead of expanded expressions.

    node      its parent turned about one of the parent's axes, by an angle that is affine in the coordinates
    point     its origin, and a place that is fixed in a node; a root is affine in the coordinates, in the world's axes
    gyrostat  everything that is fixed in one node, about its centre of mass: mass m, inertia J, and the wheels that
              spin there; their inertia about the axle is separate, so that they belong to their carrier
    wheel     rolls on a plane that stands still
    """

    nodes: tuple[Node, ...]
    points: tuple[NodePoint, ...]
    gyrostats: tuple[Gyrostat, ...]
    wheels: tuple[Wheel, ...]
    gravity: Row
    forces: tuple[Scalar, ...]  # generalized, without gravity


@dataclass(frozen=True, slots=True)
class SampledLaw:
    """A digital controller: at offset, offset + every, … each symbol takes the value of its expression and keeps it."""

    name: str
    every: float
    offset: float
    values: Mapping[Scalar, Scalar]


@dataclass(frozen=True, slots=True)
class Equations:
    method: str
    coordinates: tuple[str, ...]
    t: Scalar
    q: Row
    v: Row
    D: Matrix
    d: Row
    A: Matrix
    b: Row
    constraints: tuple[ConstraintRow, ...]  # one for each row of A, in that order
    phi: Row  # residuals of the holonomic rows, in order
    phi_q: Matrix  # ∂φ/∂q
    psi: Row  # residuals at the level of speeds, one for each row of A; A = ∂ψ/∂v
    R: Matrix | None = None  # n rows; None means Aᵀ
    multipliers: tuple[str, ...] = ()  # names of ν; those of the constraints unless a method states others
    z: Row = ()
    parameters: Mapping[Scalar, float] = field(default_factory=dict)  # symbols in the expressions, and their values
    symmetric: bool = False  # D is symmetric (and positive definite wherever the masses are positive)
    route: str = "null-space"  # how accelerations are solved from these rows: a name in `motions.routes`
    reaction_rest: Matrix | None = None  # n rows: the part of reaction i that is not a multiple of ν_i …
    reaction_slope: tuple[Matrix, ...] | None = None  # … and its part E_i a: reaction i = R_i ν_i + rest_i + E_i a
    quasi: QuasiVelocities | None = None  # for the methods that use them
    kinetic: Scalar = 0
    potential: Scalar = 0
    masses: Mapping[str, Scalar] = field(default_factory=dict)  # of bodies with varying mass
    outputs: Mapping[str, Scalar] = field(default_factory=dict)  # definitions; a vector is NAME.x, NAME.y, NAME.z
    measured: Mapping[str, Scalar] = field(default_factory=dict)  # outputs, in x, the symbols q'' and lambda.ROW
    states: Mapping[Scalar, Scalar] = field(default_factory=dict)  # first-order states: symbol and rate ṡ(x)
    signals: Mapping[Scalar, Any] = field(default_factory=dict)  # inputs from data: symbol and `model.machine.Signal`
    sampled: tuple[SampledLaw, ...] = ()
    events: Mapping[str, tuple[Scalar, bool]] = field(default_factory=dict)  # name: (guard, stop)
    poses: Mapping[str, tuple[Row, Matrix]] = field(default_factory=dict)  # body: position, rotation matrix
    unilateral: Unilateral | None = None
    description: str = ""  # of contacts and frictions: segmented or whole-course; "" if there are none
    angles: frozenset[str] = frozenset()  # coordinates known to be angles, whether or not they occur in a sine
    bodies: Callable[[], Tree | None] = NoneType  # computed on request; returns None if they are no tree
    derivation: Callable[[], tuple[Step, ...]] = tuple  # computed on request, at no cost to a motion
    quantities: Callable[[], Mapping[Scalar, Scalar]] = dict  # named ones, each in terms of others, for readers
    letters: Callable[[], Mapping[str, str]] = dict  # of the paper whose example this is, by names of the model
    region: tuple[tuple[Scalar, str], ...] = ()  # validity: expressions, each > or < 0; () means everywhere
    notes: tuple[str, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The derivation, step by step in the order of the method's paper."""
        return self.derivation()

    @property
    def touching(self) -> Unilateral:
        """The contacts and frictions of a record that has them."""
        assert self.unilateral is not None
        return self.unilateral

    @property
    def followed(self) -> tuple[Scalar, ...]:
        """s, the first parameters: states, then values held by controllers."""
        return (*self.states, *(symbol for law in self.sampled for symbol in law.values))

    @property
    def varying(self) -> tuple[Scalar, ...]:
        """The parameters that a motion changes."""
        return (*self.followed, *self.signals)

    @property
    def answers(self) -> tuple[Scalar, ...]:
        """The symbols besides x in outputs and guards: q'' and lambda.ROW."""
        from symengine import Symbol

        names = self.multipliers or tuple(row.name for row in self.constraints)
        return (*(Symbol(f"{q}''") for q in self.coordinates), *(Symbol(f"lambda.{name}") for name in names))

    @property
    def guards_forces(self) -> tuple[str, ...]:
        """Events whose guards contain accelerations or multipliers."""
        beside = set(self.answers)
        return tuple(name for name, (guard, _) in self.events.items() if beside & guard.free_symbols)

    @property
    def inputs(self) -> tuple[Scalar, ...]:
        """x = (t, q, v, z, p): the order of the compiled functions' arguments."""
        return (self.t, *self.q, *self.v, *self.z, *self.parameters)
