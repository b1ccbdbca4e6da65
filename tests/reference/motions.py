"""Reference motions: slow and plain, without the package's own steppers.

The record of equations is evaluated by SymEngine's own compiled lambdas. Smooth motions are integrated by SciPy's
DOP853 near rounding, and without constraints by mpmath's Taylor series. Motions with contacts and frictions take
Moreau's steps with the reference's solver of contact problems: from t to t + h

    q_m = q + h/2 v,   M(q_m)(v⁺ − v) = h d(q_m, v_m) + Aᵀ p,   q⁺ = q + h (v + v⁺)/2,   v_m = (v + v⁺)/2

with impulses p: bilateral rows keep ψ(q_m, v_m) = 0, contacts with gap(q_m) ≤ 0 obey 0 ≤ p ⊥ ġ⁺ + e ġ⁻ ≥ 0, frictions
stick or slip by their speed after the step. Events need not be located, so none can be missed. A step in
which a contact or a friction changes its state is halved a few times, since its error falls with h. Halved steps
throughout tell the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import symengine
import sympy
from scipy.integrate import solve_ivp

from dalembert.formalisms import derive
from dalembert.model.record import ModelRecord
from dalembert.model.values import initial_values
from reference.cones import Friction, Problem, violation
from reference.states import _equations, convex, convex_state, fixed_point, solve, states

HALVED = 7  # times, a step in which a state changes
EARLY = 10.0  # a contact counts as closed at gap ≤ EARLY·h²: the way that gravity moves in a step


class Functions:
    """D, d, A, ψ, φ of a model, and of its contacts, as functions of (t, q, v)."""

    def __init__(self, model: ModelRecord):
        self.eq = eq = derive(model, "chetaev", numeric=True)
        self.n = len(eq.q)
        self.u = u = eq.unilateral
        more: dict[str, Any] = {"UA": (), "Upsi": (), "gap": (), "mu": (), "static": (), "N": (), "e": (), "Ub": ()}
        if u is not None:
            more = {
                "UA": [entry for row in u.A for entry in row],
                "Upsi": u.psi,
                "Ub": u.b,
                "gap": u.phi,
                "mu": [f.coefficient for f in u.frictions],
                "static": [f.static for f in u.frictions],
                "N": [0 if f.normal is None else f.normal for f in u.frictions],
                "e": [c.restitution for c in u.contacts],
            }
        parts: dict[str, Any] = {
            "D": [entry for row in eq.D for entry in row],
            "d": eq.d,
            "A": [entry for row in eq.A for entry in row],
            "b": eq.b,
            "psi": eq.psi,
            "phi": eq.phi,
            "phi_q": [entry for row in eq.phi_q for entry in row],
            **more,
        }
        self.places, everything = {}, []
        for name, expressions in parts.items():
            self.places[name] = slice(len(everything), len(everything) + len(expressions))
            everything += list(expressions)
        if eq.parameters or eq.z:
            raise AssertionError("the record holds more than t, q and v")
        self.call = symengine.Lambdify([eq.t, *eq.q, *eq.v], everything, cse=True)

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> dict[str, np.ndarray]:
        out = np.asarray(self.call(np.concatenate([[t], q, v])), dtype=float)
        values = {name: out[place] for name, place in self.places.items()}
        for name in ("D", "A", "UA", "phi_q"):
            values[name] = values[name].reshape(-1, self.n)
        return values


def start(model: ModelRecord) -> tuple[float, np.ndarray, np.ndarray]:
    """The initial state of a model, which must satisfy its constraints."""
    values = initial_values(model)
    q = np.array([values.coordinates[name] for name in model.coordinates])
    v = np.array([values.speeds[name] or 0.0 for name in model.coordinates])
    return float(model.simulation.start), q, v


@dataclass(frozen=True)
class Reference:
    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    error: np.ndarray  # of every coordinate: the change by finer steps or a tighter tolerance


def smooth(model: ModelRecord, times: Sequence[float], tolerance: float = 1e-12) -> Reference:
    """A motion without contacts: accelerations of least norm in D, without projection."""
    functions = Functions(model)
    t0, q0, v0 = start(model)
    n = functions.n

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[n:], accelerations(functions, t, y[:n], y[n:])])

    scale = float(np.abs(np.concatenate([q0, v0])).max(initial=0.0)) or 1.0
    runs = []
    for used in (tolerance, 100 * tolerance):
        out = solve_ivp(
            slope, (t0, times[-1]), np.concatenate([q0, v0]), "DOP853", times, rtol=used, atol=used * 1e-3 * scale
        )
        assert out.success, out.message
        runs.append(out.y.T)
    return Reference(np.asarray(times), runs[0][:, :n], runs[0][:, n:], np.abs(runs[0] - runs[1])[:, :n].max(axis=0))


def taylor(model: ModelRecord, times: Sequence[float], digits: int = 25) -> np.ndarray:
    """A motion without constraints by mpmath's Taylor series: coordinates over the times, right to all of a double."""
    eq = derive(model, "chetaev", numeric=True)
    assert not eq.A
    assert eq.unilateral is None
    n = len(eq.q)
    entries = [sympy.sympify(entry) for entry in (*(e for row in eq.D for e in row), *eq.d)]
    names = [sympy.sympify(symbol) for symbol in (eq.t, *eq.q, *eq.v)]
    plain = sympy.symbols(f"x0:{len(names)}")
    call = sympy.lambdify(plain, [e.xreplace(dict(zip(names, plain, strict=True))) for e in entries], "mpmath")
    t0, q0, v0 = start(model)
    with mpmath.workdps(digits):

        def slope(t: Any, y: list[Any]) -> list[Any]:
            out = call(t, *y)
            D = mpmath.matrix([out[n * i : n * i + n] for i in range(n)])
            return [*y[n:], *mpmath.lu_solve(D, mpmath.matrix(out[n * n :]))]

        motion = mpmath.odefun(slope, t0, [mpmath.mpf(float(x)) for x in (*q0, *v0)])
        return np.array([[float(x) for x in motion(t)[:n]] for t in times])


