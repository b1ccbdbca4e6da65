"""Wang and Gao, result by result: models of constraint as control forces, and errors in print.

Numbers come from integrations of 34 digits that share nothing with this package (wanggao.json).
"""

import json
from math import acos, cos, cosh, pi, sin, sinh, sqrt
from pathlib import Path

import numpy as np
import pytest

from dalembert.api.analyze import analyze
from dalembert.api.examine import examine
from dalembert.api.instant import solve
from dalembert.api.motion import simulate
from dalembert.errors import MathematicsError
from dalembert.model.read import read_text
from dalembert.prepared import prepare
from small_models import AFFINE, DISK

REFERENCE = json.loads(Path(__file__).with_name("wanggao.json").read_text())

PARTICLE = """
[parameters]
m = {m}
g = {g}
k = {k}
Q1 = {Q1}
[coordinates]
x = 0
y = 0
z = 0
[speeds]
x = "{u}*cos({psi})"
y = "{u}*sin({psi})"
z = "k*{u}"
[bodies.particle]
mass = "m"
position = ["x", "y", "z"]
[energy]
potential = "m*g*z - Q1*x"
[constraints]
climb = "z' = k*sqrt(x'^2 + y'^2)"
"""
SIDE = {"m": 1, "g": 1, "k": 1, "Q1": 1, "u": 1, "psi": 1}
EDGE = """
[coordinates]
x = 0
y = 0
phi = {phi}
[speeds]
x = "{v}*cos({phi})"
y = "{v}*sin({phi})"
phi = {w}
[energy]
kinetic = "(x'^2 + y'^2 + phi'^2)/2"
potential = "-{g}*x"
[constraints]
edge = "x'*sin(phi) - y'*cos(phi) = 0"
"""
SPATIAL = """
[coordinates]
x = 0
y = 0.5
z = 0
[speeds]
x = 1
y = 0.8
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
[constraints]
c = "z' = y*x'"
"""
HEISENBERG = """
[coordinates]
x = 0
y = 0
z = 0
[speeds]
x = 1
y = 0.5
[energy]
kinetic = "(x'^2 + y'^2)/2"
[constraints]
area = "z' = (x*y' - y*x')/2"
"""


def end(text, method, at, multipliers=None):
    """The last state as (coordinates, speeds, multipliers)."""
    if multipliers:
        text += "[multipliers]\n" + "".join(f"{name} = {value!r}\n" for name, value in multipliers.items())
    motion = simulate(read_text(text), method, at=[at], tolerance=1e-13)
    return {name: float(values[-1]) for name, values in motion.columns().items()}


def numbers(*names):
    found = REFERENCE
    for name in names:
        found = found[name]
    return [float(v) for v in found] if isinstance(found, list) else found


def close(found, expected, names):
    np.testing.assert_allclose([found[n] for n in names], [float(e) for e in expected], rtol=1e-9, atol=1e-9)


# (8), (11), (12): three models, three control forces


def test_8_holonomic_reactions_are_multiples_of_the_gradient():
    state = solve(
        read_text(
            """
            gravity = [0, "-g", 0]
            [parameters]
            m = 2
            g = 9.81
            [coordinates]
            x = 0.6
            y = -0.8
            [speeds]
            x = 1.6
            y = 1.2
            [bodies.bob]
            mass = "m"
            position = ["x", "y", 0]
            [constraints]
            rod = "(x^2 + y^2 - 1)/2 = 0"
            """
        ),
        "chetaev",
    )
    tension = -2 * (4 + 9.81 * 0.8)
    assert state.multipliers["rod"] == pytest.approx(tension, rel=1e-12)
    assert state.reactions["rod"] == pytest.approx({"x": 0.6 * tension, "y": -0.8 * tension}, rel=1e-12)


