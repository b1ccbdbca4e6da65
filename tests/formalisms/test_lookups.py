"""table(x, NAME), and constraints that follow data: against equations written by hand, by every method."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import dalembert as da
from dalembert.errors import ModelError
from dalembert.model.read import model_of
from machines import same

TIMES = [0.0, 0.5, 0.8, 1.5, 2.5]
VALUES = [0.1, 0.4, -0.2, 0.3, 0.0]


def data(between: str, **more) -> dict:
    return {"times": TIMES, "values": VALUES, "between": between} | more


def spline_by_hand(at: str) -> str:
    """The natural spline, from the second derivatives of its own tridiagonal equations."""
    t, y = np.array(TIMES), np.array(VALUES)
    h = np.diff(t)
    K = np.diag(2 * (h[:-1] + h[1:])) + np.diag(h[1:-1], 1) + np.diag(h[1:-1], -1)
    m = np.concatenate([[0], np.linalg.solve(K, 6 * np.diff(np.diff(y) / h)), [0]]).tolist()
    found = repr(y[-1])
    for i in reversed(range(len(h))):
        a, b = f"({float(t[i + 1])!r} - {at})", f"({at} - {float(t[i])!r})"
        piece = f"{m[i]!r}*{a}^3/{6 * float(h[i])!r} + {m[i + 1]!r}*{b}^3/{6 * float(h[i])!r}"
        piece += f" + ({y[i] / h[i] - m[i] * h[i] / 6!r})*{a} + ({y[i + 1] / h[i] - m[i + 1] * h[i] / 6!r})*{b}"
        found = f"if({at} < {float(t[i + 1])!r}, {piece}, {found})".replace("np.float64", "")
    return f"if({at} < {TIMES[0]!r}, {VALUES[0]!r}, {found})".replace("np.float64", "")


def lines_by_hand(at: str) -> str:
    found = repr(VALUES[-1])
    for i in reversed(range(len(TIMES) - 1)):
        slope = (VALUES[i + 1] - VALUES[i]) / (TIMES[i + 1] - TIMES[i])
        found = f"if({at} < {TIMES[i + 1]!r}, {VALUES[i]!r} + ({slope!r})*({at} - {TIMES[i]!r}), {found})"
    return f"if({at} < {TIMES[0]!r}, {VALUES[0]!r}, {found})"


def hill(height: str, x: float = 0.9, **more) -> dict:
    return {
        "gravity": [0, 0, -9.81],
        "coordinates": {"x": {"initial": x, "speed": 0.7}, "y": {"initial": 0.2, "speed": -0.3}},
        "bodies": {"p": {"mass": 2, "position": ["x", "y", "0.3*x*y"]}},
        "energy": {"potential": height},
        "constraints": {"way": "y' = x*x'"},
    } | more


@pytest.mark.parametrize("x", [-1.0, 0.3, 0.6, 1.4, 2.0, 3.0])
@pytest.mark.parametrize(("between", "by_hand"), [("cubic", spline_by_hand), ("linear", lines_by_hand)])
def test_a_table_of_a_place_is_what_is_written_by_hand(between, by_hand, x):
    same(hill("5*table(x - 0.1*y, w)", x, inputs={"w": data(between)}), hill(f"5*{by_hand('(x - 0.1*y)')}", x))


def test_a_table_gives_the_values_of_the_spline():
    model = da.Model.of(model_of(hill("0", inputs={"w": data("cubic", unit="cm")}, outputs={"o": "table(x, w)"})))
    exact = CubicSpline(TIMES, VALUES, bc_type="natural")
    for x in np.linspace(-0.5, 3, 15):
        expected = exact(np.clip(x, 0, 2.5)) / 100
        assert model.solve(settings={"x": float(x)}).outputs["o"] == pytest.approx(float(expected), abs=1e-15)


def test_a_table_of_time_is_the_input_itself():
    named, called = (
        da.Model.of(model_of(hill("0", inputs={"w": data("linear")}, forces={"f": {"generalized": {"x": e}}})))
        for e in ("3*w", "3*table(t, w)")
    )
    first, second = named.simulate(until=2, samples=9), called.simulate(until=2, samples=9)
    np.testing.assert_array_equal(first["x"], second["x"])
    assert first.diagnostics.steps == second.diagnostics.steps


def test_a_model_keeps_its_tables(tmp_path):
    model = da.Model.of(model_of(hill("table(x, w)", inputs={"w": data("hold")})))
    model.save(tmp_path / "m.toml")
    assert "table(x, w)" in (tmp_path / "m.toml").read_text()
    again = da.load(tmp_path / "m.toml")
    assert again.record == model.record
    built = da.Model()
    x, w = built.coordinates("x"), built.input("w", **data("hold"))
    assert str(da.table(x, w)) == "table(x, w)"


def cart(follows: str, start: float = 0.0, **more) -> dict:
    return {
        "gravity": [0, 0, -9.81],
        "coordinates": {"x": 0, "a": {"initial": 0.4, "speed": 0.6}},
        "bodies": {
            "cart": {"mass": 2, "position": ["x", 0, 0]},
            "bob": {"mass": 1, "position": ["x + sin(a)", 0, "-cos(a)"]},
        },
        "constraints": {"drive": follows},
        "simulation": {"duration": 1, "start": start},
    } | more


@pytest.mark.parametrize("start", [0.1, 0.6, 1.2])
@pytest.mark.parametrize("row", ["x = 0.2*sin(3*{}) + a", "x' = {}*cos(a)"])
def test_a_constraint_follows_data_as_it_follows_the_same_by_hand(row, start):
    inputs = {"w": data("cubic"), "twice": "2*w"}
    same(cart(row.format("twice"), start, inputs=inputs), cart(row.format(f"(2*{spline_by_hand('t')})"), start))


def test_a_speed_follows_linear_data():
    """x' = w with a bend at every knot, also beyond the data, where w stays as it is; and by every method."""
    model = da.Model.of(model_of(cart("x' = w", inputs={"w": data("linear")})))
    for method in ("kane", "chetaev", "maggi", "udwadia-kalaba"):
        motion = model.simulate(method, at=np.linspace(0, 3, 31))
        np.testing.assert_allclose(motion["x'"], np.interp(motion.times, TIMES, VALUES), atol=1e-13)
        between = ~np.isin(np.round(motion.times, 9), TIMES)
        slopes = np.append(np.diff(VALUES) / np.diff(TIMES), 0.0)[np.searchsorted(TIMES, motion.times, "right") - 1]
        np.testing.assert_allclose(motion["x''"][between], slopes[between], atol=1e-12)


