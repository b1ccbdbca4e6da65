"""The search finds the integrals of the textbooks, compared with closed forms, and no others."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest
import symengine as se

import dalembert as da
from dalembert.analysis.conserved.answer import conserved_quantities
from dalembert.analysis.conserved.checks import lowered
from dalembert.analysis.conserved.subject import subject_of
from dalembert.cli.main import run
from dalembert.errors import ModelError
from dalembert.results.conserved import Conserved, ConservedQuantity

GENEROUS = 60.0  # seconds: enough that a busy machine finds the same


@cache
def found(name: str, **settings: float) -> Conserved:
    return da.gallery(name).conserved(settings=settings, seconds=GENEROUS)


def texts(answer: Conserved, when: str = "") -> list[str]:
    return [q.formula.language for q in answer.quantities if when in q.when]


def kinds(answer: Conserved) -> list[str]:
    return sorted(q.kind for q in answer.quantities)


def values(name: str, expressions: list[str], rows: int = 12, **settings: float) -> np.ndarray:
    """Expressions in the model's language at random states that the constraints allow."""
    record = da.gallery(name).changed(settings).record
    subject = subject_of(record, None)
    states = subject.mode.flow.states(subject.home, rows, np.random.default_rng(5)).x
    symbols = subject.eq.inputs
    columns = [se.Lambdify(symbols, [lowered(record, text)])(states)[:, 0] for text in expressions]
    return np.array(columns).T


def assert_same(name: str, one: str, other: str, **settings: float) -> None:
    """Equal up to a factor at states that the constraints allow."""
    a, b = values(name, [one, other], **settings).T
    assert a / b == pytest.approx(a[0] / b[0], rel=1e-9)


def verified(quantity: ConservedQuantity) -> bool:
    return quantity.drift is not None and quantity.drift[1] < 1e-8 and quantity.motions >= 2


def test_knife_edge_keeps_energy_and_turns_evenly() -> None:
    answer = found("knife-edge")
    assert kinds(answer) == ["energy", "linear"]
    assert texts(answer)[1] == "phi'"
    assert answer[1].symmetry == "shift of φ"
    assert all(verified(q) and q.general and q.digits == 40 for q in answer.quantities)


def test_sleigh_keeps_its_energy_only_unless_its_mass_is_above_the_blade() -> None:
    assert kinds(found("chaplygin-sleigh")) == ["energy"]
    centred = found("chaplygin-sleigh", a=0.0)
    assert "theta'" in texts(centred)
    assert any("zero" in note and "a" in note for note in centred.notes)


def test_jellett_and_routh_on_the_rolling_sphere() -> None:
    answer = found("rolling-sphere")
    assert kinds(answer) == ["energy", "linear", "quadratic"]
    _, jellett, routh = texts(answer)
    spin = "dot(omega(ball), ball.z)"
    about = "(A*sin(theta)^2 + C*cos(theta)^2)*psi' + C*cos(theta)*phi'"
    assert_same("rolling-sphere", jellett, f"R*({about}) - a*C*({spin})")
    squared = f"({spin})^2*(A*C + A*m*R^2*sin(theta)^2 + C*m*(a - R*cos(theta))^2)"
    assert_same("rolling-sphere", routh, squared)
    assert_same("rolling-sphere", routh, squared, m=1.7, R=0.7, a=0.2, A=0.3, C=0.2)  # in the parameters themselves
    assert all(q.general and q.digits == 40 and verified(q) for q in answer.quantities)


def test_jellett_survives_any_friction_and_the_rest_does_not() -> None:
    answer = found("tippe-top")
    whatever, without = texts(answer, "whatever"), texts(answer, "without")
    about = "(A*sin(theta)^2 + C*cos(theta)^2)*psi' + C*cos(theta)*phi'"
    assert len(whatever) == 1
    assert_same("tippe-top", whatever[0], f"R*({about}) - a*C*(phi' + cos(theta)*psi')")
    assert {"x'", "y'"} <= set(without) and any(q.kind == "energy" and "without" in q.when for q in answer.quantities)
    energy = answer.energies[0]
    assert not energy.conserved and [s.kind for s in energy.spoilers] == ["friction"]
    assert all(verified(q) for q in answer.quantities)


