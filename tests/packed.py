"""Reads the packed numbers of a scene as the player does."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

TYPES = {"f64": "<f8", "f32": "<f4", "u8": "u1", "u16": "<u2"}


def unpacked(packed: dict[str, Any]) -> np.ndarray:
    """Reads a packed track as the player does."""
    if packed["type"] == "constant":
        return np.array([packed["value"]])
    values = np.frombuffer(base64.b64decode(packed["data"]), TYPES[packed["type"]]).reshape(-1, packed["width"])
    if packed["type"] != "u16":
        return values.astype(float)
    low, high = np.array(packed["low"]), np.array(packed["high"])
    return low + (high - low) * values / 65535
