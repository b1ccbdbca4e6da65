"""Equations to audit: right ones pass; in wrong ones the term is named."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import dalembert as da
from dalembert.errors import ModelError

RIGHT = [
    "appell-hamel", "ball-in-cylinder", "ball-on-turntable", "car-axis", "chaplygin-ball", "chaplygin-sleigh",
    "constant-speed", "differential-drive", "double-pendulum", "double-pendulum-cartesian", "euler-top", "eulers-disk",
    "falling-chain", "flyball-governor", "heisenberg", "knife-edge", "leaking-oscillator", "long-1", "long-2",
    "mecanum", "nonholonomic-particle", "qiao-sleigh", "raindrop", "relativistic-particle", "rocket",
    "rocket-with-slosh", "roller-racer", "rolling-disk", "rolling-torus", "simple-pendulum",
    "simple-pendulum-cartesian", "snakeboard", "sun-1", "sun-2", "sun-3", "trailer", "vertical-rolling-disk",
    "wang-gao-particle", "whipple-bicycle", "yoyo-despin",
]  # fmt: skip


def told(name: str) -> dict:
    return da.gallery(name).derive("chetaev").to_dict()


@pytest.mark.parametrize("name", RIGHT)
def test_right_equations(name):
    """As text, with the model's own names of multipliers."""
    model, equations = da.gallery(name), told(name)["equations"]
    found = model.audit(equations)
    assert found.agrees, str(found)


@pytest.mark.parametrize("name", ["double-pendulum", "chaplygin-sleigh", "rolling-disk", "car-axis", "snakeboard"])
def test_right_objects(name):
    """SymPy's objects and their texts, with multipliers of other names, signs and scales, and equations mixed."""
    model = da.gallery(name)
    there = model.derive("chetaev").to_sympy()
    assert model.audit(there).agrees
    assert model.audit(str(there.equations.tolist())).agrees
    assert model.audit(sympy.srepr(there.equations)).agrees
    own = sympy.symbols(f"lam1:{len(there.multipliers) + 1}")
    other = there.equations.subs({old: -2 * new for old, new in zip(there.multipliers, own, strict=True)})
    mixed = sympy.Matrix([3 * other[0], *(other[i] - other[0] for i in range(1, len(other)))])
    assert model.audit(mixed).agrees


RIGHT_BY_HAND = {
    "simple-pendulum": ["theta'' = -g/l*sin(theta)"],
    "chaplygin-sleigh": [  # without multipliers: in the directions that the blade leaves
        "m*(x''*cos(theta) + y''*sin(theta)) - m*a*theta'^2 = 0",
        "(J + a^2*m)*theta'' + m*a*(y''*cos(theta) - x''*sin(theta)) = 0",
    ],
    "vertical-rolling-disk": ["(I + m*R^2)*theta'' = 0", "J*phi'' = 0"],
    "knife-edge": None,
}


@pytest.mark.parametrize("name", [name for name, equations in RIGHT_BY_HAND.items() if equations])
def test_right_by_hand(name):
    assert da.gallery(name).audit(RIGHT_BY_HAND[name]).agrees


def test_methods_of_sympy():
    """A LagrangesMethod with its multipliers, and a KanesMethod with speeds of its own."""
    from sympy.physics.mechanics import KanesMethod, LagrangesMethod, Particle, Point, ReferenceFrame, dynamicsymbols

    m, g, l, t = sympy.symbols("m g l t")
    theta, u = dynamicsymbols("theta u")
    model = da.gallery("simple-pendulum")
    L = m * l**2 * theta.diff(t) ** 2 / 2 + m * g * l * sympy.cos(theta)
    lagrange = LagrangesMethod(L, [theta])
    lagrange.form_lagranges_equations()
    assert model.audit(lagrange).agrees
    N = ReferenceFrame("N")
    O, P = Point("O"), Point("P")
    B = N.orientnew("B", "Axis", [theta, N.z])
    O.set_vel(N, 0)
    B.set_ang_vel(N, u * N.z)
    P.set_pos(O, l * B.x)
    P.v2pt_theory(O, N, B)
    for scale, right in ((1, True), (2, False)):
        kane = KanesMethod(N, [theta], [u], [u - theta.diff(t)])
        kane.kanes_equations([Particle("bob", P, m)], [(P, scale * m * g * N.x)])
        assert model.audit(kane).agrees is right


