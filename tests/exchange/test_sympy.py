"""SymPy's KanesMethod, LagrangesMethod and System objects: their accelerations are those of the models made of them."""

from __future__ import annotations

import pytest
import sympy as sm
import sympy.physics.mechanics as me

import dalembert as da
from dalembert.errors import ModelError
from dalembert.formalisms import CHETAEV
from dalembert.model.read import read_text
from dalembert.model.write import write_text

m, g, l, r, k = sm.symbols("m g l r k")
NUMBERS = {m: 1.3, g: 9.81, l: 0.7, r: 0.4, k: 2.5}


def same(model, expected):
    for method in CHETAEV:
        found = model.solve(method).accelerations
        assert [found[name] for name in expected] == pytest.approx([*expected.values()], rel=1e-10, abs=1e-10), method


def lagrange(constrained=False):
    x, theta = me.dynamicsymbols("x theta")
    N = me.ReferenceFrame("N")
    tip = me.Point("tip")
    tip.set_vel(N, x.diff() * N.x + l * theta.diff() * (sm.cos(theta) * N.x + sm.sin(theta) * N.y))
    T = m * x.diff() ** 2 + m * tip.vel(N).dot(tip.vel(N)) / 2
    L = me.Lagrangian(N, me.Particle("cart", tip, 0)) + T + m * g * l * sm.cos(theta) - k * x**2 / 2
    words = {"nonhol_coneqs": [x.diff() - r * theta.diff()]} if constrained else {}
    loads = [(tip, -k * tip.vel(N) + 3 * N.x)]
    method = me.LagrangesMethod(L, [x, theta], forcelist=loads, frame=N, **words)
    method.form_lagranges_equations()
    return method, (x, theta)


@pytest.mark.parametrize("constrained", [False, True])
def test_lagranges_method(constrained):
    method, (x, theta) = lagrange(constrained)
    speed = {"x'": 0.4 * 1.5, "theta'": 1.5}
    state = {x: 0.2, theta: 0.6}
    used = {s: value for s, value in NUMBERS.items() if constrained or s != r}
    model = da.from_sympy(method, used | state | speed, "cart")
    at = {x.diff(): 0.4 * 1.5, theta.diff(): 1.5} | state | NUMBERS
    full = method.mass_matrix_full.subs(at), method.forcing_full.subs(at)
    solved = [float(e) for e in full[0].LUsolve(full[1])]
    same(model, {"x": solved[2], "theta": solved[3]})
    assert read_text(write_text(model.record), "cart") == model.record
    assert model.record.energy.potential is not None and "theta'" not in str(model.record.energy.potential)


def rolling_disc():
    """SymPy's own example: a disc that rolls on a plane, with dependent speeds."""
    q1, q2, q3, q4, q5 = q = me.dynamicsymbols("q1:6")
    u1, u2, u3, u4, u5 = u = me.dynamicsymbols("u1:6")
    N = me.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    lean = Y.orientnew("lean", "Axis", [q2, Y.x])
    R = lean.orientnew("R", "Axis", [q3, lean.y])
    R.set_ang_vel(N, u1 * lean.x + u2 * lean.y + u3 * lean.z)
    centre = me.Point("centre")
    O = me.Point("O")
    O.set_vel(N, 0)
    centre.set_pos(O, q4 * N.x + q5 * N.y + r * sm.cos(q2) * N.z)
    centre.set_vel(N, u4 * N.x + u5 * N.y - r * sm.sin(q2) * u1 * N.z)
    contact = centre.locatenew("contact", -r * lean.z)
    slip = centre.vel(N) + R.ang_vel_in(N).cross(contact.pos_from(centre))
    kinematics = [
        (R.ang_vel_in(N) - _omega(q, Y, lean)).dot(uv) for uv in lean
    ] + [q4.diff() - u4, q5.diff() - u5]  # fmt: skip
    inertia = me.inertia(lean, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4)
    body = me.RigidBody("disc", centre, R, m, (inertia, centre))
    constraints = [slip.dot(N.x), slip.dot(N.y)]
    method = me.KanesMethod(
        N, list(q), [u1, u2, u3], kinematics, u_dependent=[u4, u5], velocity_constraints=constraints
    )
    method.kanes_equations([body], [(centre, -m * g * N.z), (R, -k * R.ang_vel_in(N))])
    return method, q, u


