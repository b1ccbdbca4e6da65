"""Particles under linear constraints, against SymPy's own Kane's method."""

import numpy as np
import pytest

from dalembert.mechanics.system import System
from dalembert.motions.accelerations import solve_accelerations
from random_systems import case

sympy = pytest.importorskip("sympy")


@pytest.mark.parametrize("seed", [601, 603, 604])
def test_kanes_method(seed):
    from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame, dynamicsymbols

    wanted = {"bodies": True, "rigid": False, "varying": False, "linear": True, "holonomic": False, "nonlinear": False}
    drawn = case(seed, **wanted, redundant=False, rheonomic=True, loads=False, massless=False)
    found = solve_accelerations(*drawn.compiled("partial-acceleration"))
    model = System(drawn.model, numeric=True)
    motion, n = model.motion, model.size
    frame, t = ReferenceFrame("N"), dynamicsymbols._t
    q, u = dynamicsymbols(f"q0:{n}"), dynamicsymbols(f"u0:{n}")
    names = {**dict(zip(motion.q, q, strict=True)), **dict(zip(motion.v, u, strict=True)), motion.t: t}

    def told(e):
        return sympy.sympify(e).xreplace({sympy.Symbol(str(k)): v for k, v in names.items()})

    rates = dict(zip([x.diff(t) for x in q], u, strict=True))
    axes, particles, loads = (frame.x, frame.y, frame.z), [], []
    for body in model.bodies.values():
        point = Point(body.name)
        velocity = [told(c).diff(t).subs(rates) for c in body.centre.position]
        point.set_vel(frame, sum((c * e for c, e in zip(velocity, axes, strict=True)), 0 * frame.x))
        particles.append(Particle(body.name, point, told(body.mass)))
        weight = [float(g) * told(body.mass) for g in model.lowering.vector(drawn.model.gravity)]
        loads.append((point, sum((c * e for c, e in zip(weight, axes, strict=True)), 0 * frame.x)))
    state = [*zip(q, drawn.q, strict=True), *zip(u, drawn.v, strict=True), (t, drawn.t)]
    row = np.array([float(told(e).subs(state)) for e in model.constraints.A[0]])
    last = int(np.abs(row).argmax())
    order = [*(j for j in range(n) if j != last), last]  # SymPy's: independent speeds, then the dependent one
    method = KanesMethod(
        frame, q, [u[j] for j in order[:-1]], [x.diff(t) - s for x, s in zip(q, u, strict=True)],
        u_dependent=[u[last]], velocity_constraints=[told(model.constraints.psi[0])],
    )  # fmt: skip
    method.kanes_equations(particles, loads)
    M = np.array(method.mass_matrix.subs(rates).subs(state).evalf(), float)
    f = np.array(method.forcing.subs(rates).subs(state).evalf(), float).ravel()
    # SymPy has no energies without bodies: they are added here, combined by the constraint like SymPy's rows
    extra_M, extra_h = energy_rows(model, drawn)
    C = np.vstack([np.eye(n - 1), -row[order[:-1]] / row[last]])
    M[: n - 1] += C.T @ extra_M[np.ix_(order, order)]
    f[: n - 1] += C.T @ extra_h[order]
    np.testing.assert_allclose(np.linalg.solve(M, f), found.a[order], atol=1e-9 * (1 + np.abs(found.a).max()))


def energy_rows(model, drawn):
    """M and Q − h of the energy that no body carries."""
    import symengine as se

    motion = model.motion
    T = model.given_kinetic
    p = [T.diff(v) for v in motion.v]
    M = [e.diff(v) for e in p for v in motion.v]
    right = [f - motion.derivative(e) + T.diff(q) for f, e, q in zip(model.fields, p, motion.q, strict=True)]
    values = se.Lambdify([motion.t, *motion.q, *motion.v], [*M, *right], backend="lambda")
    flat = np.array(values([drawn.t, *drawn.q, *drawn.v]))
    n = model.size
    return flat[: n * n].reshape(n, n), flat[n * n :]
