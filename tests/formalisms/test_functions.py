"""if, clip, floor, mod, d and gradient against the same systems without them, by every method; and their kinks."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ModelError
from dalembert.expressions.parse import parse
from dalembert.formalisms import derive
from dalembert.model.read import model_of, read_text
from dalembert.model.values import at_start
from dalembert.model.write import write_text
from dalembert.motions.accelerations import solve_accelerations
from dalembert.programs.system import CompiledSystem
from machines import CHETAEV
from random_systems import case

WRAPPED = (  # each equals E at the states of the tests
    "if(q0 < 50 and not q1 > 50, {0}, 7*q0)",
    "if(q0 > 50 or q1 < -50, 3, {0})",
    "if(q0 >= -50, {0}, {0}*q1^2)",
    "clip({0}, -1e6, 1e6)",
    "({0}) + floor(0.5 + 0.001*sin(q0))",
    "({0}) + mod(q1, 100) - q1 - 100*(if(q1 < 0, 1, 0))",
)


def compared(first, second, drawn, backend="llvm"):
    """Accelerations and multipliers of two models at the drawn state, by every method."""
    reference = None
    for model in (second, first):
        for method in CHETAEV if model is first else ["kane"]:
            system = CompiledSystem(derive(model, method, numeric=True), backend)
            found = solve_accelerations(system, system.state(drawn.t, drawn.q, drawn.v))
            values = np.concatenate([found.a, found.multipliers])
            if reference is None:
                reference = values
            scale = 1 + np.abs(reference).max()
            np.testing.assert_allclose(values, reference, rtol=0, atol=1e-10 * scale, err_msg=method)


@pytest.mark.parametrize("form", WRAPPED)
@pytest.mark.parametrize("seed", [3, 11])
def test_what_is_wrapped_stays_what_it_is(form, seed):
    drawn = case(seed, varying=False, bodies=True, potential=True, generalized=True)
    data = dict(drawn.data)
    data["bodies"] = {
        name: body | {"position": [form.format(body["position"][0]), *body["position"][1:]]}
        for name, body in data["bodies"].items()
    }
    data["energy"] = data["energy"] | {"potential": form.format(data["energy"]["potential"])}
    pushes = {q: form.format(push) for q, push in data["forces"]["field"]["generalized"].items()}
    data["forces"] = data["forces"] | {"field": {"generalized": pushes}}
    compared(model_of(data), drawn.model, drawn)


@pytest.mark.parametrize("seed", [2, 5, 9])
def test_a_force_that_is_a_derivative_of_its_potential(seed):
    drawn = case(seed, potential=True)
    data = dict(drawn.data)
    potential = data["energy"]["potential"]
    data["energy"] = {key: value for key, value in data["energy"].items() if key != "potential"}
    data["definitions"] = {"V": potential, "inner": "2*V"}
    names = list(drawn.model.coordinates)
    data["forces"] = data.get("forces", {}) | {"slope": {"generalized": {q: f"-d(inner, {q})/2" for q in names}}}
    compared(model_of(data), drawn.model, drawn)


def particle(force, **more):
    base = {"parameters": {"k": 3, "a": 2}, "coordinates": {"x": 0.3, "y": -0.4, "z": 0.5}}
    base["speeds"] = {"x": 1, "y": 0.5, "z": 2}
    base["bodies"] = {"p": {"mass": 2, "position": ["x", "y", "z"]}}
    base["forces"] = {"f": {"body": "p", "force": force}}
    return model_of(base | more)


def accelerations(model, method="kane"):
    return [*da.Model.of(model).solve(method).accelerations.values()]


def test_a_gradient_is_three_derivatives():
    V = {"definitions": {"V": "k*x^2*y + sin(a*z)*x"}}
    by_hand = ["-2*k*x*y - sin(a*z)", "-k*x^2", "-a*cos(a*z)*x"]
    assert accelerations(particle("-gradient(V)", **V)) == pytest.approx(accelerations(particle(by_hand)), rel=1e-14)


@pytest.mark.parametrize(
    ("derivative", "by_hand"),
    [
        ("d(k*x^2 + a*k, k)", "x^2 + a"),
        ("d(E, k)", "x'^2"),
        ("d(E, x')", "2*k*x'"),
        ("d(sin(a*t)*x, t)", "a*cos(a*t)*x"),
        ("dot(d(x*p, x), world.x)", "2*x"),
        ("d(abs(x)^3, x)", "3*x^2"),
        ("d(floor(3*x)*x, x)", "floor(3*x)"),
    ],
)
def test_derivatives_by_any_name(derivative, by_hand):
    E = {"definitions": {"E": "k*x'^2"}}
    first = particle([derivative, 0, 0], **E)
    assert accelerations(first) == pytest.approx(accelerations(particle([by_hand, 0, 0])), rel=1e-14)


@pytest.mark.parametrize("x", [-2.5, -1.0, 0.0, 0.3, 1.0, 2.0, 7.25])
@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("if(q < 1, 10, 20)", lambda x: 10 if x < 1 else 20),
        ("if(q <= 1, 10, 20)", lambda x: 10 if x <= 1 else 20),
        ("if(q > 1, 10, 20)", lambda x: 10 if x > 1 else 20),
        ("if(q >= 1, 10, 20)", lambda x: 10 if x >= 1 else 20),
        ("if(q > 0 and q < 2, 1, 0)", lambda x: float(0 < x < 2)),
        ("if(q < 0 or q > 2, 1, 0)", lambda x: float(x < 0 or x > 2)),
        ("if(not (q < 0 or q > 2) and not q >= 1, 1, 0)", lambda x: float(0 <= x < 1)),
        ("clip(q, -1, 2)", lambda x: min(max(x, -1), 2)),
        ("floor(q)", np.floor),
        ("mod(q, 2)", lambda x: x % 2),
        ("mod(q, -3)", lambda x: x % -3),
        ("dot(if(q < 1, world.x, [q, 0, 0]), world.x)", lambda x: 1 if x < 1 else x),
    ],
)
def test_values(expression, value, x):
    data = {
        "coordinates": {"q": x},
        "energy": {"kinetic": "q'^2/2"},
        "forces": {"f": {"generalized": {"q": expression}}},
    }
    model = model_of(data)
    assert da.Model.of(model).solve().accelerations["q"] == pytest.approx(float(value(x)), abs=1e-14)
    assert at_start(model).number(parse(expression)) == pytest.approx(float(value(x)), abs=1e-14)


def test_values_at_the_start_of_derivatives():
    at = at_start(particle([0, 0, 0], definitions={"V": "k*x^2*y + sin(a*z)*x"}))
    assert at.number(parse("d(V, x)")) == pytest.approx(6 * 0.3 * -0.4 + np.sin(1.0))
    assert at.number(parse("d(V, k)")) == pytest.approx(0.09 * -0.4)
    assert at.vector(parse("gradient(V)"))[2] == pytest.approx(2 * np.cos(1.0) * 0.3)


def test_steps_and_choices_stand_in_a_motion():
    """A clipped force, y'' = clip(2 t, -1, 1): one up to t = 1/2 grows, then constant."""
    data = {"coordinates": {"y": 0}, "energy": {"kinetic": "y'^2/2"}, "simulation": {"duration": 2}}
    data["forces"] = {"f": {"generalized": {"y": "clip(2*t, -1, 1)"}}}
    motion = da.Model.of(model_of(data)).simulate(samples=3, tolerance=1e-10)
    assert motion["y'"][-1] == pytest.approx(0.25 + 1.5, abs=1e-7)


FREE = """
[parameters]
k = 1
[coordinates]
x = 1
d = 2
[points]
p = ["x", 0, 0]
[energy]
kinetic = "x'^2 + d'^2"
[definitions]
"""


@pytest.mark.parametrize(
    ("definition", "words"),
    [
        ('e = "if(x, 1, 2)"', "takes a condition such as x < 1 first"),
        ('e = "2*(x < 1)"', "is a condition, not a quantity"),
        ('e = "if(x < p, 1, 2)"', "compares scalars, and p is a vector"),
        ('e = "if(x < 1 and x, 1, 2)"', "and joins conditions, and x is a scalar"),
        ('e = "if(x < 1, 1, p)"', "the two branches must be of one kind"),
        ('e = "if(x < 1, 1)"', "if takes 3 argument"),
        ('e = "x < 1"', "a condition stands in if"),
        ('e = "d(x^2, 2*x)"', "d takes a name second"),
        ('e = "d(x^2, p)"', "d takes a scalar second"),
        ('e = "d(x^2, xx)"', "xx"),
        ('e = "gradient(x^2)"', "the model has no scalar y"),
        ('e = "clip(x, 1)"', "clip takes 3 argument"),
        ('e = "floor(p)"', "floor takes a scalar"),
        ('or = "x"', "reserved"),
    ],
)
def test_what_is_wrong_is_told(definition, words):
    with pytest.raises(ModelError, match=words.replace("(", r"\(")):
        read_text(FREE + definition)


def test_old_names_stay_names():
    model = read_text(FREE + 'mod = "2*d"\nclip = "mod + d(x^2, x)"\n')
    assert at_start(model).named["clip"].value == 6


def test_in_python():
    model = da.Model("clipped")
    x = model.coordinates("x", x=0.5)
    model.energy(kinetic=x.dot**2 / 2)
    V = model.define("V", x**4)
    push = da.choose((x < 1) & ~(x <= -1) | (x > 5), da.clip(-da.derivative(V, x), -2, 2), da.floor(x) + da.mod(x, 2))
    model.force("f", generalized={x: push})
    assert model.solve().accelerations["x"] == pytest.approx(-0.5)
    assert read_text(write_text(model.record)) == model.record
