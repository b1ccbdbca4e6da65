"""Exported modules of Python: run apart from this package, their accelerations are the engine's."""

from __future__ import annotations

import importlib.util
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.exchange.export import TARGETS
from dalembert.prepared import prepared
from dalembert.programs.dialects import INFIX, Dialect
from dalembert.programs.program import FREE, KINDS

sys.path.insert(0, str(Path(__file__).parent))
from exports import states_of

FEW = ["rolling-disk", "appell-hamel", "four-bar", "raindrop", "rattleback"]


def loaded(name, to, folder, **options):
    (path,) = da.gallery(name).export(to, folder / "plant.py", **options)
    needs = [line.split()[1] for line in path.read_text().splitlines() if line.startswith("import")]
    assert ("dalembert" in needs) == (options.get("what") == "motion")
    return module_at(path)


def module_at(path):
    spec = importlib.util.spec_from_file_location("plant", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", [*FEW, "whipple-bicycle"])
def test_numpy(name, tmp_path):
    module, states = loaded(name, "numpy", tmp_path), states_of(name)
    assert list(module.PARAMETERS.values()) == states.p.tolist()
    states.same(module.slopes)
    together = module.slopes(states.t, states.q.T, states.v.T)  # all states at once, with the model's own parameters
    alone = np.column_stack([module.slopes(states.t, q, v) for q, v in zip(states.q, states.v, strict=True)])
    assert np.abs(together - alone).max() <= 1e-13 * (1.0 + np.abs(alone).max())


def test_numpy_says_what_is_missing(tmp_path):
    module = loaded("rolling-disk", "numpy", tmp_path)
    assert da.gallery("rolling-disk").record.title == module.MODEL
    assert ("kane", da.__version__) == (module.METHOD, module.VERSION)
    with pytest.raises(ValueError, match="1 values were given for x, y"):
        module.slopes(0.0, [0.0], [0.0])


def test_numpy_where_one_state_is_singular(tmp_path):
    module = loaded("simple-pendulum", "numpy", tmp_path)
    values = list(module.PARAMETERS.values())
    p = [np.array([value, 0.0]) for value in values]
    a = module.slopes(0.0, [0.3], [0.0], p)
    assert np.isfinite(a[0, 0])
    assert np.isnan(a[0, 1])


@pytest.mark.parametrize("target", [to for to, holds in TARGETS.items() if "slopes" in holds])
def test_every_operation_has_its_words(target):
    """A target without a table of words uses that of C, which a test of programs covers."""
    words = getattr(import_module(f"dalembert.exchange.export.{TARGETS[target]['slopes']}"), "WORDS", None)
    if isinstance(words, Dialect):
        assert {*words.words, *INFIX, *FREE} >= KINDS


def test_numpy_with_steps_in_a_force(tmp_path):
    model = da.Model("steps")
    x = model.coordinate("x", 0.4)
    model.energy(kinetic=x.dot**2 / 2)
    model.force("push", generalized={x: da.floor(3 * x) + da.mod(x, 0.3)})
    model.export("numpy", tmp_path / "plant.py")
    assert module_at(tmp_path / "plant.py").slopes(0.0, [0.4], [0.0]) == pytest.approx([1.1])
    assert model.solve().accelerations["x"] == pytest.approx(1.1)


@pytest.fixture
def jax():
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax


def some(names, quick):
    """Names as test parameters; only the quick ones are not marked slow."""
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.mark.parametrize("name", some(FEW, ["appell-hamel", "raindrop"]))
def test_jax(name, jax, tmp_path):
    """Values, the same under jit and vmap, and gradients that agree with differences of values."""
    module, states = loaded(name, "jax", tmp_path), states_of(name)
    states.same(module.slopes)
    slopes = jax.jit(module.slopes)
    states.same(slopes)
    together = jax.vmap(lambda q, v: module.slopes(states.t, q, v))(states.q, states.v)
    assert np.abs(together - states.a).max() <= 1e-12 * (1.0 + np.abs(states.a).max())
    jacobian = np.asarray(jax.jacobian(slopes, argnums=1)(states.t, states.q[1], states.v[1], states.p))
    for i, column in enumerate(jacobian.T):
        step = 1e-5 * np.eye(len(column))[i]
        ends = [np.asarray(slopes(states.t, states.q[1] + s, states.v[1], states.p)) for s in (step, -step)]
        assert np.abs((ends[0] - ends[1]) / 2e-5 - column).max() <= 1e-6 * (1.0 + np.abs(jacobian).max())


@pytest.mark.parametrize("name", ["simple-pendulum-cartesian", "appell-hamel"])
def test_projection_of_jax(name, jax, tmp_path):
    """States off the constraints come back to them, by the smallest change; the map has a derivative."""
    module, start = loaded(name, "jax", tmp_path), prepared(da.gallery(name).record, often=False).at()
    rows, n, random = start.system, start.system.n, np.random.default_rng(3)
    q, v = (x + 1e-3 * random.uniform(-1.0, 1.0, n) for x in (start.q, start.v))
    project = jax.jit(lambda q, v: module.projected(start.time, q, v))
    found = [np.asarray(x) for x in project(q, v)]
    x = rows.state(start.time, *found)
    assert np.abs(rows.velocity(x)[: rows.m]).max() < 1e-14
    assert rows.mh == 0 or np.abs(rows.position(x)[: rows.mh]).max() < 1e-14
    A = rows.velocity(x)[rows.m :].reshape(rows.m, n)
    change = found[1] - v  # at right angles to all free directions, up to the square of its size
    assert np.linalg.norm(change - A.T @ np.linalg.lstsq(A.T, change, rcond=None)[0]) < 1e-2 * np.linalg.norm(change)
    slopes = jax.jacobian(lambda v: project(q, v)[1])(jax.numpy.array(v))
    assert np.isfinite(slopes).all() and np.abs(A @ slopes).max() < 1e-8


def test_no_projection_without_constraints(jax, tmp_path):
    assert not hasattr(loaded("simple-pendulum", "jax", tmp_path), "projected")


def test_motion_of_jax(jax, tmp_path):
    """A ball bounces: derivatives of its motion by height, restitution and time are those of the formula."""
    ball = loaded("bouncing-ball", "jax", tmp_path, what="motion")
    assert ball.NAMES == ("e", "z", "z'") and ball.QUANTITIES == ("z", "z'")
    jnp, times, x = jax.numpy, jax.numpy.array([0.1, 0.6, 1.1]), jax.numpy.array(ball.START)

    def formula(t, x):
        e, z, g = x[0], x[1], 9.81
        after = t - jnp.sqrt(2 * z / g)
        speed = jnp.where(after < 0, -g * t, e * jnp.sqrt(2 * g * z) - g * after)
        return jnp.stack([jnp.where(after < 0, z - g * t**2 / 2, (speed + g * after / 2) * after), speed], axis=1)

    assert np.abs(ball.motion(times) - formula(times, x)).max() < 1e-12
    expected = jax.jacobian(formula, argnums=1)(times, x)[..., :2]
    for derive in (jax.jacfwd, jax.jacrev):
        assert np.abs(jax.jit(derive(ball.motion, argnums=1))(times, x)[..., :2] - expected).max() < 1e-8
    rates = jax.jvp(lambda t: ball.motion(t, x), (times,), (jnp.ones(3),))[1]
    assert np.abs(rates[:, 0] - formula(times, x)[:, 1]).max() < 1e-12 and np.abs(rates[:, 1] + 9.81).max() < 1e-12
    heights = jax.vmap(lambda z: ball.motion(times, x.at[1].set(z)))(jnp.array([1.0, 1.5]))
    assert np.abs(heights[1] - formula(times, x.at[1].set(1.5))).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("name", ["simple-pendulum", "chaplygin-sleigh", "raindrop", "double-pendulum"])
def test_gradients_by_diffrax(name, jax, tmp_path):
    """A motion that diffrax makes of the slopes, and its gradients, are those of the engine."""
    diffrax = pytest.importorskip("diffrax", reason="diffrax is not installed")
    (tmp_path / "slopes").mkdir()
    here, there = loaded(name, "jax", tmp_path, what="motion"), loaded(name, "jax", tmp_path / "slopes")
    jnp, n, end = jax.numpy, len(there.COORDINATES), 0.7
    parameters = list(there.PARAMETERS)
    places = [here.NAMES.index(name) for name in parameters if name in here.NAMES]
    own = [i for i, name in enumerate(parameters) if name in here.NAMES]
    p0 = jnp.array(list(there.PARAMETERS.values()))

    def field(t, y, p):
        return jnp.concatenate([y[n:], there.slopes(t, y[:n], y[n:], p)])

    def last(x):
        y, p = x[-2 * n :], p0.at[jnp.array(own)].set(x[jnp.array(places)]) if own else p0
        control = diffrax.PIDController(rtol=1e-12, atol=1e-12)
        found = diffrax.diffeqsolve(
            diffrax.ODETerm(field), diffrax.Dopri8(), 0.0, end, 1e-3, y, p, stepsize_controller=control,
            adjoint=diffrax.ForwardMode(), max_steps=10_000,
        )  # fmt: skip
        return found.ys[0]

    x = jnp.array(here.START)
    assert np.abs(last(x) - here.motion([end], x)[0]).max() < 1e-9
    free = slice(None) if n == 1 else slice(0, len(x) - 2 * n)  # the constraints couple the initial values
    expected = jax.jacfwd(last)(x)[:, free]
    found = jax.jacrev(lambda x: here.motion([end], x)[0])(x)[:, free]
    assert np.abs(found - expected).max() < 1e-8 * (1 + np.abs(expected).max())


@pytest.mark.parametrize("name", some(FEW, ["appell-hamel", "rolling-disk"]))
def test_casadi(name, tmp_path):
    """Values of the Function of SX and of MX, and its Jacobian against differences."""
    import casadi as ca

    module, states = loaded(name, "casadi", tmp_path), states_of(name)
    for kind in (ca.SX, ca.MX):
        function = module.function(kind)
        states.same(lambda *given, f=function: f(*given))
    jacobian = np.asarray(function.jacobian()(states.t, states.q[1], states.v[1], states.p, [], [])[2])
    for i, column in enumerate(jacobian.T):
        step = 1e-5 * np.eye(len(column))[i]
        ends = [function(states.t, states.q[1], states.v[1] + s, states.p, []) for s in (step, -step)]
        difference = np.asarray(ends[0] - ends[1]).ravel() / 2e-5
        assert np.abs(difference - column).max() <= 1e-6 * (1.0 + np.abs(jacobian).max())