@pytest.mark.parametrize("k", [1, 0.8])
def test_11_appell_hamel_by_chetaev(k):
    text = PARTICLE.format(m=1.3, g=9.81, k=k, Q1=0, u=5, psi=0.6)
    expected = REFERENCE[f"appell_hamel_k={k}"]
    state = solve(read_text(text), "chetaev")
    mu = float(expected["mu"])
    assert state.multipliers["climb"] == pytest.approx(mu, rel=1e-12)
    u = -k * mu / 1.3
    assert state.accelerations == pytest.approx({"x": u * cos(0.6), "y": u * sin(0.6), "z": k * u}, rel=1e-12)
    found = end(text, "chetaev", 0.75)
    close(found, [expected[n] for n in "xyz"], "xyz")
    assert np.hypot(found["x'"], found["y'"]) == pytest.approx(float(expected["u"]), rel=1e-9)
    assert found["multiplier.climb"] == pytest.approx(mu, rel=1e-9)
    assert 5 + u * float(expected["t_stop"]) == pytest.approx(0, abs=1e-12)


def test_11_appells_machine():
    text = """
    [parameters]
    M = 2
    m = 1
    k = 0.5
    g = 9.81
    [coordinates]
    x = 0
    y = 0
    z = 0
    [speeds]
    x = 0.6
    y = 0.8
    [energy]
    kinetic = "M*(x'^2 + y'^2)/2 + m*z'^2/2"
    potential = "m*g*z"
    [constraints]
    thread = "z' + k*sqrt(x'^2 + y'^2) = 0"
    """
    state = solve(read_text(text), "chetaev")
    expected = REFERENCE["appell_machine"]
    assert state.multipliers["thread"] == pytest.approx(float(expected["mu"]), rel=1e-12)
    udot = 0.6 * state.accelerations["x"] + 0.8 * state.accelerations["y"]
    assert udot == pytest.approx(float(expected["udot"]), rel=1e-12)


def test_12_vakonomic_control_force_closes_newtons_equations():
    text = PARTICLE.format(**SIDE) + "[multipliers]\nclimb = -0.7\n"
    state = solve(read_text(text), "vakonomic")
    force = state.reactions["climb"]
    expected = {"x": state.accelerations["x"] - 1, "y": state.accelerations["y"], "z": state.accelerations["z"] + 1}
    assert force == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert state.multipliers == {"climb": -0.7}
    chetaev = solve(read_text(text), "chetaev").reactions["climb"]
    assert max(abs(force[n] - chetaev[n]) for n in "xyz") > 0.1


def test_12_holonomic_constraints_keep_algebraic_multipliers():
    text = """
    [coordinates]
    x = 0.6
    y = 0.8
    z = 0
    [speeds]
    x = 0.8
    y = -0.6
    [energy]
    kinetic = "(x'^2 + y'^2 + z'^2)/2"
    potential = "y"
    [constraints]
    ring = "x^2 + y^2 = 1"
    c = "z' = y*x'"
    [multipliers]
    c = 0.7
    """
    state = solve(read_text(text), "vakonomic")
    assert state.multipliers["c"] == 0.7
    assert state.reactions["ring"] == pytest.approx(
        {"x": 1.2 * state.multipliers["ring"], "y": 1.6 * state.multipliers["ring"], "z": 0}, rel=1e-12
    )
    for q, force in {"x": 0, "y": -1, "z": 0}.items():
        control = state.reactions["ring"][q] + state.reactions["c"][q]
        assert state.accelerations[q] == pytest.approx(force + control, abs=1e-12)
    told = solve(read_text(text + "    ring = 3\n"), "vakonomic")
    assert told.multipliers == state.multipliers
    assert any("multiplier of ring is solved for" in note for note in told.notes)


def test_12_control_force_along_the_motion():
    motion = simulate(read_text(SPATIAL + "[multipliers]\nc = 1\n"), "vakonomic", until=2, samples=21)
    for name in "xyz":
        np.testing.assert_allclose(motion.reactions["c"][name], motion[f"{name}''"], atol=1e-12)


def test_12_side_force_on_appell_hamel():
    text = PARTICLE.format(**SIDE)
    names = ["x", "y", "z", "x'", "y'", "z'"]
    close(end(text, "chetaev", 1), numbers("appell_hamel_sideforce", "chetaev"), names)
    for lam, key in ((0.0, "vak_lam0_0"), (-1.0, "vak_lam0_m1")):
        found = end(text, "vakonomic", 1, {"climb": lam})
        close(found, numbers("appell_hamel_sideforce", key), [*names, "multiplier.climb"])


