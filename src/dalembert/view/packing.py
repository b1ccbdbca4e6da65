"""Arrays as text that a page can hold: base64 of typed arrays, coordinates quantized to sixteen bits.

stored k ↦ lo + (hi − lo) k/65535, column by column: an error of (hi − lo)/131070 at most
"""

from __future__ import annotations

import gzip
from base64 import b64encode
from typing import Any

import numpy as np

STEPS = 65535


def exact(values: np.ndarray) -> dict[str, Any]:
    """Times as doubles."""
    values = np.ascontiguousarray(values, dtype="<f8")
    return {"type": "f64", "width": _width(values), "data": _text(values)}


def single(values: np.ndarray) -> dict[str, Any]:
    """Plotted values and forces with seven digits. Values that are not finite are kept."""
    with np.errstate(over="ignore"):
        values = np.ascontiguousarray(values, dtype="<f4")
    return {"type": "f32", "width": _width(values), "data": _text(values)}


def coarse(values: np.ndarray) -> dict[str, Any]:
    """Places and quaternions. The error is far below what a screen shows. Constant columns cost nothing."""
    values = np.asarray(values, dtype=float).reshape(len(values), -1)
    columns = np.ascontiguousarray(values.T)  # NumPy is six times faster along rows
    low, high = columns.min(axis=1, initial=np.inf), columns.max(axis=1, initial=-np.inf)
    if not len(values) or np.array_equal(low, high):
        return {"type": "constant", "width": values.shape[1], "value": low.tolist() if len(values) else []}
    reach = np.where(high > low, high - low, 1.0)
    steps = np.rint((values - low) / reach * STEPS).astype("<u2")
    return {
        "type": "u16",
        "width": values.shape[1],
        "low": low.tolist(),
        "high": np.where(high > low, high, low + 1.0).tolist(),
        "data": _text(steps),
    }


def codes(values: np.ndarray) -> dict[str, Any]:
    """Small whole numbers."""
    return {"type": "u8", "width": 1, "data": _text(np.ascontiguousarray(values, dtype="u1"))}


def zipped(data: bytes) -> str:
    """Bytes as compressed text. Equal bytes give equal text."""
    return b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")


def texts(raw: bytes) -> str:
    """Bytes as text, without compression."""
    return b64encode(raw).decode("ascii")


def _width(values: np.ndarray) -> int:
    return 1 if values.ndim == 1 else values.shape[1]


def _text(values: np.ndarray) -> str:
    return texts(values.tobytes())
