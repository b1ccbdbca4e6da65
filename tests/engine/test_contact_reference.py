"""The cone solver against an independent reference that tries all cases in plain NumPy, over sixteen strata."""

from __future__ import annotations

import ctypes
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from cones import NONE, ONE, SEVERAL, door

PROBLEMS = json.loads(gzip.decompress((Path(__file__).parent / "data" / "cone_problems.json.gz").read_bytes()))
STRATA = sorted({one["stratum"] for one in PROBLEMS})


def solved(problem):
    """Found, answers and forces, in the problem's own order of rows."""
    W, w0, frictions, contacts = (problem[name] for name in ("W", "w0", "frictions", "contacts"))
    W, w0, size, groups = np.array(W), np.array(w0), len(w0), len(frictions)
    order = [*range(contacts), *(row for f in frictions for row in f["rows"])]
    table, press = np.zeros((max(groups, 1), 15)), np.zeros((groups, size))
    for j, f in enumerate(frictions):
        given, owner = np.zeros(2), -1
        if f["direction"] is not None:
            given[: len(f["rows"])] = f["direction"]
        for row, lever in f["press"]:
            press[j, order.index(row)] = lever
            owner = row if lever == 1.0 and row < contacts and not f["two_sided"] else -1
        law = (f["coefficient"], f["static"], f["normal"])
        table[j] = [len(f["rows"]), owner, 0, f["direction"] is not None, f["two_sided"], 0, 0, 0, *law, *given, 0, 0]
    numbers = np.concatenate([w0[order], W[np.ix_(order, order)].ravel(), press.ravel(), np.zeros(2 * groups * size)])
    out, modes = np.zeros(2 * size + 2 * groups), np.zeros(contacts + groups + 1, dtype=np.int32)
    counts = np.array([contacts, groups, size], dtype=np.int32)
    found = door().solve_cone(*(ctypes.c_void_p(part.ctypes.data) for part in (counts, table, numbers, out, modes)))
    forces, answers = np.empty(size), np.empty(size)
    forces[order], answers[order] = out[:size], out[size : 2 * size]
    return found, answers, forces


@pytest.mark.parametrize("stratum", STRATA)
def test_states_and_forces_are_those_of_the_reference(stratum):
    """Forces too: if many fit, both solvers take those of least norm inside the cones."""
    for problem in (one for one in PROBLEMS if one["stratum"] == stratum):
        found, w, f = solved(problem)
        if problem["count"] == 0:
            assert found == NONE, problem["seed"]
            continue
        assert found in (ONE, SEVERAL), problem["seed"]
        determinate = [one for one in problem["solutions"] if one["w_determinate"]]
        if not determinate:
            continue
        scale = max(1.0, np.abs(problem["w0"]).max())
        assert min(np.abs(np.array(one["w"]) - w).max() for one in determinate) < 1e-7 * scale, problem["seed"]
        assert min(np.abs(np.array(one["forces"]) - f).max() for one in determinate) < 1e-5, problem["seed"]
