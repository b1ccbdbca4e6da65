"""States, data and sampled controllers in motions, against the same motions written by hand and put together."""

from itertools import pairwise

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ModelError
from dalembert.model.read import model_of
from machines import CHETAEV
from random_systems import case

BASE = {
    "gravity": [0, 0, -9.81],
    "parameters": {"k": 3.0},
    "coordinates": {"x": {"initial": 0.3, "speed": 0.5}, "y": {"initial": -0.2, "speed": 1.2}},
    "bodies": {"p": {"mass": 2, "position": ["x", "y", "0.3*x^2"]}, "q": {"mass": 1, "position": ["x*y", 0, "y"]}},
}
CART = {
    "coordinates": {"x": {"initial": 1, "speed": -0.5}},
    "energy": {"kinetic": "x'^2", "potential": "1.5*x^2"},
}
DATA = {"times": [0.2, 0.5, 0.75, 1.3], "values": [1, -2, 3, 0.5]}
END = 1.5


def with_force(expression, **more):
    return BASE | {"forces": {"f": {"generalized": {"x": expression, "y": "0.5*y'"}}}} | more


def model(data):
    return da.Model.of(model_of(data))


def put_together(data, pieces, names, method="kane", **options):
    """The state at the end of intervals, each a motion of its own with the force that `pieces(t, state)` writes."""
    state = {}
    for (first, last), force in pieces:
        stated = dict(data)
        if state:
            stated["coordinates"] = {n: {"initial": state[n], "speed": state[f"{n}'"]} for n in names}
        stated |= {"simulation": {"start": first, "duration": last - first, "tolerance": 1e-12}}
        stated["forces"] = {"f": {"generalized": {names[0]: force(state)}}}
        run = model(stated).simulate(method, at=[last], **options)
        state = {n: float(run[n][-1]) for m in names for n in (m, f"{m}'")}
    return state


def linear(k):
    t, v = DATA["times"], DATA["values"]
    return f"({v[k]}) + ({(v[k + 1] - v[k]) / (t[k + 1] - t[k])!r})*(t - {t[k]})"


def spline(k):
    from scipy.interpolate import CubicSpline

    c = CubicSpline(DATA["times"], DATA["values"], bc_type="natural").c[:, k].tolist()
    s = f"(t - {DATA['times'][k]})"
    return f"(({c[0]!r}*{s} + ({c[1]!r}))*{s} + ({c[2]!r}))*{s} + ({c[3]!r})"


BETWEEN = {"hold": lambda k: repr(float(DATA["values"][k])), "linear": linear, "cubic": spline}


@pytest.mark.parametrize("between", BETWEEN)
def test_data_are_pieces_of_motions_put_together(between):
    """On a mechanism whose generalized forces are random, by every method."""
    edges = [0.0, *DATA["times"], END]
    texts = ["1.0", *(BETWEEN[between](k) for k in range(3)), "0.5"]
    pieces = [((a, b), lambda _, text=text: f"{text} - 0.4*x*y'") for a, b, text in
              zip(edges[:-1], edges[1:], texts, strict=True)]  # fmt: skip
    expected = put_together(BASE, pieces, ["x", "y"])
    data = BASE | {"inputs": {"u": DATA | {"between": between}}}
    data["forces"] = {"f": {"generalized": {"x": "u - 0.4*x*y'"}}}
    data["simulation"] = {"duration": END, "tolerance": 1e-12}
    for method in CHETAEV:
        run = model(data).simulate(method, samples=2)
        for name, value in expected.items():
            assert run[name][-1] == pytest.approx(value, abs=1e-10), (method, name)
    assert run.inputs["u"].tolist() == [1.0, 0.5]


def test_states_are_coordinates_that_rows_lead():
    """In forces, in another rate, in a nonholonomic row and as a spring's rest length, by every method."""
    states = {"e": {"initial": 0.4, "rate": "x' - 0.5*e + x*y"}, "f": {"initial": -0.1, "rate": "e^2 + y' - f"}}
    row = {"c": "x' - (0.5 + e)*y' + 0.1*f = 0.3"}
    start = {"x": 0.3, "y": {"initial": -0.2, "speed": 1.2}}
    spring = {"potential": "0.5*(x - e)^2"}
    first = with_force("k*e - f*x", states=states, constraints=row, coordinates=start, energy=spring)
    rows = row | {"re": "e' = x' - 0.5*e + x*y", "rf": "f' = e^2 + y' - f"}
    second = with_force("k*e - f*x", constraints=rows, coordinates=start | {"e": 0.4, "f": -0.1}, energy={})
    second["forces"]["f"] = {"generalized": {"x": "k*e - f*x - (x - e)", "y": "0.5*y'"}}
    expected = model(second).simulate("kane", until=1, samples=5, tolerance=1e-12)
    for method in CHETAEV:
        run = model(first).simulate(method, until=1, samples=5, tolerance=1e-12)
        for name in ("x", "y'", "e", "f"):
            assert run[name] == pytest.approx(expected[name], abs=2e-10), (method, name)
    assert set(run.states) == {"e", "f"} and "states" in run.to_dict() and "e" in run.to_xarray()