def test_12_knife_edge_is_an_elastica():
    expected = REFERENCE["knife_edge_vak_elastica"]
    text = EDGE.format(phi="pi/2", v=0, w=0.5, g=0).replace("phi = pi/2", 'phi = "pi/2"')
    found = end(text, "vakonomic", 2, {"edge": 1.0})
    close(
        found, [expected[n] for n in ("x", "y", "phi", "phidot", "lam")], ["x", "y", "phi", "phi'", "multiplier.edge"]
    )
    chetaev = end(text, "chetaev", 2)
    close(chetaev, [0, 0, pi / 2 + 1], ["x", "y", "phi"])


def test_12_knife_edge_free():
    expected = REFERENCE["knife_edge_free"]
    text = EDGE.format(phi=0.3, v=1.2, w=0.7, g=0)
    close(end(text, "chetaev", 2), expected["chetaev"].values(), ["x", "y", "phi"])
    found = end(text, "vakonomic", 2)
    names = ["x", "y", "phi", "x'", "y'", "phi'", "multiplier.edge"]
    close(found, expected["vak_lam0_0"].values(), names)


@pytest.mark.parametrize("t", [1, 3, 6])
def test_12_skate_on_an_incline(t):
    expected = REFERENCE[f"skate_incline_t{t}"]
    text = EDGE.format(phi=0, v=0, w=1, g=1)
    close(end(text, "chetaev", t), expected["chetaev"], ["x", "y", "phi"])
    names = ["x", "y", "phi", "x'", "y'", "phi'", "multiplier.edge"]
    for lam, key in ((0.0, "vak_lam0_0"), (0.5, "vak_lam0_half")):
        close(end(text, "vakonomic", t, {"edge": lam}), expected[key], names)


def test_12_heisenberg_turns_at_the_rate_of_the_multiplier():
    expected = REFERENCE["heisenberg_vak"]
    found = end(HEISENBERG, "vakonomic", 2, {"area": 1.5})
    close(found, [expected[n] for n in "xyz"], "xyz")
    close(found, [cos(3) - sin(3) / 2, sin(3) + cos(3) / 2, 1.5], ["x'", "y'", "multiplier.area"])


def test_12_nonholonomic_particle():
    names = ["x", "y", "z", "x'", "y'", "z'"]
    expected = REFERENCE["nonholonomic_particle"]
    close(end(SPATIAL, "chetaev", 2), expected["chetaev"], names)
    for key, values in expected["vak"].items():
        lam = float(key.partition("=")[2])
        close(end(SPATIAL, "vakonomic", 2, {"c": lam}), values, [*names, "multiplier.c"])


def test_12_vertical_disk():
    expected = REFERENCE["vertical_disk"]
    text = DISK.format(phi=0.3, w=0.7, s=1.2)
    places = ["x", "y", "phi", "theta"]
    close(end(text, "chetaev", 2), expected["chetaev"], places)
    names = [*places, *(f"{n}'" for n in places), "multiplier.rolls_x", "multiplier.rolls_y"]
    close(end(text, "vakonomic", 2), expected["vak_lam0_0"], names)


def test_12_vertical_disk_elliptic():
    expected = REFERENCE["vertical_disk_elliptic"]
    a = 1 / sqrt(0.25 * 1.5)
    text = DISK.format(phi='"pi/2"', w=a / 2, s=0)
    found = end(text, "vakonomic", 2, {"rolls_x": 1.0})
    names = ["phi", "x", "y", "theta", "phi'", "theta'"]
    close(found, [expected[n] for n in ("phi", "x", "y", "theta", "phidot", "thetadot")], names)
    assert found["theta'"] == pytest.approx(cos(found["phi"]) / 1.5, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "lam"),
    [
        (SPATIAL, {"c": 1.0}),
        (PARTICLE.format(**SIDE), {"climb": -1.0}),
        (EDGE.format(phi=0, v=0, w=1, g=1), {"edge": 0.5}),
        (AFFINE, {"c": 0.4}),
    ],
)
def test_12_integral_of_an_autonomous_vakonomic_motion(text, lam):
    """v·L_v − L + λ·Gv is constant; for AFFINE it is not the energy, since Gv = ẏ = x there."""
    rows = "[multipliers]\n" + "".join(f"{name} = {value}\n" for name, value in lam.items())
    motion = simulate(read_text(text + rows), "vakonomic", until=2, samples=41, tolerance=1e-12)
    integral = motion.energy["total"] + (motion["multiplier.c"] * motion["y'"] if text == AFFINE else 0)
    np.testing.assert_allclose(integral, integral[0], atol=1e-9)
    if text == AFFINE:
        assert np.ptp(motion.energy["total"]) > 0.1