def accelerations(functions: Functions, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """a with D a = d + Aᵀν, A a = b."""
    now = functions(t, q, v)
    return kept(now["D"], now["A"])(now["d"], now["b"])


def kept(D: np.ndarray, A: np.ndarray) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """(f, b) ↦ x with D x = f + Aᵀν and A x = b: a particular x, and the rest in the null space of A."""
    U, values, V = np.linalg.svd(A) if len(A) else (np.eye(0), np.zeros(0), np.eye(D.shape[1]))
    rank = int((values > 1e-9 * values[0]).sum()) if len(values) else 0
    Z = V[rank:].T
    inverse = np.linalg.pinv(Z.T @ D @ Z, rcond=1e-13) if Z.shape[1] else np.zeros((0, 0))

    def solved(f: np.ndarray, b: np.ndarray) -> np.ndarray:
        x = V[:rank].T @ ((U[:, :rank].T @ b).T / values[:rank]).T
        return x + Z @ (inverse @ (Z.T @ (f - D @ x)))

    return solved


def stepped(model: ModelRecord, times: Sequence[float], step: float) -> Reference:
    """A motion with contacts and frictions, by steps, halves and quarters of them, extrapolated to step zero.

    If impacts rebound, the error does not fall smoothly. Then the result of the finest steps counts, and its error is
    the full change.
    """
    runs = [np.hstack(Stepping(model).run(times, step / 2**k)) for k in range(3)]
    n = runs[0].shape[1] // 2
    changes = [np.abs(b - a)[:, :n].max(axis=0) for a, b in pairwise(runs)]
    u = derive(model, "chetaev", numeric=True).unilateral
    if u is not None and any(c.restitution != 0 for c in u.contacts):
        return Reference(np.asarray(times), runs[2][:, :n], runs[2][:, n:], np.maximum(*changes))
    first, last = 2 * runs[1] - runs[0], 2 * runs[2] - runs[1]
    error = np.maximum(np.abs(first - last)[:, :n].max(axis=0), 0.1 * changes[1])
    return Reference(np.asarray(times), last[:, :n], last[:, n:], error)


def rounded(model: ModelRecord, times: Sequence[float], least: float = 2.5e-7) -> Reference:
    """A motion with frictions whose pressing forces are given: the limit ε → 0 of the forces −μ N c/√(|c|² + ε²).

    SciPy's Radau follows the stiff motions of ε, 4ε and 16ε. Their errors are in proportion to ε, which removes them.
    """
    functions = Functions(model)
    t0, q0, v0 = start(model)
    n, u = functions.n, functions.u
    assert u is not None
    assert not u.contacts
    assert all(f.normal is not None and f.static == f.coefficient for f in u.frictions)
    speed = float(np.abs(v0).max(initial=0.0)) or 1.0

    def slope(t: float, y: np.ndarray, small: float) -> np.ndarray:
        now = functions(t, y[:n], y[n:])
        force = now["d"].copy()
        for j, friction in enumerate(u.frictions):
            rows = list(friction.slips)
            slip = now["Upsi"][rows]
            force -= now["mu"][j] * max(now["N"][j], 0.0) * now["UA"][rows].T @ slip / np.sqrt(slip @ slip + small**2)
        return np.concatenate([y[n:], kept(now["D"], now["A"])(force, now["b"])])

    runs = []
    for small in (16 * least * speed, 4 * least * speed, least * speed):
        with np.errstate(over="ignore"):  # in SciPy's choice of a difference for coordinates that no force depends on
            out = solve_ivp(
                slope, (t0, times[-1]), np.concatenate([q0, v0]), "Radau", times, rtol=1e-9, atol=1e-11, args=(small,)
            )
        assert out.success, out.message
        runs.append(out.y.T)
    first, last = ((4 * b - a) / 3 for a, b in pairwise(runs))
    error = np.abs(last - first)[:, :n].max(axis=0) + 1e-8 * np.abs(last[:, :n]).max()
    return Reference(np.asarray(times), last[:, :n], last[:, n:], error)


class Stepping:
    def __init__(self, model: ModelRecord):
        self.functions = Functions(model)
        self.t0, self.q0, self.v0 = start(model)
        self.last: tuple[Any, ...] | None = None
        self.mode: tuple[Any, ...] = ()  # of the last step: which contacts were closed, which pressed, what slipped
        self.slips: list[np.ndarray] = []  # directions, where something slipped
        self.late = False  # a gap without contact fell below zero within the last step
        self.solved = {"last": 0, "convex": 0, "search": 0}

    def run(self, times: Sequence[float], step: float) -> tuple[np.ndarray, np.ndarray]:
        t, q, v = self.t0, self.q0, self.v0
        qs, vs = [], []
        for time in times:
            count = max(1, round((time - t) / step)) if time > t else 0
            h = (time - t) / count if count else 0.0
            for _ in range(count):
                q, v = self.advance(t, q, v, h, HALVED)
                t += h
            t = time
            qs.append(q)
            vs.append(v)
        return np.array(qs), np.array(vs)

    def advance(self, t: float, q: np.ndarray, v: np.ndarray, h: float, halvings: int) -> tuple[np.ndarray, np.ndarray]:
        """A step, or two halves of it where a state changes."""
        last, mode, slips = self.last, self.mode, self.slips
        self.late = False
        after = self.step(t, q, v, h)
        turned = any(float(a @ b) < 0.5 for a, b in zip(slips, self.slips, strict=False))
        if halvings == 0 or not (self.late or turned or self.mode != mode):
            return after
        self.last, self.mode, self.slips = last, mode, slips
        q, v = self.advance(t, q, v, 0.5 * h, halvings - 1)
        return self.advance(t + 0.5 * h, q, v, 0.5 * h, halvings - 1)

    def step(self, t: float, q: np.ndarray, v: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
        middle = q + 0.5 * h * v
        after = v
        closed = None
        for _ in range(2):
            now = self.functions(t + 0.5 * h, middle, 0.5 * (v + after))
            if closed is None:
                closed = [i for i, gap in enumerate(now["gap"]) if gap <= EARLY * h * h]
            after = self.impulse(now, v, 0.5 * (v + after), h, closed)
            middle = q + 0.25 * h * (v + after)
        q = q + 0.5 * h * (v + after)
        gaps = self.functions(t + h, q, after)["gap"]
        self.late = self.late or any(gap < 0.0 for i, gap in enumerate(gaps) if i not in closed)
        q = self.projected(t + h, q, after)
        now = self.functions(t + h, q, after)
        if len(now["psi"]):
            after = kept(now["D"], now["A"])(now["D"] @ after, now["A"] @ after - now["psi"])
        return q, after

    def projected(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """q with φ = 0 and no gap below zero, by the smallest change in D. An impact inside a step needs this."""
        for _ in range(3):
            now = self.functions(t, q, v)
            deep = [i for i, gap in enumerate(now["gap"]) if gap < 0.0]
            missing = np.concatenate([now["phi"], now["gap"][deep]])
            if len(missing) == 0 or np.abs(missing).max() < 1e-14:
                break
            J = np.vstack([now["phi_q"], now["UA"][deep]])
            weighted = np.linalg.lstsq(now["D"], J.T, rcond=1e-13)[0]
            q = q - weighted @ np.linalg.lstsq(J @ weighted, missing, rcond=1e-12)[0]
        return q

    def impulse(self, now: dict[str, Any], v: np.ndarray, at: np.ndarray, h: float, closed: list[int]) -> np.ndarray:
        """v⁺. Rows are affine in the speeds: ψ(v) = ψ(v_m) + A (v − v_m); the constraints' are zero at the middle."""
        u = self.functions.u
        D, A = now["D"], now["A"]
        rows: list[int] = []
        frictions: list[Friction] = []
        if u is not None:
            rows = [u.contacts[i].gap for i in closed]
            for j, law in enumerate(u.frictions):
                if law.contact is not None and law.contact not in closed:
                    continue
                if law.held or law.constraint is not None:
                    raise AssertionError("held rows and pressing constraints have no reference here")
                places = tuple(range(len(rows), len(rows) + len(law.slips)))
                press = () if law.contact is None else ((closed.index(law.contact), 1.0),)
                mu = np.inf if law.rough else float(now["mu"][j])
                frictions.append(Friction(places, mu, normal=float(h * now["N"][j]), press=press))
                rows += law.slips
        B = now["UA"][rows]
        solved = kept(D, A)
        free = solved(D @ v + h * now["d"], 2.0 * (A @ at - now["psi"]) - A @ v)
        answers = solved(B.T, np.zeros((len(A), len(rows))))
        self.mode, self.slips = tuple(closed), []
        if not rows:
            return free
        W = B @ answers
        w0 = B @ (free - at) + now["Upsi"][rows]
        for k, i in enumerate(closed):  # ġ⁺ + e ġ⁻
            before = now["Upsi"][rows[k]] + B[k] @ (v - at)
            w0[k] += float(now["e"][i]) * min(0.0, float(before))
        p = self.forces(Problem(0.5 * (W + W.T), w0, len(closed), tuple(frictions)), tuple(closed))
        assert self.last is not None
        self.mode = (tuple(closed), tuple(self.last[2]), tuple(self.last[3]))
        w = w0 + W @ p
        for slips, friction in zip(self.last[3], frictions, strict=True):
            slip = w[list(friction.rows)]
            self.slips += [slip / np.linalg.norm(slip)] if slips and np.any(slip) else []
        return free + answers @ p

    def forces(self, problem: Problem, closed: tuple[int, ...]) -> np.ndarray:
        """The state of the last step if it still fits; otherwise a search finds one."""
        scaled, force, _ = problem.scaled()
        if self.last is not None and self.last[0] == closed:
            f = self.again(scaled, self.last[1] / force)
            if f is not None:
                self.solved["last"] += 1
                self.last = (closed, f * force, *self.last[2:])
                return f * force
        if convex(scaled):
            self.solved["convex"] += 1
            f = convex_state(scaled)
        else:
            self.solved["search"] += 1
            found = fixed_point(scaled)
            if found is None:
                answer = solve(scaled)
                if not answer.solutions:
                    raise AssertionError("no state of the contacts exists" if answer.complete else "none was found")
                found = answer.solutions[0].forces
            f = found
        contacts, frictions = states(scaled, f)
        self.last = (closed, f * force, list(contacts), [s == "slip" for s in frictions])
        return f * force

    def again(self, problem: Problem, f: np.ndarray) -> np.ndarray | None:
        assert self.last is not None
        _, _, contacts, slipping = self.last
        for _ in range(8):
            w = problem.response(f)
            for j, friction in enumerate(problem.frictions):
                if slipping[j] and np.linalg.norm(w[list(friction.rows)]) < 1e-12:
                    return None
            value, J = _equations(problem, f, contacts, slipping)
            step = np.linalg.lstsq(J, -value, rcond=1e-11)[0]
            f = f + step
            if np.abs(step).max(initial=0.0) < 1e-13:
                break
        return f if violation(problem, f) < 1e-9 else None
