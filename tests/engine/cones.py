"""Problems of contact for the tests of the cone solver: bodies at rest or in motion, and the solver through ctypes."""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import dalembert.engine

NONE, ONE, SEVERAL, TOO_MANY = range(4)
OPEN, CLOSED = range(2)
OFF, STICK, SLIP = range(3)
HEADERS = Path(dalembert.engine.__file__).parent
FLAGS = ("-std=c++17", "-O2", "-fPIC", "-shared", "-ffp-contract=off", "-fno-exceptions", "-fno-rtti")


@cache
def door() -> ctypes.CDLL:
    target = Path(mkdtemp()) / "cone.so"
    source = Path(__file__).with_name("cone_door.cpp")
    subprocess.run(["g++", *FLAGS, f"-I{HEADERS}", str(source), "-o", str(target)], check=True)
    return ctypes.CDLL(str(target))


@dataclass(frozen=True)
class Friction:
    """Rows of a slip with its law. `contact` presses it, or `normal` does."""

    rows: np.ndarray
    mu: float = 0.0
    static: float | None = None
    contact: int = -1
    normal: float = 0.0
    slip: tuple[float, ...] | None = None  # its direction, if it already slips
    left: int = 0
    rough: bool = False


@dataclass(frozen=True)
class Problem:
    """A body of mass matrix M under the force Q, with rows of contacts and frictions."""

    M: np.ndarray
    Q: np.ndarray
    contacts: list[np.ndarray]
    frictions: list[Friction] = field(default_factory=list)
    bias: np.ndarray | None = None  # of all rows: their values without any acceleration

    @property
    def rows(self) -> np.ndarray:
        return np.vstack([np.atleast_2d(row) for row in (*self.contacts, *(f.rows for f in self.frictions))])


@dataclass(frozen=True)
class Answer:
    found: int
    forces: np.ndarray
    answers: np.ndarray
    closed: list[int]
    modes: list[int]
    along: np.ndarray


def solve(problem: Problem) -> Answer:
    J = problem.rows
    size, groups = len(J), len(problem.frictions)
    inverse = np.linalg.inv(problem.M)
    W, w0 = J @ inverse @ J.T, J @ inverse @ problem.Q
    if problem.bias is not None:
        w0 = w0 + problem.bias
    table, press = np.zeros((max(groups, 1), 15)), np.zeros((groups, size))
    for j, f in enumerate(problem.frictions):
        dim = len(np.atleast_2d(f.rows))
        given = np.zeros(2)
        if f.slip is not None:
            given[:dim] = np.array(f.slip) / np.linalg.norm(f.slip)
        static = f.mu if f.static is None else f.static
        table[j] = [dim, f.contact, f.rough, f.slip is not None, 0, f.left, 0, 0, f.mu, static, f.normal, *given, 0, 0]
        if f.contact >= 0:
            press[j, f.contact] = 1.0
    numbers = np.concatenate([w0, W.ravel(), press.ravel(), np.zeros(2 * groups * size)])
    forces, modes = np.zeros(2 * size + 2 * groups), np.zeros(len(problem.contacts) + groups + 1, dtype=np.int32)
    counts = np.array([len(problem.contacts), groups, size], dtype=np.int32)
    pointers = [ctypes.c_void_p(part.ctypes.data) for part in (counts, table, numbers, forces, modes)]
    found = door().solve_cone(*pointers)
    split = len(problem.contacts)
    return Answer(
        found, forces[:size], forces[size : 2 * size], modes[:split].tolist(), modes[split : split + groups].tolist(),
        forces[2 * size :].reshape(groups, 2),
    )  # fmt: skip


def assert_lawful(problem: Problem, answer: Answer, tiny: float = 1e-9) -> None:
    """Every law of contact and friction, checked literally."""
    count = len(problem.contacts)
    lam, w = answer.forces[:count], answer.answers[:count]
    assert (lam >= -tiny).all() and (w >= -tiny).all() and np.abs(lam * w).max(initial=0.0) < tiny
    place = count
    for f, mode in zip(problem.frictions, answer.modes, strict=True):
        dim = len(np.atleast_2d(f.rows))
        R, slip = answer.forces[place : place + dim], answer.answers[place : place + dim]
        place += dim
        N = lam[f.contact] if f.contact >= 0 else f.normal
        static = f.mu if f.static is None else f.static
        if mode == STICK:
            assert np.linalg.norm(slip) < tiny
            assert f.rough or np.linalg.norm(R) <= static * N + tiny
        elif mode == SLIP:
            direction = slip / max(np.linalg.norm(slip), 1e-300) if f.slip is None else np.array(f.slip)
            direction = direction / np.linalg.norm(direction)
            assert np.abs(R + f.mu * N * direction).max() < 1e-6
        else:
            assert np.abs(R).max() < tiny
