"""Contacts and frictions in derivations: forces by name, the laws of every mode, impacts, the whole course."""

from __future__ import annotations

import pytest
import symengine as se

import dalembert as da
from dalembert import collection
from dalembert.errors import ModelError
from dalembert.formalisms import applicable
from dalembert.report.plain import equations_dict


def results(name: str, method: str, description: str | None = None) -> dict[str, dict]:
    steps = da.gallery(name).derive(method, description=description).steps
    return {step.key or step.title: dict(step.results) for step in steps}


def test_the_ball_bounces_in_the_equations():
    answer = equations_dict(da.gallery("bouncing-ball").derive().equations)
    assert answer["equations"] == ["z'' = lambda.floor - 9.81"]
    (floor,) = answer["contacts"]
    assert floor["gap"] == "z" and floor["force"] == {"z": "lambda.floor"} and floor["law"] == "newton"


def test_every_method_names_every_force():
    model = da.gallery("zhang-mei-ball")
    for method in applicable(model.record):
        text = model.derive(method).text(steps=True)
        for force in ("λ[wall]", "R[incline, 1]", "R[incline, 2]"):
            assert force in text, (method, force)


@pytest.mark.parametrize("method", ["kane", "chetaev", "boltzmann-hamel"])
def test_the_reaction_that_presses_is_given(method):
    """Coulomb's law of the tippe top has the reaction of the table, which an elimination removes from the equations."""
    (pressing,) = results("tippe-top", method)["pressing"].values()
    m, g, z = (se.Symbol(name) for name in ("m", "g", "z''"))
    assert se.expand(pressing - m * (g + z)) == 0


def test_quantities_of_the_whole_course_have_names_of_their_own():
    """The ball's momentum about y has no name in the model. Its number is none of the paper's five."""
    text = da.gallery("zhang-mei-ball").derive(description="whole-course").text(steps=True)
    assert "π6 = a²·ω[y]" in text and text.count("\n     V[π5] = ") == 1


def test_the_law_in_print_adds_energy_and_the_right_one_does_not():
    a2, slip, x = se.Symbol("a2"), se.Symbol("x'") - se.Symbol("ry'"), se.Symbol("x'")
    assert results("zhang-mei-ball", "kane")["jump"][r"\Delta T"] == 0
    printed = results("zhang-mei-ball-paper", "kane")["jump"][r"\Delta T"]
    assert se.expand(printed - 2 * a2 * slip * x) == 0


def test_an_impact_loses_energy_by_its_restitution():
    e, z = se.Symbol("e"), se.Symbol("z'")
    change = results("bouncing-ball", "kane")["jump"][r"\Delta T"]
    assert se.expand(change + (1 - e**2) * z**2 / 2) == 0


def test_every_impact_has_its_energy_balance():
    """With friction in the impact, impulses have no closed form; the energy is written by them."""
    x, z, turn, l, angle = (se.Symbol(name) for name in ("x'", "z'", "theta'", "l", "theta"))
    change = results("sliding-rod", "kane")["balance"][r"\Delta T"]
    gap, slip = z - l * se.cos(angle) * turn, x + l * se.sin(angle) * turn
    impulses = [se.Symbol(f"Lambda{i}") for i in (1, 2)]
    assert se.expand(change - gap * impulses[0] / 2 - (slip + se.Symbol("psi2+")) * impulses[1] / 2) == 0
    assert "(ψ2⁺ + " in da.gallery("sliding-rod").derive("kane").text(steps=True)


def test_the_whole_course_is_the_papers():
    held = results("zhang-mei-ball-paper", "kane", "whole-course")["course held"]
    found = {str(left): right for left, right in held.items()}
    a2, s, R = se.Symbol("a2"), se.Symbol("s"), se.Symbol("friction[incline, 1]")
    assert se.expand(found["p1*'"] - s * (R - se.Symbol("cos_alpha"))) == 0
    assert se.expand(found["friction[incline, 2]"] - a2 / (1 + a2) * se.Symbol("cos_beta")) == 0


def test_a_restitution_rescales_the_rate_of_the_gap():
    """Ivanov: z*' = κ v and v' = −g s/κ. With z = s z* and z' = s κ v this is z'' = −g, and v is continuous."""
    found = results("bouncing-ball", "kane", "whole-course")
    ((left, right),) = found["course equations"].items()
    kappa, s, v, e = (se.Symbol(name) for name in ("kappa", "s", "pi1*", "e"))
    assert str(left) == "pi1*'" and se.expand(right * kappa / s) == -se.Rational(981, 100)
    variables = {str(name): value for name, value in found["course variables"].items()}
    assert variables["z*'"] == kappa * v and variables[r"\pi_{1}"] == s * kappa * v
    factor = variables[r"\kappa"].subs({se.Symbol("k"): variables["k"]})
    before, after = factor.subs({s: 1, se.sign(v): -1}), factor.subs({s: 1, se.sign(v): 1})
    assert (after - e * before).subs({e: se.Rational(3, 4)}) == 0
    assert found["course energy"]["T^{**}"] == kappa**2 * v**2 / 2


def test_a_restitution_rescales_every_reversed_rate(loaded):
    """π₃ = s κ₁ π₃* obeys π̇₃ = −cos β/(1 + a²). κ₁ is κ in the impact, and 1 where the rate of the gap vanishes."""
    text = collection.path("zhang-mei-ball").read_text(encoding="utf-8")
    model = loaded(text.replace("reverses = ", "restitution = 0.5\nreverses = ", 1), "ball")
    steps = model.derive("kane", description="whole-course").steps
    found = {step.key: {str(left): value for left, value in step.results} for step in steps}
    s, kappa1, a2, p3 = (se.Symbol(name) for name in ("s", "kappa1", "a2", "p3*"))
    rate = s * (kappa1 * found["course held"]["p3*'"] + se.Symbol("kappa1'") * p3)
    assert se.expand(se.expand(rate).subs({s**2: 1}) * (1 + a2) + se.Symbol("cos_beta")) == 0
    variables = found["course variables"]
    assert variables["p_{3}"] == s * kappa1 * p3 and variables["k"] == se.Rational(1, 3)
    at = {s: 1, se.Symbol("kappa"): 2, se.Symbol("k"): variables["k"]}
    factor = variables[r"\kappa_{1}"].subs(at)
    for speed, expected in ((-1, 1 + variables["k"]), (1, 1 - variables["k"])):
        assert factor.subs({se.Symbol("p1*"): speed, se.Symbol("x*"): 0}) == expected
    assert factor.subs({se.Symbol("p1*"): 0}) == 1


def test_answers_say_which_description_ran():
    model = da.gallery("bouncing-ball")
    for description in ("segmented", "whole-course"):
        assert f"method kane, {description} description" in str(model.derive("kane", description=description))
        motion = model.simulate(method="kane", duration=0.1, samples=3, description=description)
        assert motion.description == description and f"{description} description, t = 0" in str(motion)
    assert model.solve().to_dict()["description"] == "segmented"
    assert "description" not in str(da.gallery("simple-pendulum").solve())


@pytest.mark.parametrize(
    ("name", "reason"), [("newtons-cradle", "one contact"), ("rolling-disk", "the model has none")]
)
def test_what_has_no_whole_course_says_so(name, reason):
    with pytest.raises(ModelError, match=reason):
        da.gallery(name).derive(description="whole-course")


def test_an_unknown_description_is_refused():
    with pytest.raises(ModelError, match="segmented or whole-course"):
        da.gallery("bouncing-ball").derive(description="all at once")
