"""Models from SymPy's mechanics: KanesMethod, LagrangesMethod and System objects.

The kinematical equations q̇ = A u + b replace the speeds u by q̇. The model states the kinetic energy of the bodies
(for a Lagrangian V = −L at rest, T = L + V), the generalized forces Q_r = Σ F·∂v/∂q̇_r + T·∂ω/∂q̇_r of the loads, and
the constraints.

Kane's method uses velocities v(q, q̇) into which constraints were inserted. They are not derivatives of positions. Then
    d/dt ∂T/∂q̇_r − ∂T/∂q_r = Σ m v̇·∂v/∂q̇_r + C_r,    C_r = Σ m v·(d/dt ∂v/∂q̇_r − ∂v/∂q_r)
and C is added to the generalized forces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dalembert.errors import ModelError
from dalembert.expressions.exchange import from_sympy as tree
from dalembert.expressions.nodes import Expression
from dalembert.model.builder import Builder
from dalembert.report.sympy_objects import SympyEquations


@dataclass(frozen=True)
class MechanicsContent:
    """The content of a SymPy object, in q, q̇ and t."""

    coordinates: list[Any]
    kinetic: Any
    potential: Any
    forces: list[Any]
    holonomic: list[Any]
    nonholonomic: list[Any]

    def renamed(self) -> MechanicsContent:
        """The content with names that a model allows: joint.e0 becomes joint_e0."""
        import sympy

        t = sympy.Symbol("t")
        lists = (self.forces, self.holonomic, self.nonholonomic)
        every = [sympy.sympify(e) for e in (self.kinetic, self.potential, *(e for part in lists for e in part))]
        new: dict[Any, Any] = {q: sympy.Function(_plain(q.func.__name__))(t) for q in self.coordinates}
        new |= {s: sympy.Symbol(_plain(s.name)) for e in every for s in e.free_symbols}
        new = {old: one for old, one in new.items() if old != one}
        if not new:
            return self
        q, kinetic, potential = [new.get(one, one) for one in self.coordinates], *every[:2]
        rest = [[sympy.sympify(e).xreplace(new) for e in part] for part in lists]
        return MechanicsContent(q, kinetic.xreplace(new), potential.xreplace(new), *rest)


def _plain(name: str) -> str:
    return re.sub(r"[^\w']", "_", name)


def stated(builder: Builder, thing: Any, values: Mapping[Any, Any]) -> None:
    """State the content of a SymPy object in a builder. `values` are those of its symbols, coordinates and speeds."""
    content = _content(thing).renamed()
    names = [str(q.func.__name__) for q in content.coordinates]
    expressions = [content.kinetic, content.potential, *content.forces, *content.holonomic, *content.nonholonomic]
    own = thing.parameters if isinstance(thing, SympyEquations) else {}
    used = {str(symbol) for e in expressions for symbol in getattr(e, "free_symbols", ())}
    held = {symbol: value for symbol, value in own.items() if _plain(str(symbol)) in used}
    numbers = {_plain(_name(key)): value for key, value in {**held, **values}.items()}
    _state_parameters(builder, expressions, numbers, names)
    for name in names:
        builder.coordinate(name, numbers.pop(name, 0), numbers.pop(f"{name}'", None))
    if numbers:
        raise ModelError(
            "a value of {numbers} was given, but the equations do not contain it", numbers=next(iter(numbers))
        )
    builder.energy(kinetic=_tree(content.kinetic))
    if content.potential != 0:
        builder.energy(potential=_tree(content.potential))
    pushes = {name: _tree(force) for name, force in zip(names, content.forces, strict=True) if force != 0}
    if pushes:
        builder.force("loads", generalized=pushes)
    for kind, rows in (("holonomic", content.holonomic), ("nonholonomic", content.nonholonomic)):
        for i, row in enumerate(rows, 1):
            builder.constraint(f"{kind}{i}", _tree(row))


def _tree(expr: Any) -> Expression:
    return tree(expr.doit() if hasattr(expr, "doit") else expr)


def _name(key: Any) -> str:
    """The name of a symbol, a coordinate q(t) or its speed."""
    if isinstance(key, str):
        return key
    if getattr(key, "is_Derivative", False):
        return f"{key.expr.func.__name__}'"
    return str(getattr(key, "name", None) or key.func.__name__)


def _state_parameters(builder: Builder, expressions: Iterable[Any], numbers: dict[str, Any], names: list[str]) -> None:
    from sympy.core.function import AppliedUndef

    symbols = {str(s) for e in expressions for s in getattr(e, "free_symbols", ())}
    functions = {f.func.__name__ for e in expressions if hasattr(e, "atoms") for f in e.atoms(AppliedUndef)}
    symbols = (symbols | functions) - {"t", *names}  # a function of time that is not a coordinate is constant
    missing = sorted(symbols - numbers.keys())
    if missing:
        raise ModelError(
            "the values of {missing} are missing; give them as values={{symbol: number}}", missing=", ".join(missing)
        )
    for name in sorted(symbols):
        builder.parameter(name, numbers.pop(name))


def _content(thing: Any) -> MechanicsContent:
    if isinstance(thing, SympyEquations):
        return _taken_back(thing)
    kind = type(thing).__name__
    readers = {"KanesMethod": _kane, "LagrangesMethod": _lagrange, "System": _system}
    if kind not in readers or type(thing).__module__.partition(".")[0] != "sympy":
        raise ModelError(
            "a {kind} was met, and a KanesMethod, LagrangesMethod or System of SymPy is expected", kind=kind
        )
    return readers[kind](thing)


def _taken_back(equations: SympyEquations) -> MechanicsContent:
    """The content of equations that were derived here."""
    if equations.R != equations.A.T:
        raise ModelError(
            "the reactions by {method} are not those of Chetaev's rule; no model can be made from them",
            method=equations.method,
        )
    if equations.inputs:
        raise ModelError("the equations do not hold the data of {str}", str=", ".join(map(str, equations.inputs)))
    rows = list(equations.holonomic.values()), list(equations.nonholonomic.values())
    return MechanicsContent(list(equations.q), equations.kinetic, equations.potential, list(equations.forces), *rows)


def _lagrange(method: Any) -> MechanicsContent:
    import sympy

    t, q = sympy.Symbol("t"), list(method.q)
    rates = [entry.diff(t) for entry in q]
    L = method._L[0]
    potential = -L.subs(dict.fromkeys(rates, 0))
    forces = _generalized(method.forcelist or (), method.inertial, rates, {})
    holonomic = list(method._hol_coneqs or ())
    return MechanicsContent(q, L + potential, potential, forces, holonomic, list(method.coneqs)[len(holonomic) :])


def _kane(method: Any) -> MechanicsContent:
    if method.bodies is None:
        raise ModelError("the KanesMethod has no bodies yet; call its kanes_equations(bodies, loads) first")
    rows = [f + k for f, k in zip(method._f_nh, method._k_nh * method.u, strict=True)] if len(method._f_nh) else []
    loads = method.forcelist or ()
    return _newtonian(method, method._inertial, method.bodies, loads, list(method._f_h), rows, method.kindiffdict())


def _system(system: Any) -> MechanicsContent:
    import sympy

    t = sympy.Symbol("t")
    rates = [entry.diff(t) for entry in system.q]
    solved = sympy.solve(list(system.kdes), rates, dict=True)
    if len(solved) != 1:
        raise ModelError("the kinematical equations of the System do not give the rates of its coordinates")
    loads = [*system.loads, *(load for actuator in system.actuators for load in actuator.to_loads())]
    holonomic = list(system.holonomic_constraints)
    rows = list(system.nonholonomic_constraints)
    return _newtonian(system, system.frame, system.bodies, loads, holonomic, rows, solved[0])


def _newtonian(
    thing: Any, frame: Any, bodies: Any, loads: Any, holonomic: list[Any], rows: list[Any], rates: Mapping[Any, Any]
) -> MechanicsContent:
    """The content of bodies and loads whose velocities contain the speeds u."""
    import sympy
    from sympy.physics.mechanics import kinetic_energy

    t, q, u = sympy.Symbol("t"), list(thing.q), list(thing.u)
    dots = [entry.diff(t) for entry in q]
    speeds = speeds_of(dots, u, rates)
    bodies = [getattr(body, "_body", body) for body in bodies]
    kinetic = sympy.sympify(kinetic_energy(frame, *bodies)).subs(speeds)
    forces = _generalized(loads, frame, dots, speeds)
    inserted = _inserted(bodies, frame, q, dots, speeds)
    forces = [force + more for force, more in zip(forces, inserted, strict=True)]
    return MechanicsContent(q, kinetic, sympy.Integer(0), forces, holonomic, [row.subs(speeds) for row in rows])


def _inserted(bodies: list[Any], frame: Any, q: list[Any], dots: list[Any], speeds: Mapping[Any, Any]) -> list[Any]:
    """The nonzero entries of C."""
    import sympy

    t, found = sympy.Symbol("t"), [sympy.Integer(0) for _ in q]
    x, w = ([sympy.Dummy() for _ in q] for _ in range(2))
    plain, back = dict(zip(dots, w, strict=True)), dict(zip([*w, *x], [*dots, *q], strict=True))
    for body in bodies:
        place = getattr(body, "masscenter", None) or body.point
        for component in place.vel(frame).to_matrix(frame).subs(speeds):
            v = component.xreplace(plain).xreplace(dict(zip(q, x, strict=True)))
            for r, (one, dot) in enumerate(zip(x, w, strict=True)):
                along = v.diff(dot)
                rate = sum((along.diff(a) * b for a, b in zip(x, w, strict=True)), along.diff(t))
                found[r] += body.mass * v * (rate - v.diff(one))
    return [sympy.Integer(0) if _vanishes(c) else c.xreplace(back) for c in found]


def _vanishes(expr: Any) -> bool:
    """Whether an expression is zero, but for rounding, at several states."""
    import sympy

    symbols = sorted(expr.free_symbols, key=str)
    for seed in (3, 5, 7):
        at = {symbol: sympy.Float(0.3 + (seed * (k + 1) * 0.6180339887) % 1.0, 30) for k, symbol in enumerate(symbols)}
        size = sum(abs(part.xreplace(at).evalf(30)) for part in sympy.Add.make_args(expr))
        value = expr.xreplace(at).evalf(30)
        if not value.is_number or abs(value) > 1e-18 * (1 + size):
            return False
    return True


def speeds_of(dots: list[Any], u: list[Any], rates: Mapping[Any, Any]) -> dict[Any, Any]:
    """u in terms of q̇, from q̇ = A u + b."""
    import sympy

    own = [speed for speed in u if speed not in dots]
    if not own:
        return {}
    equations = [dot - rates[dot] for dot in dots if dot in rates and dot not in u]
    solved = sympy.solve(equations, own, dict=True)
    if len(solved) != 1 or set(solved[0]) != set(own):
        raise ModelError("the kinematical equations do not give the speeds from the rates of the coordinates")
    return solved[0]


def _generalized(loads: Any, frame: Any, dots: list[Any], speeds: Mapping[Any, Any]) -> list[Any]:
    """Q_r = Σ F·∂v/∂q̇_r + T·∂ω/∂q̇_r."""
    import sympy

    found = [sympy.Integer(0) for _ in dots]
    for place, vector in (tuple(load) for load in loads):
        if vector == 0:
            continue
        moving = place.ang_vel_in(frame) if hasattr(place, "ang_vel_in") else place.vel(frame)
        moving, vector = _with(moving, speeds), _with(vector, speeds)
        for r, dot in enumerate(dots):
            found[r] += vector.dot(moving.diff(dot, frame, var_in_dcm=False))
    return found


def _with(vector: Any, speeds: Mapping[Any, Any]) -> Any:
    return vector.subs(speeds) if speeds else vector