def scripts() -> str:
    return """
from sympy import symbols, sin, cos, Eq
from sympy.physics.mechanics import dynamicsymbols
m, g, l = symbols("m g l")
theta = dynamicsymbols("theta")
t = symbols("t")
inertia = m*l**2*theta.diff(t, 2)
equations = [Eq(inertia, -g*l*m*sin(theta))]
"""


def test_a_script_is_read_and_not_run(tmp_path):
    (tmp_path / "pendulum.py").write_text(scripts())
    assert da.gallery("simple-pendulum").audit(tmp_path / "pendulum.py").agrees
    (tmp_path / "evil.py").write_text("__import__('os').system('touch ' + 'evil')")
    with pytest.raises(ModelError, match="line 1 of the equations"):
        da.gallery("simple-pendulum").audit(tmp_path / "evil.py")
    (tmp_path / "loop.py").write_text("for i in range(3):\n    print(i)")
    with pytest.raises(ModelError, match="is not an equation"):
        da.gallery("simple-pendulum").audit(tmp_path / "loop.py")


C_OF_A_SLEIGH = """
#include <math.h>
/* accelerations of the sleigh, with a force of the blade that keeps y' cos(theta) = x' sin(theta) */
void slopes(double t, const double *q, const double *v, const double *p, double *a) {
  const double s = sin(q[plant_q_theta]), c = cos(q[2]);
  double along = v[0]*c + v[1]*s;
  double w = v[2]; // about the blade
  (void)t;
  a[2] = -m*p[plant_p_a]*along*w/(J + m*pow(p[plant_p_a], 2.0));
  double forward = A_SIGN a_*w*w;
  a[0] = forward*c;
  a[0] -= along*s*w;
  a[1] = forward*s + along*c*w;
}
"""


def test_a_function_of_c(tmp_path):
    """A C function is parsed: a right one passes, a wrong sign is found, an unreadable one gets a sentence."""
    model, path = da.gallery("chaplygin-sleigh"), tmp_path / "sleigh.c"
    text = C_OF_A_SLEIGH.replace("a_*w", "p[plant_p_a]*w")
    path.write_text(text.replace("A_SIGN", ""))
    assert model.audit(f"{path}:slopes").agrees
    path.write_text(text.replace("A_SIGN", "-"))
    assert not model.audit(f"{path}:slopes").agrees
    with pytest.raises(ModelError, match="has no function"):
        model.audit(f"{path}:other")
    path.write_text("void f(double *a) { if (a[0] > 0) { a[0] = 1; } }")
    with pytest.raises(ModelError, match="branches or loops"):
        model.audit(f"{path}:f")
    path.write_text("double f(double theta) { double theta_ddot; theta_ddot = -9.81*system(theta)*(1/2); return; }")
    with pytest.raises(ModelError, match="cannot be read"):
        da.gallery("simple-pendulum").audit(f"{path}:f")
    path.write_text("void f(void) { double theta_ddot; theta_ddot = -g/l*sin(theta); }")
    assert da.gallery("simple-pendulum").audit(f"{path}:f").agrees


# Fifty errors: entries of D, A and d of the derived equations are changed one by one.

FACTORS = {"sign": -2, "missing": -1, "twice": 1}
WHY = {"sign": "the sign is opposite", "missing": "the term is missing", "twice": "it is 2 times the model's"}


