"""Calls a program's code for several states at a time, as the engine does."""

import ctypes

import numpy as np

from dalembert.programs.functions import LANES, OFTEN, function
from dalembert.programs.program import Program


def by_lanes(program: Program, states: np.ndarray, level: int = OFTEN) -> np.ndarray:
    """The outputs at every row of `states`. The last group is filled up with copies of the last row."""
    made = function(program, level, lanes=LANES)
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(made.address)
    groups = -(-len(states) // LANES)
    whole = np.concatenate([states, np.repeat(states[-1:], groups * LANES - len(states), axis=0)])
    found = np.empty((groups, made.outputs, LANES))
    for given, out in zip(whole.reshape(groups, LANES, -1), found, strict=True):
        lanes = np.ascontiguousarray(given.T)
        call(out.ctypes.data, lanes.ctypes.data, None)
    return found.swapaxes(1, 2).reshape(-1, made.outputs)[: len(states)]