def test_chaplygins_ball_keeps_its_moment_about_the_contact() -> None:
    answer = found("chaplygin-ball")
    assert kinds(answer) == ["energy", "momentum", "momentum", "momentum"]
    K = [
        f"(0.3*w1*(dot(ball.x, world.{i})) + 0.38*w2*(dot(ball.y, world.{i})) + 0.45*w3*(dot(ball.z, world.{i})))"
        for i in "xyz"
    ]
    arm = ["- R*m*y'", "+ R*m*x'", ""]
    for k, push in zip(K, arm, strict=True):
        assert any(_same("chaplygin-ball", text, f"{k} {push}") for text in texts(answer))
    square = " + ".join(f"({k} {push})^2" for k, push in zip(K, arm, strict=True))
    checked = da.gallery("chaplygin-ball").conserved(checks=[square, f"{K[0]}^2"], search=False)
    assert [check.conserved for check in checked.checks] == [True, False]


def _same(name: str, one: str, other: str) -> bool:
    a, b = values(name, [one, other]).T
    return bool(np.allclose(a / b, a[0] / b[0], rtol=1e-9))


def test_the_disks_other_integrals_are_no_elementary_functions_and_are_not_claimed() -> None:
    assert kinds(found("rolling-disk")) == ["energy"]
    assert kinds(found("suslov")) == ["energy"]


def test_the_turntable_spoils_the_energy_and_keeps_a_moving_one() -> None:
    answer = found("ball-on-turntable")
    energy = answer.energies[0]
    assert not energy.conserved and {s.kind for s in energy.spoilers} == {"constraint"}
    assert "moving energy" in kinds(answer)
    assert {"2*Omega*x - 7*y'", "2*Omega*y + 7*x'"} <= set(texts(answer))


def test_golfers_nemesis_has_an_integral_from_no_symmetry() -> None:
    answer = found("ball-in-cylinder")
    assert "phi'" in texts(answer)
    other = next(q for q in answer.quantities if q.symmetry == "none")
    radial = "dot(omega(ball), radial.x)"
    assert_same("ball-in-cylinder", other.formula.language, f"z*phi' - R*{radial}")


def test_the_snakeboards_momentum_equation() -> None:
    answer = found("snakeboard")
    assert not answer.quantities
    law = answer.momentum_equations[0]
    momentum = "l*m*cos(phi)*(x'*cos(theta) + y'*sin(theta)) + sin(phi)*((J + Jr + 2*Jw)*theta' + Jr*psi')"
    assert_same("snakeboard", law.momentum.language, momentum)
    rate = "phi'*(cos(phi)*((J + Jr + 2*Jw)*theta' + Jr*psi') - l*m*sin(phi)*(x'*cos(theta) + y'*sin(theta)))"
    assert_same("snakeboard", law.rate.language, rate)


@pytest.mark.parametrize(
    ("name", "who", "kind"),
    [
        ("constant-speed", "speed", "constraint"),
        ("rattleback", "air", "force"),
        ("leaking-oscillator", "cart", "mass"),
        ("car-axis", "time", "time"),
        ("snakeboard", "swings", "constraint"),
    ],
)
def test_who_spoils_the_energy_is_named(name: str, who: str, kind: str) -> None:
    energy = found(name).energies[0]
    assert not energy.conserved
    assert (who, kind) in [(s.name, s.kind) for s in energy.spoilers]
    assert not any(q.kind == "energy" for q in found(name).quantities)


def test_dissipation_only_takes() -> None:
    model = da.Model("damped")
    x = model.coordinates("x")
    model.energy(kinetic=x.dot**2 / 2, potential=x**2, dissipation=x.dot**2 / 5)
    (energy,) = model.conserved().energies
    assert [(s.kind, s.sign) for s in energy.spoilers] == [("dissipation", -1)]


def test_a_bead_on_a_turning_hoop_keeps_the_generalized_energy() -> None:
    """T has a part without speeds: Jacobi's integral T₂ − T₀ + V is constant, T + V is not."""
    model = da.Model("hoop")
    theta = model.coordinates("theta", theta=0.4)
    w, g = model.parameters(w=2.0, g=9.81)
    where = [da.sin(theta) * da.cos(w * da.t), da.sin(theta) * da.sin(w * da.t), -da.cos(theta)]
    model.gravity([0, 0, -g])
    model.body("bead", mass=1, position=where)
    answer = model.conserved()
    assert [(e.name, e.conserved) for e in answer.energies] == [("energy", False), ("generalized energy", True)]
    assert kinds(answer) == ["generalized energy"]