def seeded() -> list[tuple[str, int, str, str, str]]:
    """Model, equation, term that is added, and the monomial and the sentence that must be named."""
    models = ["chaplygin-sleigh", "double-pendulum", "nonholonomic-particle", "simple-pendulum-cartesian",
              "roller-racer", "flyball-governor", "sun-1", "snakeboard"]  # fmt: skip
    cases = []
    kinds = list(FACTORS)
    for name in models:
        eq = told(name)
        q, n = eq["coordinates"], len(eq["coordinates"])
        for j in range(n):
            for k in range(n):
                if eq["D"][j][k] != "0" and not eq["equations"][j].endswith("= 0"):
                    kind = kinds[len(cases) % 3]
                    term = f"({FACTORS[kind]})*({eq['D'][j][k]})*{q[k]}''"
                    cases.append((name, j, term, f"{q[k]}''", WHY[kind]))
        multipliers = eq["unknowns"]["multipliers"]
        for r, row in enumerate(eq["A"]):
            for j, entry in enumerate(row):
                if entry != "0" and sum(e != "0" for e in row) > 2:
                    kind = kinds[len(cases) % 3]
                    term = f"({-FACTORS[kind]})*({entry})*{multipliers[r]}"
                    cases.append((name, j, term, multipliers[r], WHY[kind]))
    return cases


OTHERS = [  # model, equation, text in it, its replacement, the term, and the sentence
    ("chaplygin-sleigh", 0, "a*m*cos(theta)*theta'^2", "-a*m*cos(theta)*theta'^2", "theta'^2", "the sign is opposite"),
    ("chaplygin-sleigh", 1, "a*m*sin(theta)*theta'^2", "0", "theta'^2", "the term is missing"),
    ("chaplygin-sleigh", 1, "a*m*sin(theta)*theta'^2", "a*m*cos(theta)*theta'^2", "theta'^2", "the factor is another"),
    ("chaplygin-sleigh", 2, "J + a^2*m", "J", "theta''", "the factor is another"),
    ("simple-pendulum", 0, "sin(theta)", "cos(theta)", "1", "the factor is another"),
    ("simple-pendulum", 0, "-g*l*m*sin(theta)", "-g*l*m*sin(theta) - 0.1*theta'", "theta'", "does not belong"),
    ("simple-pendulum", 0, "-g*l*m*sin(theta)", "g*l*m*sin(theta)", "1", "the sign is opposite"),
]


def accused(model, equations, equation, term, why):
    found = model.audit(equations)
    assert not found.agrees
    assert [(one.equation, one.term) for one in found.partings] == [(equation + 1, term)], str(found)
    assert why in found.partings[0].why
    assert found.residual > 1e-8 or "other reactions" in found.verdict


@pytest.mark.parametrize("name", sorted({case[0] for case in seeded()}))
def test_seeded_errors(name):
    cases = [case for case in seeded() if case[0] == name]
    equations = told(name)["equations"]
    n = len(told(name)["coordinates"])
    for _, j, term, monomial, why in cases:
        left, right = equations[j].split("=")
        wrong = [*equations[:j], f"{left} + ({term}) = {right}", *equations[j + 1 : n]]
        accused(da.gallery(name), wrong, j, monomial, why)


@pytest.mark.parametrize(("name", "j", "old", "new", "term", "why"), OTHERS)
def test_other_errors(name, j, old, new, term, why):
    equations = told(name)["equations"][: len(told(name)["coordinates"])]
    assert old in equations[j]
    accused(da.gallery(name), [*equations[:j], equations[j].replace(old, new), *equations[j + 1 :]], j, term, why)


@pytest.mark.parametrize(
    "name", ["appell-hamel", "eulers-disk", "mecanum", "rocket-with-slosh", "rolling-ellipsoid", "whipple-bicycle"]
)
def test_errors_where_terms_are_awkward(name):
    """Reactions without a value at rest, roots with two sides, data, and equations of 140,000 letters."""
    eq = told(name)
    last = len(eq["coordinates"]) - 1
    q, equations = eq["coordinates"][last], list(eq["equations"])
    equations[last] = f"0.37*{q}'' + {equations[last]}"
    found = da.gallery(name).audit(equations)
    assert [(one.equation, one.term) for one in found.partings] == [(last + 1, f"{q}''")], str(found)