@pytest.mark.parametrize("seed", [4, 8])
def test_states_of_random_systems(seed):
    drawn = case(seed, generalized=True, varying=False)
    names = list(drawn.data["coordinates"])
    rates = {"s1": f"{names[0]} - s1*s2", "s2": f"sin({names[1]}') - 0.3*s2 + 0.1*t"}
    pushes = drawn.data["forces"]["field"]["generalized"]
    push = {q: f"({text}) + 0.3*s1 - 0.2*s2" for q, text in pushes.items()}
    shared = drawn.data | {"forces": drawn.data["forces"] | {"field": {"generalized": push}}}
    start = dict(zip(names, drawn.q.tolist(), strict=True)), dict(zip(names, drawn.v.tolist(), strict=True))
    shared["coordinates"], shared["simulation"] = start[0], {"start": drawn.t, "duration": 0.2, "tolerance": 1e-12}
    shared["speeds"] = start[1]
    first = model(shared | {"states": {n: {"initial": 0.2, "rate": rate} for n, rate in rates.items()}})
    rows = {f"row_{n}": f"{n}' = {rate}" for n, rate in rates.items()}
    led = shared | {"constraints": shared.get("constraints", {}) | rows}
    led["coordinates"] = start[0] | dict.fromkeys(rates, 0.2)
    expected = model(led).simulate("kane", samples=2)
    for method in [m for m in first.methods() if m in CHETAEV]:
        run = first.simulate(method, samples=2)
        for name in (*names, *rates):
            assert run[name][-1] == pytest.approx(expected[name][-1], abs=1e-10), (method, name)


def controlled(**more):
    control = {"every": 0.1, "u": "-2*x - x' + 0.1*e", "w": "max(-0.3, x')"}
    data = CART | {"sampled": {"c": control}, "states": {"e": {"initial": 0.5, "rate": "x - e + 0.2*w"}}}
    return data | {"forces": {"f": {"generalized": {"x": "u + 0.3*e"}}}, "simulation": {"duration": 1}} | more


def by_scipy(end, offset=0.0, every=0.1):
    from scipy.integrate import solve_ivp

    ticks = [offset + k * every for k in range(int((end - offset) / every + 1e-9) + 1)]
    edges = np.unique([0.0, *ticks, end])
    y, u, w = np.array([1.0, -0.5, 0.5]), 0.0, 0.0
    for a, b in pairwise(edges.tolist()):
        if a in ticks:
            u, w = -2 * y[0] - y[1] + 0.1 * y[2], max(-0.3, y[1])
        y = solve_ivp(
            lambda _, y, u=u, w=w: [y[1], (u + 0.3 * y[2] - 3 * y[0]) / 2, y[0] - y[2] + 0.2 * w],
            (a, b), y, "DOP853", rtol=1e-13, atol=1e-14,
        ).y[:, -1]  # fmt: skip
    return y, -2 * y[0] - y[1] + 0.1 * y[2]


@pytest.mark.parametrize(("stepper", "step"), [("auto", None), ("dop853", None), ("radau", None), ("gauss", 0.01)])
def test_a_controller_acts_at_its_instants(stepper, step):
    y, u = by_scipy(1.0)
    run = model(controlled()).simulate(stepper=stepper, step=step, tolerance=1e-12, samples=3)
    assert [run["x"][-1], run["x'"][-1], run["e"][-1]] == pytest.approx(y.tolist(), abs=1e-11)
    assert run["u"][-1] == pytest.approx(u, abs=1e-11)  # at an instant, the value from then on
    assert run["x''"][-1] == pytest.approx((u + 0.3 * y[2] - 3 * y[0]) / 2, abs=1e-11)


def test_a_controller_that_begins_later_by_every_method():
    late = controlled()
    late["sampled"]["c"] = late["sampled"]["c"] | {"offset": 0.25}
    y, _ = by_scipy(1.0, offset=0.25)
    for method in CHETAEV:
        run = model(late).simulate(method, tolerance=1e-12, samples=2)
        assert [run["x"][-1], run["x'"][-1], run["e"][-1]] == pytest.approx(y.tolist(), abs=1e-11), method