def test_12_singular_multiplier_is_refused():
    """W = M + λ f_vv loses rank across the direction of flight if λ k = m u: this gives a sentence, not a number."""
    text = PARTICLE.format(m=2, g=1, k=0.5, Q1=1, u=3, psi=1) + "[multipliers]\nclimb = 12\n"
    with pytest.raises(MathematicsError, match=r"vakonomic model is singular.*climb = 12"):
        solve(read_text(text), "vakonomic")
    assert solve(read_text(text.replace("climb = 12", "climb = 11")), "vakonomic").multipliers == {"climb": 11}


def test_12_rank_of_the_gradients():
    """Rows that become dependent at a single state leave λ̇ undetermined; a row stated twice does not."""
    text = SPATIAL + "d = \"z'*(1 + 0) - y*x' = 0\"\n"
    twice = solve(read_text(text), "vakonomic")
    once = solve(read_text(SPATIAL), "vakonomic")
    assert twice.accelerations == pytest.approx(once.accelerations, rel=1e-12)
    crossing = SPATIAL.replace("c = \"z' = y*x'\"", "c = \"z' - x*y' = 0\"\nd = \"z' - x*x' = 0\"")
    with pytest.raises(MathematicsError, match="rank 1 in this state alone"):
        solve(read_text(crossing), "vakonomic")


# Coincidence of the two models


def test_special_multipliers_make_the_disk_chetaevs():
    text = DISK.format(phi=0.3, w=0.7, s=1.2)
    found = end(text, "vakonomic", 2, {"rolls_x": -1.2 * cos(0.3), "rolls_y": -1.2 * sin(0.3)})
    close(found, numbers("vertical_disk", "chetaev"), ["x", "y", "phi", "theta"])
    close(found, [-found["x'"], -found["y'"]], ["multiplier.rolls_x", "multiplier.rolls_y"])


def test_zero_multipliers_do_not_mean_coincidence():
    close(end(AFFINE, "chetaev", 1), [1, 0.5], "xy")
    found = end(AFFINE, "vakonomic", 1)
    close(found, [sinh(1), cosh(1) - 1, -sinh(1)], ["x", "y", "multiplier.c"])
    found = end(AFFINE, "vakonomic", 1, {"c": 1.0})
    close(found, [1 - np.exp(-1), np.exp(-1), np.exp(-1)], ["x", "y", "multiplier.c"])


def test_integrable_constraints_coincide():
    text = SPATIAL.replace("c = \"z' = y*x'\"", "c = \"z' = 2*x*x' + y'*cos(y)\"")
    chetaev = end(text, "chetaev", 2)
    close(end(text, "vakonomic", 2, {"c": 0.8}), [chetaev[n] for n in "xyz"], "xyz")


def test_appell_hamel_coincides_without_side_force():
    text = PARTICLE.format(m=1.3, g=9.81, k=0.8, Q1=0, u=5, psi=0.6)
    chetaev = end(text, "chetaev", 0.75)
    close(end(text, "vakonomic", 0.75), [chetaev[n] for n in "xyz"], "xyz")


# (13)–(17): free motion


def free(text):
    return analyze(read_text(text), ["free"], seconds=60, until=0.1)["free"]


def conditions(found):
    return [[c.text for c in part.conditions] for part in found.components]


def test_16_appell_hamel_has_no_free_motion():
    found = free(PARTICLE.format(m=1.3, g=9.81, k=1, Q1=0, u=5, psi=0.6))
    assert found.possible is False and found.chain[1] == pytest.approx(-9.81)