def test_number_of_errors():
    assert len(seeded()) + len(OTHERS) >= 50


@pytest.mark.parametrize(("name", "j"), [("double-pendulum", 0), ("double-pendulum", 1), ("flyball-governor", 0)])
def test_a_lost_derivative_of_the_kinetic_energy(name, j):
    """d/dt ∂T/∂q̇ = Q, without −∂T/∂q."""
    model = da.gallery(name)
    there = model.derive("chetaev").to_sympy()
    wrong = there.equations.copy()
    wrong[j] += there.kinetic.diff(there.q[j])
    found = model.audit(wrong)
    assert not found.agrees
    assert f"lacks is the term ∂T/∂{model.derive('chetaev').to_dict()['coordinates'][j]}" in found.mistake


def test_mass_derivative():
    """d(m v)/dt = F is not the law of a body that loses mass at its own velocity."""
    model = da.gallery("leaking-oscillator")
    (equation,) = told("leaking-oscillator")["equations"]
    there = model.derive("chetaev").to_sympy()
    q = there.q[0]
    t = sympy.Symbol("t")
    wrong = there.equations[0] + there.kinetic.diff(q.diff(t)).diff(t) - there.kinetic.diff(q.diff(t), 2) * q.diff(t, 2)
    found = model.audit([str(wrong)])
    assert not found.agrees
    assert [one.term for one in found.partings] == [f"{q.func}'"] and "does not belong" in found.partings[0].why
    assert model.audit([equation]).agrees


def test_constraints_inserted_too_early():
    """Chaplygin's sleigh: the constraint is inserted for y' before T is differentiated, the classic mistake."""
    model = da.gallery("chaplygin-sleigh")
    there = model.derive("chetaev").to_sympy()
    t = sympy.Symbol("t")
    x, y, theta = there.q
    T = there.kinetic.subs(y.diff(t), x.diff(t) * sympy.tan(theta))
    wrong = [T.diff(c.diff(t)).diff(t) - T.diff(c) for c in (x, theta)]
    found = model.audit(wrong)
    assert not found.agrees
    assert "inserted into the kinetic energy before it is differentiated" in found.mistake


def test_incomplete():
    model = da.gallery("double-pendulum")
    found = model.audit(told("double-pendulum")["equations"][:1])
    assert not found.agrees and "do not determine" in found.verdict and not found.partings


@pytest.mark.parametrize(
    ("name", "equations", "sentence"),
    [
        ("simple-pendulum", [], "there are no equations"),
        ("simple-pendulum", ["theta'' = 0", "m*thets'' = 0"], r"\[equations\] 2: the name 'thets'"),
        ("simple-pendulum", ["m*theta'' = ="], "="),
        ("bouncing-ball", ["z'' = -9.81"], "contacts or frictions"),
        ("simple-pendulum", object(), "equations are text, a file, SymPy's expressions"),
    ],
)
def test_refusals(name, equations, sentence):
    with pytest.raises(ModelError, match=sentence):
        da.gallery(name).audit(equations)


def test_names_of_their_own():
    """A new name on the left is a definition; several lines make one text."""
    text = "w2 = g/l   # the square of the frequency\ntheta'' = -w2*sin(theta)"
    assert da.gallery("simple-pendulum").audit(text).agrees


def test_answer():
    found = da.gallery("simple-pendulum").audit("theta'' = g/l*sin(theta)")
    assert "the sign is opposite" in str(found)
    answer = found.to_dict()
    assert answer["agrees"] is False and answer["partings"][0]["term"] == "1"
    assert np.isfinite(list(answer["state"].values())).all()