def test_two_controllers_see_what_was_held_before_the_instant():
    data = CART | {"sampled": {"a": {"every": 0.5, "p": "q + 1"}, "b": {"every": 0.5, "q": "p + 10"}}}
    run = model(data | {"simulation": {"duration": 1}}).simulate(samples=3)
    assert run["p"].tolist() == [1, 11, 12] and run["q"].tolist() == [10, 11, 21]


def test_no_step_goes_over_a_knot():
    """A pulse that is shorter than a step of the free motion."""
    pulse = {"times": [5.0, 5.001, 5.002], "values": [0, 1000, 0], "between": "hold"}
    data = {"coordinates": {"x": 0}, "energy": {"kinetic": "x'^2/2"}, "inputs": {"u": pulse}}
    data["forces"] = {"f": {"generalized": {"x": "u"}}}
    run = model(data | {"simulation": {"duration": 10}}).simulate(samples=3)
    assert run["x'"].tolist() == pytest.approx([0, 0, 1])
    assert run["x"][-1] == pytest.approx(10 - 5.0015)


def test_a_long_file_costs_its_integration(tmp_path):
    times = np.linspace(0, 100, 100_001)
    values = np.sin(3 * times)
    rows = np.column_stack([times, values])
    np.savetxt(tmp_path / "push.csv", rows, delimiter=",", header="t,force", comments="")
    text = """
    [coordinates]
    x = 1
    [inputs]
    push = { signal = "push.csv", column = "force", time = "t" }
    [energy]
    kinetic = "x'^2/2"
    potential = "x^2/2"
    [forces.f]
    generalized = { x = "push" }
    [simulation]
    duration = 100
    """
    (tmp_path / "model.toml").write_text(text)
    run = da.load(tmp_path / "model.toml").simulate(samples=2)
    assert run.diagnostics.evaluations < 14 * 100_002
    assert run.diagnostics.seconds["integrate"] < 2
    t = 100.0  # x'' + x = sin 3t
    exact = np.cos(t) + 3 / 8 * np.sin(t) - np.sin(3 * t) / 8
    assert run["x"][-1] == pytest.approx(exact, abs=1e-6)  # linear between rows: h² of them


def test_events_at_jumps():
    data = controlled(events={"switch": {"when": "u + 0.9"}, "end": {"when": "u - 0.35", "stop": True}})
    run = model(data).simulate()
    free = model(controlled()).simulate(samples=11)
    first = int(np.flatnonzero(free["u"] > -0.9)[0])
    last = int(np.flatnonzero(free["u"] > 0.35)[0])
    assert [(e.name, e.time) for e in run.events] == [
        ("switch", pytest.approx(first / 10)),
        ("end", pytest.approx(last / 10)),
    ]
    assert run.status == "stopped" and run.times[-1] == pytest.approx(last / 10)


def ball(**more):
    return {
        "coordinates": {"z": {"initial": 1.0, "speed": 0}},
        "bodies": {"b": {"mass": 2, "position": [0, 0, "z"]}},
        "gravity": [0, 0, -10],
        "contacts": {"floor": {"gap": "z", "restitution": 0.5}},
    } | more


def test_a_jump_of_an_input_lifts_off():
    """A force that is held from t = 4 on lifts a ball at rest; then it is dropped."""
    lift = {"times": [0, 4, 5], "values": [0, 30, 0], "between": "hold"}
    data = ball(inputs={"u": lift}, forces={"f": {"generalized": {"z": "u"}}}, simulation={"duration": 8})
    run = model(data).simulate(at=[3.9, 4.0, 4.5, 5.0, 5.2])
    assert run["z"].tolist() == pytest.approx([0, 0, 0.5 * 5 * 0.25, 2.5, 2.5 + 5 * 0.2 - 5 * 0.04], abs=1e-9)
    assert run["multiplier.floor"].tolist() == pytest.approx([20, 0, 0, 0, 0], abs=1e-9)
    whole = model(data).simulate()
    assert ("liftoff", pytest.approx(4.0)) in [(e.kind, e.time) for e in whole.events]


def test_a_jump_of_an_input_makes_a_block_slip():
    """μ N = 4: it sticks while the force is 3, slips with 6, and stops after the force is gone."""
    data = {
        "coordinates": {"x": 0},
        "energy": {"kinetic": "x'^2"},
        "inputs": {"u": {"times": [0, 1, 2], "values": [3, 6, 0], "between": "hold"}},
        "forces": {"f": {"generalized": {"x": "u"}}},
        "frictions": {"floor": {"slip": ["x'"], "normal": 20, "coefficient": 0.2}},
        "simulation": {"duration": 4},
    }
    run = model(data).simulate(at=[0.5, 1.0, 1.5, 2.0, 2.25, 3])
    assert run["x'"].tolist() == pytest.approx([0, 0, 0.5, 1.0, 0.5, 0], abs=1e-9)
    assert [(e.kind, e.time) for e in run.events] == [("slip", pytest.approx(1)), ("stick", pytest.approx(2.5))]