def test_17_is_only_the_first_condition():
    """(17) can hold at a state from which the motion is not free: Φ₂ is a further condition, and here it fails."""
    psi = acos(-0.5)
    text = PARTICLE.format(m=1, g=1, k=1, Q1=2, u=3, psi=psi)
    left = -1 * 1 - cos(psi) * 2  # Q₃ − mg − (q̇₁Q₁ + q̇₂Q₂)/√…
    assert left == pytest.approx(0, abs=1e-12)
    found = free(text)
    assert not found.here and found.possible is False
    assert abs(found.chain[1]) < 1e-9 < 0.1 < abs(found.chain[2])
    assert max(map(abs, solve(read_text(text), "chetaev").reactions["climb"].values())) < 1e-12  # free at this instant
    chetaev = end(text, "chetaev", 0.5)
    assert abs(chetaev["x"] - (3 * cos(psi) * 0.5 + 2 * 0.125)) > 1e-4  # but not after it


def test_free_motion_needs_the_whole_chain():
    """ẏ = x in a valley: Φ₁ = ẋ, Φ₂ = x; in the plane Φ₁ alone."""
    found = free(AFFINE)
    assert conditions(found) == [["x'"]] and not found.here
    assert free(AFFINE.replace("x = 1", "x = 0")).here
    valley = AFFINE.replace('"\n[constraints]', '"\npotential = "x^2/2"\n[constraints]')
    assert sorted(*conditions(free(valley))) == ["x", "x'"]


def test_every_admissible_motion_is_free_where_the_first_condition_vanishes():
    assert free(PARTICLE.format(m=1.3, g=0, k=1, Q1=0, u=5, psi=0.6)).always


# (20)–(21): general virtual displacements


def rows(text, *displacements):
    listed = ", ".join("{ " + ", ".join(f'{q} = "{h}"' for q, h in row.items()) + " }" for row in displacements)
    return read_text(text + f'[virtual_displacements]\nrule = "rows"\nrows = [{listed}]\n')


def test_20_chetaevs_rows_are_chetaevs_motion():
    text = PARTICLE.format(**SIDE)
    own = {"x": "-x'/sqrt(x'^2 + y'^2)", "y": "-y'/sqrt(x'^2 + y'^2)", "z": "1"}
    state = solve(rows(text, own))
    assert state.method == "virtual-displacements"
    chetaev = solve(read_text(text), "chetaev")
    assert state.accelerations == pytest.approx(chetaev.accelerations, rel=1e-12)
    assert state.reactions["climb"] == pytest.approx(chetaev.reactions["climb"], rel=1e-12, abs=1e-12)


def test_21_other_rows_are_other_motions():
    """A rudder that only lifts: ν along z keeps the constraint while the horizontal motion stays free."""
    motion = simulate(rows(PARTICLE.format(**SIDE), {"z": 1}), at=[1], tolerance=1e-12)
    assert motion["x"][-1] == pytest.approx(cos(1) + 0.5, rel=1e-9)
    assert motion["y"][-1] == pytest.approx(sin(1), rel=1e-9)
    assert motion["z'"][-1] == pytest.approx(np.hypot(cos(1) + 1, sin(1)), rel=1e-9)
    assert set(motion.reactions["climb"]) == {"z"}


def test_21_equal_numbers_of_rows_and_constraints_are_not_complete():
    record = rows(PARTICLE.format(m=1.3, g=9.81, k=1, Q1=0, u=5, psi=0.6), {"x": "-y'", "y": "x'"})
    with pytest.raises(MathematicsError, match=r"not enough: G M⁻¹Hᵀ must be regular.*no state satisfies: it is 9\.81"):
        solve(record)


