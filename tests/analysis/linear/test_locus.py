"""Root loci: eigenvalues over a parameter or a speed, followed by continuity, with critical values to rounding."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.analysis.linear.locus import critical_values, followed, paired
from dalembert.cli.main import run
from dalembert.model.read import model_of

# Meijaard, Papadopoulos, Ruina and Schwab (2007), (5.4)–(5.7), as printed
M = [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]]
K0 = [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]]
K2 = [[0, 76.59734589573222], [0, 2.65431523794604]]
C1 = [[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]]
WEAVE, CAPSIZE = 4.29238253634111, 6.02426201538837
UPRIGHT = {"lean": 0, "yaw'": 0, "lean'": 0}


def benchmark(v: float) -> list[complex]:
    """The four eigenvalues of M λ² + v C1 λ + g K0 + v² K2, to 30 digits."""
    with mpmath.workdps(30):
        mass, damping = mpmath.matrix(M), v * mpmath.matrix(C1)
        stiffness = mpmath.mpf("9.81") * mpmath.matrix(K0) + mpmath.mpf(v) ** 2 * mpmath.matrix(K2)
        inverse = mass**-1
        first = mpmath.zeros(4, 4)
        first[:2, 2:] = mpmath.eye(2)
        first[2:, :2], first[2:, 2:] = -inverse * stiffness, -inverse * damping
        return [complex(value) for value in mpmath.eig(first, left=False, right=False)]


@pytest.fixture(scope="module")
def bicycle() -> Any:
    return da.gallery("whipple-bicycle").root_locus("v", np.linspace(0, 10, 41), settings={"push": 0})


def test_bicycle_has_the_benchmark_s_eigenvalues(bicycle: Any) -> None:
    for member in bicycle.members:
        left = member.eigenvalues.tolist()
        for value in benchmark(member.value):
            nearest = min(left, key=lambda e: abs(e - value))
            assert abs(nearest - value) <= 1e-9 * max(1.0, abs(value)), (member.value, value)
            left.remove(nearest)
        assert np.abs(left).max() < 1e-9 and len(left) == 6


def test_weave_and_capsize_speeds(bicycle: Any) -> None:
    weave, capsize = [turn for turn in bicycle.critical if turn.kind == "crossing"]
    assert weave.value == pytest.approx(WEAVE, abs=1e-12) and weave.stability == ("unstable", "stable")
    assert capsize.value == pytest.approx(CAPSIZE, abs=1e-12) and capsize.stability == ("stable", "unstable")
    assert weave.eigenvalue.imag == pytest.approx(3.43503384866144, abs=1e-10)
    (split,) = [turn for turn in bicycle.critical if turn.kind == "meeting"]
    assert split.value == pytest.approx(0.68428307889246, abs=1e-10)
    assert split.eigenvalue == pytest.approx(3.78290405129320, abs=1e-6)
    assert [word for _, _, word in bicycle.ranges] == ["unstable", "stable", "unstable"]
    assert [bicycle.ranges[1][0], bicycle.ranges[1][1]] == [weave.value, capsize.value]


def test_branches_do_not_jump(bicycle: Any) -> None:
    """Away from meetings, the steps of a branch are no longer than the distance to the other branches allows."""
    rows = bicycle.eigenvalues[4:]
    second = np.abs(rows[2:] - 2 * rows[1:-1] + rows[:-2])
    assert second.max() < 0.1


@pytest.mark.parametrize("v", [0.0, 5.0])
def test_bicycle_s_matrices(v: float) -> None:
    found = da.gallery("whipple-bicycle").linearize(settings={"v": v, "push": 0})
    matrices = found.matrices
    assert matrices is not None
    rows = [matrices.speeds.index(name) for name in ("phi'", "delta'")]
    columns = [matrices.coordinates.index(name) for name in ("phi", "delta")]
    assert matrices.M[np.ix_(rows, rows)] == pytest.approx(np.array(M), rel=1e-12)
    assert matrices.C[np.ix_(rows, rows)] == pytest.approx(v * np.array(C1), rel=1e-12, abs=1e-11)
    assert matrices.K[np.ix_(rows, columns)] == pytest.approx(9.81 * np.array(K0) + v**2 * np.array(K2), rel=1e-12)


@pytest.mark.parametrize("name", ["whipple-bicycle", "double-pendulum"])
def test_modes_are_modes(name: str) -> None:
    """Of every mode δq̇ = δv, dependent coordinates included."""
    rest: dict[str, float] = {"theta1": 0, "theta2": 0, "theta1'": 0, "theta2'": 0}
    at_rest = rest if name == "double-pendulum" else {"push": 0.0}
    found = da.gallery(name).linearize(settings=at_rest)
    assert len(found.modes) in (2, 3)
    for mode in found.modes:
        for coordinate, amplitude in mode.coordinates.items():
            expected = mode.eigenvalue * amplitude
            assert mode.speeds[coordinate] == pytest.approx(expected, abs=1e-8 * max(1.0, abs(expected)))
        shape = [abs(a) for q, a in mode.coordinates.items() if q not in found.steady.ignorable]
        assert max(shape) == pytest.approx(1.0)


def test_second_order_form_of_a_chain() -> None:
    chain = da.gallery("double-pendulum").linearize(settings={"theta1": 0, "theta2": 0, "theta1'": 0, "theta2'": 0})
    matrices = chain.matrices
    assert matrices is not None and np.allclose(matrices.M, matrices.M.T) and not matrices.C.any()
    for mode in chain.modes:
        q = np.array([mode.coordinates[name] for name in matrices.coordinates])
        rest = matrices.M @ q * mode.eigenvalue**2 + matrices.K @ q
        assert np.abs(rest).max() < 1e-11


def test_disk_is_stable_above_routh_s_speed() -> None:
    """Ω² > g/(3R): a pair meets at zero and turns onto the imaginary axis."""
    locus = da.gallery("rolling-disk").root_locus("roll'", np.linspace(0.5, 5, 10), settings=UPRIGHT)
    (turn,) = locus.critical
    assert turn.kind == "meeting" and turn.value == pytest.approx(sqrt(9.81 / (3 * 0.5)), abs=1e-12)
    assert turn.stability == ("unstable", "neutral") and turn.eigenvalue == 0
    assert [word for _, _, word in locus.ranges] == ["unstable", "neutral"]


def test_constraints_put_into_the_energy_too_soon_say_another_speed() -> None:
    """T with the dependent speeds replaced, differentiated as if they had been free: (C + mR²)² instead of C (C + mR²).

    A known error of textbooks and of tutorials of other software; the disk would be called stable above g/(9R).
    """
    reduced = {
        "parameters": {"R": 0.5, "g": 9.81},
        "coordinates": {"yaw": 0.3, "lean": 0.0, "roll": 0.0},
        "speeds": {"yaw": 0, "lean": 0, "roll": 2.0},
        "definitions": {"s": "roll' + yaw'*sin(lean)"},
        "energy": {
            "kinetic": "R^2*s^2/2 + R^2*lean'^2/2 + R^2*(lean'^2 + yaw'^2*cos(lean)^2)/8 + R^2*s^2/4",
            "potential": "g*R*cos(lean)",
        },
    }
    wrong = da.Model.of(model_of(reduced)).linearize()
    right = da.gallery("rolling-disk").linearize(settings={**UPRIGHT, "roll'": 2.0})
    A, C, g, R = 1 / 16, 1 / 8, 9.81, 0.5
    fall, inertia = g * R, A + R**2
    assert max(right.eigenvalues.real) ** 2 == pytest.approx((fall - C * (C + R**2) * 4 / A) / inertia)
    assert max(abs(wrong.eigenvalues.imag)) ** 2 == pytest.approx(((C + R**2) ** 2 * 4 / A - fall) / inertia)
    assert right.stability == "unstable" and wrong.stability == "neutral"


def test_rattleback_prefers_one_sense_of_spin() -> None:
    """Spun in one direction the pitching mode grows fast. In the other it decays, and rolling grows ten times slower.

    Bondi (1986): at small spin the two modes' growth rates are odd in it, and of opposite signs.
    """
    still = {"sigma": 0, "roll": 0, "pitch": 0, "roll'": 0, "pitch'": 0}
    locus = da.gallery("rattleback").root_locus("yaw'", np.linspace(-10, 10, 21), settings=still)
    growth = {member.value: max(member.eigenvalues.real) for member in locus.members}
    frequency = {m.value: m.eigenvalues[m.eigenvalues.real.argmax()].imag for m in locus.members}
    assert growth[5.0] == pytest.approx(2.12069, rel=1e-5) and abs(frequency[5.0]) > 100
    assert growth[-5.0] == pytest.approx(0.202521, rel=1e-5) and abs(frequency[-5.0]) < 40
    assert all(growth[n] > 9 * growth[-n] for n in growth if n > 0)
    assert {turn.value for turn in locus.critical} == {0.0} and len(locus.critical) == 2


def oscillators(**forces: str) -> da.Model:
    data: dict[str, Any] = {
        "parameters": {"p": 0.5},
        "coordinates": {"x": 0, "y": 0},
        "energy": {"kinetic": "(x'^2 + y'^2)/2", "potential": "x^2/2 + 2*y^2"},
        "forces": {"f": {"generalized": forces}},
    }
    return da.Model.of(model_of(data))


def test_damping_that_changes_its_sign() -> None:
    """x″ + 2p x′ + x = 0: it grows for p < 0, and does not oscillate for |p| > 1."""
    locus = oscillators(x="-2*p*x'", y="-y'").root_locus("p", np.linspace(-1.9, 2.1, 21))
    found = [(turn.kind, round(turn.value, 12)) for turn in locus.critical]
    assert found == [("meeting", -1.0), ("crossing", 0.0), ("meeting", 1.0)]
    assert [turn.eigenvalue.real for turn in locus.critical] == pytest.approx([1, 0, -1], abs=1e-7)
    assert locus.critical[1].eigenvalue == pytest.approx(1j)


def test_frequencies_that_meet() -> None:
    """A follower force: ω² = 5/2 ± √(9/4 − p²), flutter beyond p = 3/2 (Ziegler's kind of instability)."""
    locus = oscillators(x="-p*y", y="p*x").root_locus("p", np.linspace(0.5, 2.5, 9))
    (turn,) = locus.critical
    assert turn.kind == "meeting" and turn.value == pytest.approx(1.5, abs=1e-12)
    assert turn.eigenvalue == pytest.approx(1j * sqrt(2.5), abs=1e-6) and turn.stability == ("neutral", "unstable")
    assert turn.words == "two frequencies meet"


@given(st.integers(0, 10_000))
@settings(derandomize=True, max_examples=40, deadline=None)
def test_matrices_that_change_smoothly_are_followed(seed: int) -> None:
    """Eigenvalues of A + p B by continuity: the sum over branches of any power is the trace, and none jumps."""
    generator = np.random.default_rng(seed)
    A, B = generator.normal(size=(2, 5, 5))

    def spectrum(p: float) -> np.ndarray:
        return np.linalg.eigvals(A + p * B)

    values = np.linspace(0, 1, 41)
    branches = followed(spectrum, values, [spectrum(p) for p in values])
    assert branches.nodes[branches.asked] == pytest.approx(values)
    for p, row in zip(branches.nodes, branches.eigenvalues, strict=True):
        assert (row**3).sum().real == pytest.approx(np.trace(np.linalg.matrix_power(A + p * B, 3)), abs=1e-9)
    critical, lost = critical_values(spectrum, branches)
    assert not lost
    for turn in critical:
        there = spectrum(turn.value)
        if turn.kind == "crossing":
            assert np.abs(there.real).min() < 1e-10
        else:
            apart = np.abs(there[:, None] - there[None, :]) + 10 * np.eye(5)
            assert apart.min() < 1e-5


def test_pairing_keeps_zeros_apart() -> None:
    assert paired(np.array([0.8, -0.8, 0, 0]), np.array([2.4j, -2.4j, 0, 0]))[2:].tolist() == [0, 0]


def test_files_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["linearize", "simple-pendulum", "--set", "theta'=0", "--vary", "theta=0:3.141592653589793:3"]
    for ending in ("csv", "json", "png", "svg"):
        assert run([*arguments, "-o", str(tmp_path / f"locus.{ending}")]) == 0
    capsys.readouterr()
    assert run([*arguments, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer) == [
        *("method", "vary", "steady", "held", "members", "critical", "ranges", "failures", "notes"),
    ]
    assert json.loads((tmp_path / "locus.json").read_text()) == answer
    header = (tmp_path / "locus.csv").read_text().splitlines()[0].split(",")
    assert header == [
        "theta",
        "theta'",
        *(f"eigenvalue.{k}.{part}" for k in (1, 2) for part in ("re", "im")),
        "stability",
    ]
    assert (tmp_path / "locus.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--vary", "v"], "NAME=FROM:TO:N is expected"),
        (["--vary", "v=0:1"], "NAME=FROM:TO:N is expected"),
        (["--vary", "v=0:1:x"], "the number of values"),
        (["--vary", "v=0:1:1"], "2 to 100000 are expected"),
        (["--vary", "w9=0:1:3"], "w9"),
        (["--vary", "v=1:0:3"], "do not ascend"),
        (["-o", "locus.png"], "--vary"),
        (["--vary", "v=0:1:3", "-o", "locus.nc"], "the endings known are .csv, .json, .png, .svg"),
    ],
)
def test_calls_at_fault(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["linearize", "whipple-bicycle", *options]) == 2
    assert said in capsys.readouterr().err