def test_contacts_say_what_impacts_change() -> None:
    (lossy,) = found("bouncing-ball").quantities
    assert lossy.contacts["impact at floor"] == "changed"
    (elastic,) = found("bouncing-ball", e=1.0).quantities
    assert elastic.contacts["impact at floor"] == "kept"
    billiard = {q.formula.language: q.contacts["impact at wall"] for q in found("ellipse-billiard").quantities}
    assert set(billiard.values()) == {"kept", "changed"} and billiard["(x'^2 + y'^2)/2"] == "kept"
    paper, right = (
        next(q for q in found(name).quantities if q.kind == "energy").contacts["impact at wall"]
        for name in ("zhang-mei-ball-paper", "zhang-mei-ball")
    )
    assert (paper, right) == ("changed", "kept")


def test_quadratic_integrals_on_request() -> None:
    """The isotropic oscillator in the plane: x' y' + k x y (Jauch and Hill, Fradkin)."""
    model = da.Model("oscillator")
    x, y = model.coordinates("x y")
    k = model.parameters(k=1.3)
    model.energy(kinetic=(x.dot**2 + y.dot**2) / 2, potential=k * (x**2 + y**2) / 2)
    plain, more = model.conserved(), model.conserved(quadratic=True)
    assert kinds(plain) == ["energy", "linear"]
    assert len(more.quantities) == 3  # a closed curve in a four-dimensional space has no more integrals
    checked = model.conserved(checks=["x'*y' + k*x*y"], search=False)
    assert checked.checks[0].conserved


def test_users_own_quantities_widen_the_search() -> None:
    """x y' = y x' keeps y/x, which is not a polynomial."""
    model = da.Model("ray")
    x, y = model.coordinates("x y", x=1.0, y=0.5)
    model.energy(kinetic=(x.dot**2 + y.dot**2) / 2, potential=x)
    model.constraint("ray", x * y.dot - y * x.dot)
    assert kinds(model.conserved()) == ["energy"]
    wider = model.conserved(basis=["y/x"])
    assert "geometric" in kinds(wider) and "y/x" in texts(wider)


def test_checks_are_answered_with_numbers_and_faults_with_sentences() -> None:
    model = da.gallery("knife-edge")
    answer = model.conserved(checks=["J*phi'^3", "x' + y'", "g*J", "cos(phi)*y' - sin(phi)*x'"], search=False)
    kept, lost, constant, constraint = answer.checks
    assert kept.conserved and kept.digits == 40 and kept.drift is not None and kept.drift[1] < 1e-9
    assert not lost.conserved and lost.rate > 1e-3 and lost.drift is not None and lost.drift[1] > 1e-3
    assert constant.conserved and "constant" in constant.verdict
    assert constraint.conserved and "follows from them" in constraint.verdict
    for fault in ("spped", "x''", "phi' +"):
        with pytest.raises(ModelError):
            model.conserved(checks=[fault], search=False)
    with pytest.raises(ModelError, match="vector"):
        model.conserved(checks=["world.x"], search=False)


def test_no_time_is_said_and_nothing_is_claimed_without_motions() -> None:
    answer = da.gallery("rolling-disk").conserved(seconds=1e-3)
    assert any("time was over" in note for note in answer.notes)
    assert all(q.drift is not None for q in answer.quantities)


