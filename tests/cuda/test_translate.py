"""Kernels in C++ against the same kernels in Python, on random numbers."""

from __future__ import annotations

import ast
from typing import NamedTuple

import numpy as np
import pytest
from host_device import library, passed

from dalembert.cuda.kernels import memory_of
from dalembert.cuda.kinds import REAL, TRUTH, WHOLE, Array, Known, Untranslatable, kind_of
from dalembert.cuda.translate import Translator, read
from dalembert.cuda.writer import header
from dalembert.simulate import lemke, pivoting, roots


def program(tmp_path, function, kinds, signature, arguments, result="int"):
    """A kernel by itself, as a function of plain pointers."""
    translator = Translator({})
    written = translator.function(read(function), vars(__import__(function.__module__, fromlist=["x"])), kinds)
    entry = f"\nENTRY {result} kernel({signature}) {{ return {written.name}({arguments}); }}"
    return library(header("base.h") + translator.text() + entry, tmp_path).kernel


def test_elimination_with_complete_pivoting(tmp_path):
    rows, cols = 4, 5
    size = Array(REAL, 5, (5,)), Array(REAL, 5)
    kernel = program(
        tmp_path, pivoting.least_norm,
        (*size, WHOLE, WHOLE, WHOLE, Array(WHOLE, 5), Array(WHOLE, 5), Array(REAL, 5, (5,)), Array(REAL, 5)),
        "double *M, double *b, int rows, int cols, int limit, int *r, int *c, double *G, double *x",
        "{M}, {b}, rows, cols, limit, {r}, {c}, {G}, {x}",
    )  # fmt: skip
    random = np.random.default_rng(2)
    for turn in range(50):
        M, b = random.normal(size=(5, 5)), random.normal(size=5)
        if turn % 2:
            M[2], b[2] = 2 * M[0] - M[1], 2 * b[0] - b[1]
        mine = [M.copy(), b.copy(), np.zeros(5, np.int64), np.zeros(5, np.int64), np.zeros((5, 5)), np.zeros(5)]
        rank = pivoting.least_norm(mine[0], mine[1], rows, cols, -1, *mine[2:])
        G, found, at = np.zeros((5, 5)), np.zeros(5), np.zeros((2, 5), np.int32)
        assert rank == kernel(
            passed(M), passed(b), rows, cols, -1, passed(at[0]), passed(at[1]), passed(G), passed(found)
        )
        np.testing.assert_array_equal(found, mine[5])


def test_roots_of_a_guard(tmp_path):
    kernel = program(
        tmp_path, roots.isolate,
        (Array(REAL, roots.NODES), TRUTH, Array(REAL, 80, (roots.NODES + 2,)), Array(REAL, 20, (3,))),
        "double *v, bool deflate, double *stack, double *found", "{v}, deflate, {stack}, {found}",
    )  # fmt: skip
    for k in range(30):
        values = np.cos((3 + k / 3) * roots.PLACES + 0.1 * k)
        mine, stack, found = np.zeros((20, 3)), np.zeros((80, roots.NODES + 2)), np.zeros((20, 3))
        count = roots.isolate(values, False, stack, mine)
        assert count == kernel(passed(values), False, passed(stack), passed(found))
        np.testing.assert_array_equal(found, mine)


def test_complementary_pivots(tmp_path):
    kernel = program(
        tmp_path, lemke.lemke,
        (Array(REAL, 3, (3,)), Array(REAL, 3), Known(3, True), Array(REAL, 3), Array(REAL, 3, (8,)), Array(WHOLE, 3)),
        "double *W, double *q, double *z, double *t, int *basis", "{W}, {q}, {z}, {t}, {basis}", "bool",
    )  # fmt: skip
    random = np.random.default_rng(4)
    for _ in range(40):
        half = random.normal(size=(3, 3))
        W, q = half @ half.T + 0.1 * np.eye(3), random.normal(size=3)
        mine, z = np.zeros(3), np.zeros(3)
        solved = lemke.lemke(W, q, 3, mine, np.zeros((3, 8)), np.zeros(3, np.int64))
        assert solved == bool(
            kernel(passed(W), passed(q), passed(z), passed(np.zeros((3, 8))), passed(np.zeros(3, np.int32)))
        )
        np.testing.assert_array_equal(z, mine)


@pytest.mark.parametrize("line", ["a = [1.0]", "a = {x}", "a = x @ x", "with x: pass", "a = x.T"])
def test_what_a_kernel_may_not_use_is_refused(line):
    tree = ast.parse(f"def kernel(x):\n    {line}\n    return x[0]\n").body[0]
    assert isinstance(tree, ast.FunctionDef)
    with pytest.raises(Untranslatable):
        Translator({}).function(tree, {"__name__": "here", "__builtins__": __builtins__}, (Array(REAL, 3),))


class Held(NamedTuple):
    marks: np.ndarray
    rows: np.ndarray
    size: int


class Room(NamedTuple):
    first: np.ndarray
    held: Held
    last: np.ndarray


def fill(room, x):
    """Every array of a packed record, at its own place."""
    for i in range(3):
        room.held.marks[i] = i + 1
    for i in range(room.held.size):
        for j in range(2):
            room.held.rows[i, j] = x + 2 * i + j
    room.first[0] = x - 1.0
    room.last[1] = room.held.rows[1, 1] + room.held.marks[2]
    return room.held.size


def test_memory_in_one_piece_has_a_place_for_every_array(tmp_path):
    """It is handed on as one address; whole numbers stand between the others."""
    room = Room(np.zeros(1), Held(np.zeros(3, np.int64), np.zeros((2, 2)), 2), np.zeros(2))
    kind = kind_of(room, memory=True)
    translator = Translator({})
    written = translator.function(read(fill), globals(), (kind, REAL))
    arrays = {"first": 1, "held().rows": 4, "last": 2}
    lines = [f"for (int i = 0; i < {count}; i++) *out++ = mem.{name}().p[i];" for name, count in arrays.items()]
    lines.append("for (int i = 0; i < 3; i++) *out++ = mem.held().marks().p[i];")
    made = [*memory_of(translator.structures, kind, "mem"), f"{written.name}(mem, x);", *lines]
    entry = "\n".join(["ENTRY void kernel(double x, double *out) {", *made, "}"])
    code = library(header("base.h") + translator.text() + entry, tmp_path)
    out = np.zeros(10)
    code.kernel(passed(5.0), passed(out))
    assert out.tolist() == [4.0, 5.0, 6.0, 7.0, 8.0, 0.0, 11.0, 1.0, 2.0, 3.0]
    assert "double mem_room[9];" in entry