def test_a_controller_and_a_state_with_contacts():
    """Flights between impacts, put together from motions without contacts."""
    control = {"every": 0.25, "u": "-4*(z - 0.3) - e"}
    data = ball(sampled={"c": control}, states={"e": {"rate": "z - e"}}, forces={"f": {"generalized": {"z": "u"}}})
    run = model(data).simulate(until=1.2, tolerance=1e-12)
    y, t, held = {"z": 1.0, "z'": 0.0, "e": 0.0}, 0.0, 0.0
    tick, impacts = 0.0, []
    while t < 1.2:
        if t == tick:
            held, tick = -4 * (y["z"] - 0.3) - y["e"], tick + 0.25
        flight = {n: v for n, v in data.items() if n not in ("contacts", "sampled")}
        flight["states"] = {"e": {"initial": y["e"], "rate": "z - e"}}
        flight["coordinates"] = {"z": {"initial": y["z"], "speed": y["z'"]}}
        flight["forces"] = {"f": {"generalized": {"z": held}}}
        flight["events"] = {"floor": {"when": "z", "stop": True}}
        last = min(tick, 1.2)
        flight["simulation"] = {"start": t, "duration": last - t, "tolerance": 1e-12}
        part = model(flight).simulate(samples=2)
        t = float(part.times[-1]) if part.status == "stopped" else last
        y = {n: float(part[n][-1]) for n in y}
        if part.status == "stopped":
            impacts.append(t)
            y |= {"z": 0.0, "z'": -0.5 * y["z'"]}
    assert [e.time for e in run.events if e.kind == "impact"] == pytest.approx(impacts, abs=1e-10)
    assert [run[n][-1] for n in y] == pytest.approx(list(y.values()), abs=1e-9)


@pytest.mark.parametrize("touching", [False, True])
def test_sweeps_follow_them_as_single_motions_do(touching):
    data = controlled(parameters={"g": 0.7}, inputs={"d": DATA | {"between": "linear"}})
    data["forces"] = {"f": {"generalized": {"x": "u + 0.3*e + g*d"}}}
    if touching:
        data["contacts"] = {"wall": {"gap": "x + 0.2", "restitution": 0.6}}
    found = model(data).sweep(
        {"g": [0.2, 0.7, 1.5], "e": [0.5, 0.9]},
        record=["final x", "final e", "final u", "final d", "max x", "u at 0:1:11"],
    )
    for i, g in enumerate((0.2, 0.7, 1.5)):
        for j, e in enumerate((0.5, 0.9)):
            run = model(data).changed({"g": g, "e": e}).simulate(samples=11)
            assert found["u(t)"][i, j].values == pytest.approx(run["u"], abs=1e-9)
            assert float(found["max x"][i, j]) >= run["x"].max()
            for name in ("x", "e", "u", "d"):
                assert float(found[f"final {name}"][i, j]) == pytest.approx(run[name][-1], abs=1e-9), name


def test_routes_that_cannot_say_so():
    cart = model(controlled())
    with pytest.raises(ModelError, match=r"taylor needs .* no states, data or controllers"):
        cart.simulate(stepper="taylor")
    whole = ball(states={"e": {"rate": "z"}}, simulation={"description": "whole-course", "duration": 1})
    with pytest.raises(ModelError, match=r"the whole-course description cannot follow states.*\(e\)"):
        model(whole).simulate()


def test_what_a_sweep_cannot_vary_is_said():
    data = controlled(parameters={"T": 0.1}, inputs={"d": DATA})
    data["sampled"]["c"] = data["sampled"]["c"] | {"every": "T"}
    for name, sentence in (
        ("d", "comes from data"),
        ("u", "the controller c computes it"),
        ("T", "every of the controller c"),
    ):
        with pytest.raises(ModelError, match=f"{name} cannot vary: .*{sentence}"):
            model(data).sweep({name: [0.1, 0.2]})


def test_the_derivation_shows_them():
    found = model(controlled(inputs={"d": DATA})).derive()
    text, told = str(found), found.to_dict()
    assert "First-order states\n  e   e′ = " in text
    assert "c, every 0.1 s from t = 0" in text and "d comes from data: 4 values" in text
    assert "w/5" in told["states"]["e"]
    assert told["sampled"]["c"]["every"] == 0.1 and told["signals"]["d"]["between"] == "linear"
    assert r"\subsection*{First-order states}" in found.latex()