def test_the_command_answers_in_text_json_and_html(capsys: Any) -> None:
    call = ["analyze", "knife-edge", "--parts", "conserved", "--check", "phi'"]
    assert run(call) == 0
    assert "Conserved: its rate vanishes" in capsys.readouterr().out
    assert run([*call, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)["conserved"]
    assert [q["text"] for q in answer["quantities"]][1] == "phi'" and answer["checks"][0]["conserved"]
    assert run([*call, "--format", "html"]) == 0
    assert "<math" in capsys.readouterr().out
    assert run([*call, "--check", "nothing_known"]) == 2
    assert "nothing_known" in capsys.readouterr().err


def test_virtual_displacements_and_vakonomic_motions_are_taken_as_they_are() -> None:
    heisenberg = found("heisenberg")
    assert {"x*lambda[area] - y'", "lambda[area]"} <= set(texts(heisenberg))
    record = da.gallery("heisenberg").record
    assert conserved_quantities(record, search=False).energies[0].conserved
    model = da.Model("rows")
    x, y, z = model.coordinates("x y z", y=0.5)
    m, c = model.parameters(m=1.3, c=2.0)
    model.energy(kinetic=m * (x.dot**2 + y.dot**2 + z.dot**2) / 2)
    model.constraint("f", z.dot - c * y * x.dot)
    model.virtual_displacements("rows", [{"x": -y, "z": 1}])
    answer = model.conserved()
    assert "y'" in texts(answer) and not answer[0].general  # the parameters are numbers there
    energy = answer.energies[0]
    assert not energy.conserved and energy.spoilers[0].name == "f" and "virtual" in energy.spoilers[0].why


@pytest.mark.parametrize("name", ["ellipse-billiard", "superball", "newtons-cradle", "bouncing-ball", "zhang-mei-ball"])
def test_impacts_of_motions_do_what_is_said_of_them(name: str) -> None:
    """Every quantity before and after every impact of the model's own motion."""
    record = da.gallery(name).record
    motion = da.gallery(name).simulate(tolerance=1e-12, until=4.0)
    assert motion.jumps is not None
    subject = subject_of(record, None)
    sides = [
        np.column_stack(
            [motion.jumps.times, *(side[key] for key in [*record.coordinates, *(f"{q}'" for q in record.coordinates)])]
        )
        for side in (motion.jumps.before, motion.jumps.after)
    ]
    impacts = {event.time for event in motion.events if event.kind == "impact"}
    rows = [i for i, time in enumerate(motion.jumps.times) if time in impacts]
    parameters = np.broadcast_to(subject.home.p, (len(rows), len(subject.home.p)))
    before, after = (np.hstack([side[rows], parameters]) for side in sides)
    seen = 0
    for quantity in found(name).quantities:
        answers = {what for event, what in quantity.contacts.items() if event.startswith("impact")}
        code = se.Lambdify(subject.eq.inputs, [lowered(record, quantity.formula.language)])
        change = np.abs(code(before) - code(after)).max()
        if answers == {"kept"}:
            assert change < 1e-9
            seen += 1
        elif answers == {"changed"}:
            assert change > 1e-6
            seen += 1
    assert seen and rows


def test_a_charge_in_a_magnetic_field_has_symmetries_up_to_a_derivative() -> None:
    """A shift of x changes L by B y'/2 = d/dt (B y/2), a total derivative: x' - B y is still constant."""
    model = da.Model("charge")
    x, y = model.coordinates("x y", x=1.0)
    B = model.parameters(B=2.0)
    model.energy(kinetic=(x.dot**2 + y.dot**2 + B * (x * y.dot - y * x.dot)) / 2)
    answer = model.conserved()
    assert {"B*y - x'", "B*x + y'"} <= set(texts(answer))
    assert {q.symmetry for q in answer.quantities if q.kind == "linear"} == {"shift of x", "shift of y"}
    assert [(e.name, e.conserved) for e in answer.energies] == [("energy", False), ("generalized energy", True)]


def test_the_runge_lenz_vector_with_a_wider_basis() -> None:
    model = da.Model("Kepler")
    x, y = model.coordinates("x y", x=1.0)
    mu = model.parameters(mu=1.4)
    model.energy(kinetic=(x.dot**2 + y.dot**2) / 2, potential=-mu / da.sqrt(x**2 + y**2))
    assert len(model.conserved().quantities) == 2
    wider = model.conserved(
        basis=["1/sqrt(x^2 + y^2)"], quadratic=True, checks=["y'*(x*y' - y*x') - mu*x/sqrt(x^2 + y^2)"]
    )
    assert len(wider.quantities) == 3 and wider.checks[0].conserved
    assert all(q.general and q.digits == 40 for q in wider.quantities)


def test_the_refinement_of_an_acceleration_that_vanishes_ends() -> None:
    """Refined again and again, it gets ever smaller and is never zero."""
    assert kinds(found("disk-off-a-ledge"))