def test_a_motion_follows_data_to_their_end():
    exact = CubicSpline(TIMES, VALUES, bc_type="natural")
    motion = da.Model.of(model_of(cart("x = w", inputs={"w": data("cubic")}))).simulate(until=2.5, samples=26)
    for order, name in enumerate(("x", "x'", "x''")):
        np.testing.assert_allclose(motion[name], exact(motion.times, order), atol=1e-12)
    assert motion.diagnostics.constraint_residual < 1e-12


def refused(stated: dict, sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        model_of(stated)


def test_faults():
    long = {"times": list(range(201)), "values": [0.0] * 201}
    refused(hill("table(x, w)", inputs={"w": long}), "at most 200 are expected")
    refused(hill("table(x, 3)"), "table takes the name of an input from data second, and 3 was met")
    refused(hill("table(x, y)", inputs={"w": data("hold")}), "and y was met")
    refused(hill("table(x, u)"), "'u' is not known")
    for between in ("hold", "linear"):
        refused(cart("x = w", inputs={"w": data(between)}), 'between = "cubic" have them')
    refused(cart("x = u", sampled={"c": {"every": 0.1, "u": "a"}}), "without the derivatives that the motion needs")
    refused(cart("x' = w", inputs={"w": data("hold")}), '"linear" is enough where speeds stand')
    refused({**hill("0", inputs={"w": data("cubic")}), "points": {"o": ["w", 0, 0]}}, "no derivative")
    model = da.Model.of(model_of(cart("x = w", inputs={"w": data("cubic")})))
    with pytest.raises(ModelError, match=r"from t = 0 to 2.5, and the motion goes from 0 to 3"):
        model.simulate(until=3)
    with pytest.raises(ModelError, match=r"from t = 0 to 2.5"):
        model.sweep({"a": [0.1, 0.2]}, until=3)
