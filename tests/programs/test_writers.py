"""Every writer gives the same values; a state has the same bits alone and in any lane."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
import threading

import numpy as np
import pytest
import symengine as se
from lanes import by_lanes

from dalembert.counters import WORK
from dalembert.errors import MathematicsError
from dalembert.programs import c99, sines, wasm
from dalembert.programs.domain import domain_failure
from dalembert.programs.expressions import program
from dalembert.programs.functions import FEW_TIMES, OFTEN, compiled, function
from dalembert.programs.program import FREE, KINDS, PRICE

x, y = se.symbols("x y")
EXPRESSIONS = [
    se.sin(x), se.cos(x * y), se.tan(y), se.asin(x / 3), se.acos(y / 3), se.atan(x), se.atan2(y, x), se.sinh(x),
    se.cosh(y), se.tanh(x), se.exp(x * y), se.log(x**2 + 1), se.sqrt(x**2 + y**2), (2 + x**2) ** y, abs(x - 1),
    se.sign(y - x), se.Max(x, y, x * y), se.Min(x, y), x**-3, x**7, (x**2) ** se.Rational(-3, 2), 1 / (x * y),
    se.Piecewise((x, x > y), (y**2, se.And(x < 1, y >= 0)), (se.pi * x, True)), se.Integer(3), se.E * se.pi * x,
    se.Piecewise((x, se.Or(se.Eq(x, y), se.Not(x > 0))), (-x, True)), x, se.Integer(0), (x + y) ** 2 + (x + y) ** 3,
    se.sin(se.cos(x) + se.sin(y)), -x * y - se.sin(x), se.asinh(x), se.acosh(2 + x**2), se.atanh(x / 4),
    (2 + x**2) ** se.Rational(1, 3), 2 * x * y / (1 + x**2) - 3 * y / (1 + x**2), x - y, y - x, se.floor(3 * x),
    se.Piecewise((x, se.Ne(x, y)), (y, True)),
]  # fmt: skip


def test_every_kind_of_operation_is_among_them():
    """All kinds except two: SymEngine writes exp(x) as a power of e, and a negation becomes the opposite comparison."""
    found = {op.kind for op in program([x, y], EXPRESSIONS).operations}
    assert KINDS - FREE - found == {"exp", "not"}


def points(count, seed=0):
    return np.random.default_rng(seed).uniform(-1.5, 1.5, (count, 2))


def by_symengine(inputs, outputs, states):
    """An independent evaluation."""
    call = se.Lambdify(inputs, outputs, backend="llvm", cse=False)
    return np.array([call(state) for state in states], dtype=float)


@pytest.mark.parametrize("level", [FEW_TIMES, OFTEN])
def test_machine_code_and_numpy_agree_with_symengine(level):
    states = points(203)
    right = by_symengine([x, y], EXPRESSIONS, states)
    machine, plain = compiled([x, y], EXPRESSIONS, level), compiled([x, y], EXPRESSIONS, backend="numpy")
    assert machine.address and not plain.address
    np.testing.assert_allclose(machine(states), right, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(plain(states), right, rtol=1e-13, atol=1e-14)
    np.testing.assert_array_equal(machine(states[3]), machine(states)[3])
    assert machine(states.reshape(7, 29, 2)).shape == (7, 29, len(EXPRESSIONS))


def test_a_lane_has_the_bits_of_one_state():
    states = points(64, 1)
    states[::5, 0] *= 1e9  # some lanes are outside the range of the sine polynomials, or have no value
    states[::7, 1] = np.nan
    code = program([x, y], EXPRESSIONS)
    alone, lanes, sooner = function(code), by_lanes(code, states), function(code, FEW_TIMES)
    np.testing.assert_array_equal(lanes, alone(states))
    np.testing.assert_array_equal(sooner.by_machine(states), alone(states))
    np.testing.assert_array_equal(by_lanes(code, states[17:18])[0], lanes[17])


@pytest.mark.parametrize("size", [1.0, 30.0, 1e4, 1e6, 1e9])
def test_sine_and_cosine_to_the_last_bits(size):
    angles = np.random.default_rng(2).uniform(-size, size, (4000, 1))
    angles[:50, 0] = np.arange(50) * np.pi / 2
    found = compiled([x], [se.sin(x), se.cos(x)])(angles)
    exact = np.column_stack([np.sin(angles[:, 0]), np.cos(angles[:, 0])])
    units = 1 if size <= 1e4 else 2  # of the last place: the rest of a large angle is itself rounded
    assert (np.abs(found - exact) <= units * np.spacing(np.abs(exact))).all()


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7])
def test_several_angles_at_a_time(count):
    """Lanes share vectors, but each has the same bits as alone."""
    symbols = se.symbols(f"a0:{count}")
    angles = np.random.default_rng(3).uniform(-9, 9, (20, count))
    together = compiled(symbols, [f(a) for a in symbols for f in (se.sin, se.cos)])(angles)
    for i in range(count):
        alone = compiled([x], [se.sin(x), se.cos(x)])(angles[:, i : i + 1])
        np.testing.assert_array_equal(together[:, 2 * i : 2 * i + 2], alone)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_the_short_way_of_small_angles_has_the_bits_of_the_long_one(count):
    """By NumPy every angle is reduced. Around π/4 one angle of a vector may be beyond the bound, and the others not."""
    edge = [np.pi / 4]
    for _ in range(4):
        edge = [np.nextafter(edge[0], 0.0), *edge, np.nextafter(edge[-1], 1.0)]
    angles = np.array([0.0, -0.0, 5e-324, 1e-200, *edge, *(-one for one in edge), 0.785, -0.79, 2.0, 1e9])
    angles = np.concatenate([angles, np.random.default_rng(4).uniform(-0.8, 0.8, 400 - len(angles))])
    symbols = se.symbols(f"a0:{count}")
    groups = np.concatenate([angles.reshape(-1, count), np.column_stack([np.roll(angles, i) for i in range(count)])])
    together = compiled(symbols, [f(a) for a in symbols for f in (se.sin, se.cos)])(groups)
    pairs = np.stack(sines.by_numpy(groups), axis=-1)
    number = np.isfinite(pairs)
    np.testing.assert_array_equal(np.isfinite(together.reshape(pairs.shape)), number)
    bits = together.reshape(pairs.shape)[number].view(np.int64)
    np.testing.assert_array_equal(bits, np.ascontiguousarray(pairs[number]).view(np.int64))


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
@pytest.mark.parametrize("language", ["c", "c++"])
def test_c_and_cuda(language, tmp_path):
    code = program([x, y], EXPRESSIONS)
    plain = language == "c"
    lines = c99.body(code) if plain else c99.body(code, c99.CUDA)
    function = "void f(double *out, const double *in) {\n" + "\n".join(lines) + "\n}\n"
    body, flags = (function, ["-std=c99"]) if plain else (f'extern "C" {{\n{function}}}', [])
    suffix = "c" if language == "c" else "cpp"
    head = "#define _GNU_SOURCE\n#include <math.h>\n" if language == "c" else "#include <math.h>\n"
    (tmp_path / f"f.{suffix}").write_text(head + body)
    compiler = "gcc" if language == "c" else "g++"
    command = [compiler, *flags, "-O1", "-ffp-contract=off", "-shared", "-fPIC", f"f.{suffix}", "-o", "f.so", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    call = ctypes.CDLL(str(tmp_path / "f.so")).f
    states, out = points(20), np.zeros(len(EXPRESSIONS))
    for state, right in zip(states, compiled([x, y], EXPRESSIONS)(states), strict=True):
        call(ctypes.c_void_p(out.ctypes.data), ctypes.c_void_p(np.ascontiguousarray(state).ctypes.data))
        np.testing.assert_allclose(out, right, rtol=1e-14, atol=1e-15)


NODE = """
const fs = require("fs");
const memory = new WebAssembly.Memory({ initial: 4 });
const code = new WebAssembly.Module(fs.readFileSync("f.wasm"));
const { exports } = new WebAssembly.Instance(code, { env: { memory }, math: Math });
const given = JSON.parse(fs.readFileSync("states.json"));
const [place, size] = [1024, Number(process.argv[1])];
console.log(JSON.stringify(given.map((state) => {
  new Float64Array(memory.buffer, 0, state.length).set(state);
  exports.f(place, 0, 0);
  return [...new Uint32Array(memory.buffer, place, 2 * size)];
})));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
@pytest.mark.parametrize("size", [1.0, 1e8])
def test_wasm(size, tmp_path):
    """In node, programs without functions other than sine and cosine have the bits of machine code."""
    known = {kind for kind in KINDS if kind in FREE | PRICE.keys()} - ({"sin", "cos"} if size > 1e6 else set())
    kinds = [{operation.kind for operation in program([x, y], [e]).operations} for e in EXPRESSIONS]
    exact = [i for i, own in enumerate(kinds) if own <= known]
    assert len(exact) > 15
    code = program([x, y], EXPRESSIONS)
    (tmp_path / "f.wasm").write_bytes(wasm.module({"f": code, "g": program([x], [se.sign(x)])}))
    states = points(50) * size
    (tmp_path / "states.json").write_text(json.dumps(states.tolist()))
    done = subprocess.run(["node", "-e", NODE, str(len(EXPRESSIONS))], cwd=tmp_path, capture_output=True, check=True)
    found = np.array(json.loads(done.stdout), dtype=np.uint32).view(np.float64)
    right = compiled([x, y], EXPRESSIONS)(states)
    np.testing.assert_array_equal(found[:, exact], right[:, exact])
    np.testing.assert_allclose(found, right, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("bad", [1 / se.Integer(0) + x, se.sqrt(se.Integer(-1)) * x, abs(x).diff(x), y])
def test_what_has_no_value_is_refused(backend, bad):
    with pytest.raises(MathematicsError):
        compiled([x], [bad], backend=backend)


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_no_outputs_and_no_states(backend):
    assert compiled([x], [], backend=backend)(np.zeros((4, 1))).shape == (4, 0)
    assert compiled([x, y], [x, 1], backend=backend)(np.zeros((0, 2))).shape == (0, 2)
    assert compiled([], [1, 2], backend=backend)(np.zeros((3, 0))).tolist() == [[1, 2]] * 3


def test_inputs_named_like_temporaries_keep_their_values():
    inputs = se.symbols("x0 x1 x2 a b")
    shared = se.cos(inputs[3]) * inputs[4]
    outputs = [shared, se.sin(shared) + inputs[0], se.sin(shared) * inputs[1]]
    point = np.array([0.3, 0.7, 0.5, 1.1, 2.0])
    right = [np.cos(1.1) * 2, np.sin(np.cos(1.1) * 2) + 0.3, np.sin(np.cos(1.1) * 2) * 0.7]
    np.testing.assert_allclose(compiled(inputs, outputs)(point), right, rtol=1e-15)


def test_the_same_program_is_compiled_once():
    """The cache compares content: the same expressions, built twice with other names."""
    a, b = se.symbols("a b")
    one = compiled([x, y], [se.sin(x * y) + 0.731])
    assert one.address
    before = WORK["compiled"]
    other = compiled([a, b], [se.sin(a * b) + 0.731])
    assert WORK["compiled"] == before and other.address == one.address
    assert compiled([a, b], [se.sin(a * b) + 0.7310001]).address != one.address
    assert WORK["compiled"] == before + 1


def test_threads_compile_and_call():
    """Several threads get the same values as one."""
    states, wrong = points(50), []
    right = compiled([x, y], EXPRESSIONS)(states)

    def work(seed):
        for k in range(4):
            extra = compiled([x, y], [*EXPRESSIONS, x + seed / 7 + k % 2])
            if not np.array_equal(extra(states)[:, :-1], right):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed // 2,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_long_chain_needs_no_recursion():
    e = x
    for _ in range(3000):
        e = se.sin(e) + y
    assert np.isfinite(compiled([x, y], [e], backend="numpy")(np.array([0.1, 0.2]))).all()


@pytest.mark.parametrize(
    ("expression", "point", "words"),
    [
        (se.sqrt(x**2 - 1), (0.5, 0), "the square root of -1 + x^2 = -0.75, in f"),
        (y / se.sin(x), (0, 1), "a division by sin(x) = 0, in f"),
        (y / se.sin(x) ** 3, (0, 1), "a division by sin(x) = 0, in f"),
        (y / se.sqrt(x + y), (-1, 1), "a division by x + y = 0, in f"),
        (se.log(x - y), (1, 1), "the logarithm of x - y = 0, in f"),
        (se.asin(x), (2, 0), "asin of x = 2, which is outside -1 … 1, in f"),
        ((x - 1) ** se.Rational(1, 3), (0, 0), "the power 1/3 of -1 + x = -1, in f"),
        (se.exp(x), (1e4, 0), "too large"),
        (x + y, (np.inf, 0), "the value of x is not finite, in f"),
        (se.Piecewise((se.sqrt(x), x > 0), (-x, True)), (-1, 0), None),
        (se.Piecewise((se.sqrt(x), x > 0)), (-1, 0), "no branch"),
    ],
)
def test_domain_failures_are_named(expression, point, words):
    found = domain_failure([x, y], {"f": expression}, np.array(point, dtype=float))
    assert found is None if words is None else words in found