def test_21_hidden_constraint_is_found_and_kept():
    """With a side force the same rows allow flight in one direction only: cos ψ = −m g/Q₁."""
    psi = acos(-0.5)
    record = rows(PARTICLE.format(m=1, g=1, k=1, Q1=2, u=3, psi=psi), {"x": "-y'", "y": "x'"})
    motion = simulate(record, until=1, samples=11, tolerance=1e-12)
    assert any("Hidden constraint hidden1: g + Q1*k*x'/(m*sqrt(x'^2 + y'^2)) = 0" in note for note in motion.notes)
    assert motion.corrections == ()
    flown = 3 * motion.times - motion.times**2 / 2
    np.testing.assert_allclose(motion["x"], cos(psi) * flown, atol=1e-9)
    np.testing.assert_allclose(motion["y"], sin(psi) * flown, atol=1e-9)
    np.testing.assert_allclose(motion["z"], flown, atol=1e-9)
    np.testing.assert_allclose(motion.reactions["climb"]["x"], -1.5, atol=1e-9)


def test_21_check_says_what_is_hidden():
    text, row = PARTICLE.format(m=1, g=1, k=1, Q1=2, u=3, psi=2), {"x": "-y'", "y": "x'"}
    found = examine(rows(text, row))
    assert found.degrees_of_freedom == 2
    assert any(note.startswith("Hidden constraint hidden1: g + Q1") for note in found.notes)
    impossible = examine(rows(text.replace("Q1 = 2", "Q1 = 0"), row))
    assert any(note.startswith("There is no motion: at t = 0") for note in impossible.notes)


def test_21_state_beside_a_hidden_constraint_is_corrected_or_refused():
    record = rows(PARTICLE.format(m=1, g=1, k=1, Q1=2, u=3, psi=2), {"x": "-y'", "y": "x'"})
    state = solve(record)
    speed = np.hypot(state.speeds["x"], state.speeds["y"])
    assert state.speeds["x"] / speed == pytest.approx(-0.5, abs=1e-10)
    assert {change["quantity"] for change in state.corrections} >= {"x'", "y'"}
    with pytest.raises(Exception, match="would have to be"):
        solve(record, strict=True)


def test_21_fewer_rows_than_constraints():
    """s < r: ν₁ keeps one constraint, and the other depends on the state. With m z̈ = 0 both are kept."""
    text = """
    [coordinates]
    x = 0
    y = 0
    z = 0
    [speeds]
    x = 1
    z = 0
    [energy]
    kinetic = "(x'^2 + y'^2 + z'^2)/2"
    potential = "-c*z"
    [parameters]
    c = 0
    [constraints]
    a = "y' = x*x'"
    b = "z' = 0"
    """
    record = rows(text, {"x": "-x", "y": "1"})
    assert len(solve(record).multipliers) == 1
    motion = simulate(record, at=[1], tolerance=1e-12)
    chetaev = simulate(read_text(text.replace('b = "z\' = 0"', "")), "chetaev", at=[1], tolerance=1e-12)
    assert motion["x"][-1] == pytest.approx(chetaev["x"][-1], rel=1e-9)
    with pytest.raises(MathematicsError, match="c = 0, which no state satisfies"):
        solve(rows(text.replace("c = 0", "c = 3"), {"x": "-x", "y": "1"}))


def test_21_more_rows_than_constraints_leave_accelerations_free():
    record = rows(PARTICLE.format(m=1, g=1, k=1, Q1=0, u=5, psi=acos(-0.6)), {"x": 1}, {"y": 1})
    with pytest.raises(MathematicsError, match=r"free along \(x \+ 0\.75 y\).*a selection rule is needed"):
        solve(record)


def test_21_singular_inertia_is_nothing_special():
    """A massless cursor y carried along x: M is singular, and K as a whole is not."""
    text = """
    [coordinates]
    x = 0
    y = 0
    [speeds]
    x = 2
    [energy]
    kinetic = "x'^2/2"
    potential = "-3*x"
    [constraints]
    follow = "y' = sin(x)*x' + 0"
    """
    start = prepare(rows(text, {"x": "-sin(x)", "y": "1"}))
    D, *_ = start.system.unpacked(start.system.dynamics(start.x))
    assert np.linalg.matrix_rank(D) == 1
    state = solve(rows(text, {"x": "-sin(x)", "y": "1"}))
    assert state.accelerations == pytest.approx({"x": 3, "y": 4}, rel=1e-12)