def _omega(q, Y, lean):
    return q[0].diff() * Y.z + q[1].diff() * lean.x + q[2].diff() * lean.y


def test_kanes_method_with_dependent_speeds():
    method, q, u = rolling_disc()
    angles = dict(zip(q, (0.3, 0.4, 0.1, 0.0, 0.0), strict=True))
    rates = {"q1'": 0.7, "q2'": -0.5, "q3'": 3.0}
    numbers = {s: NUMBERS[s] for s in (m, g, r, k)}
    model = da.from_sympy(method, numbers | angles | rates)
    state = model.solve()
    given = {me.dynamicsymbols(name).diff(): value for name, value in state.speeds.items()}
    forward = method.kindiffdict()
    unknown = sm.solve([d - e.subs(angles).subs(numbers) for d, e in forward.items()], list(u), dict=True)[0]
    at = {s: float(e.subs(given)) for s, e in unknown.items()} | angles | numbers
    M, f = method.mass_matrix_full.subs(at), method.forcing_full.subs(at)
    rates_of_all = M.evalf().LUsolve(f.evalf())
    u_rates = dict(zip(list(method.u), rates_of_all[5:], strict=True))
    t = sm.Symbol("t")
    expected = {}
    for qi, name in zip(q, ("q1", "q2", "q3", "q4", "q5"), strict=True):
        second = forward[qi.diff()].diff(t)
        second = second.subs({ui.diff(): rate for ui, rate in u_rates.items()}).subs(given).subs(at)
        expected[name] = float(second)
    same(model, expected)


def test_a_system_with_joints_and_a_torque():
    q1, q2, u1, u2 = me.dynamicsymbols("q1 q2 u1 u2")
    wall, slider = me.RigidBody("wall"), me.RigidBody("slider", mass=m)
    rod = me.RigidBody("rod", mass=2 * m)
    rod.central_inertia = me.inertia(rod.frame, 0, 0, m * l**2 / 12)
    slide = me.PrismaticJoint("slide", wall, slider, q1, u1)
    pin = me.PinJoint(
        "pin", slider, rod, q2, u2, joint_axis=slider.frame.z, child_point=l / 2 * rod.frame.y,
    )  # fmt: skip
    system = me.System.from_newtonian(wall)
    system.add_joints(slide, pin)
    system.apply_uniform_gravity(-g * wall.frame.y)
    system.add_loads(me.Force(slider, -k * q1 * wall.frame.x))
    system.form_eoms()
    values = {q1: 0.3, q2: 0.5, "q1'": 0.2, "q2'": -1.0} | {s: NUMBERS[s] for s in (m, g, l, k)}
    model = da.from_sympy(system, values)
    at = {u1: 0.2, u2: -1.0, q1: 0.3, q2: 0.5} | NUMBERS
    solved = system.mass_matrix_full.subs(at).LUsolve(system.forcing_full.subs(at))
    same(model, {"q1": float(solved[2]), "q2": float(solved[3])})


def test_what_is_missing_or_not_known_is_told():
    method, _ = lagrange()
    with pytest.raises(ModelError, match="the values of g, k, l, m are missing"):
        da.from_sympy(method)
    with pytest.raises(ModelError, match="a value of zeta was given"):
        da.from_sympy(method, dict.fromkeys((m, g, l, k), 1) | {"zeta": 1})
    with pytest.raises(ModelError, match="a int was met"):
        da.from_sympy(3)
    q1, u1 = me.dynamicsymbols("q1 u1")
    N = me.ReferenceFrame("N")
    empty = me.KanesMethod(N, [q1], [u1], [q1.diff() - u1])
    with pytest.raises(ModelError, match="kanes_equations"):
        da.from_sympy(empty)
