"""Random starts that depend only on the seed, the name and the number of the motion.

Philox is a generator with a counter (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011). Word i of
the stream of a name is available without the words before it, so a motion is the same in any chunk. One word gives one
uniform number u = (k + ½)/2⁵³, never 0 nor 1, and the inverse of the distribution function turns u into the value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from dalembert.errors import ModelError
from dalembert.expressions.parse import nearest
from dalembert.language import mark, tr

Numbers = tuple[float, ...]
CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\((.*)\)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Distribution:
    """A distribution: the names of its arguments, the condition on them, and its quantile function."""

    arguments: tuple[str, ...]
    optional: tuple[str, ...]
    holds: Callable[[Numbers], bool]
    condition: str
    quantile: Callable[[np.ndarray, Numbers], np.ndarray]


def _normal(u: np.ndarray, a: Numbers) -> np.ndarray:
    from scipy.special import ndtr, ndtri

    mean, deviation = a[:2]
    if len(a) == 4:
        low, high = (ndtr((bound - mean) / deviation) for bound in a[2:])
        return np.clip(mean + deviation * ndtri(low + u * (high - low)), a[2], a[3])
    return mean + deviation * ndtri(u)


def _triangular(u: np.ndarray, a: Numbers) -> np.ndarray:
    low, mode, high = a
    turn = (mode - low) / (high - low)
    rising = low + np.sqrt(u * (high - low) * (mode - low))
    return np.where(u < turn, rising, high - np.sqrt((1 - u) * (high - low) * (high - mode)))


LAWS = {
    "uniform": Distribution(
        ("low", "high"), (), lambda a: a[0] < a[1], "low < high", lambda u, a: a[0] + u * (a[1] - a[0])
    ),
    "normal": Distribution(
        ("mean", "deviation"),
        ("low", "high"),
        lambda a: a[1] > 0 and (len(a) == 2 or a[2] < a[3]),
        mark("deviation > 0 and low < high"),
        _normal,
    ),
    "lognormal": Distribution(
        ("median", mark("deviation of the logarithm")),
        (),
        lambda a: a[0] > 0 and a[1] > 0,
        "both > 0",
        lambda u, a: a[0] * np.exp(_normal(u, (0.0, a[1]))),
    ),
    "loguniform": Distribution(
        ("low", "high"), (), lambda a: 0 < a[0] < a[1], "0 < low < high", lambda u, a: a[0] * (a[1] / a[0]) ** u
    ),
    "exponential": Distribution(("mean",), (), lambda a: a[0] > 0, "mean > 0", lambda u, a: -a[0] * np.log1p(-u)),
    "triangular": Distribution(
        ("low", "mode", "high"),
        (),
        lambda a: a[0] <= a[1] <= a[2] and a[0] < a[2],
        mark("low ≤ mode ≤ high and low < high"),
        _triangular,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Spread:
    """One quantity that is drawn for every motion."""

    name: str
    law: str
    arguments: Numbers

    def __str__(self) -> str:
        return f"{self.law}({', '.join(f'{value!r}' for value in self.arguments)})"

    def values(self, seed: int, first: int, last: int) -> np.ndarray:
        """The values of motions first … last − 1."""
        return LAWS[self.law].quantile(uniform(seed, self.name, first, last), self.arguments)


def spread(name: str, text: str, number: Callable[[str], float]) -> Spread:
    """The distribution that a text like `normal(0.1, 0.02)` describes. `number` reads one argument."""
    found = CALL.fullmatch(text)
    if found is None or found[1] not in LAWS:
        met = found[1] if found else text.strip()
        hint = nearest(met, LAWS) or tr("; known are {laws}", laws=", ".join(LAWS))
        raise ModelError(
            "the spread of {name} is {text!r}, and a distribution like normal(0.1, 0.02) is expected{hint}",
            name=name,
            text=text,
            hint=hint,
        )
    law = LAWS[found[1]]
    arguments = tuple(number(part) for part in found[2].split(",")) if found[2].strip() else ()
    if len(arguments) not in (len(law.arguments), len(law.arguments) + len(law.optional)):
        also = tr(", or with {optional} too", optional=", ".join(law.optional)) if law.optional else ""
        raise ModelError(
            "the spread of {name} is {text!r}, and {found}({arguments}){also} is expected",
            name=name,
            text=text,
            found=found[1],
            arguments=", ".join(map(tr, law.arguments)),
            also=also,
        )
    if not law.holds(arguments):
        raise ModelError(
            "the spread of {name} is {text!r}, and {condition} is expected",
            name=name,
            text=text,
            condition=tr(law.condition),
        )
    return Spread(name, found[1], arguments)


def uniform(seed: int, name: str, first: int, last: int) -> np.ndarray:
    """Words first … last − 1 of the stream of `name`, as numbers inside (0, 1)."""
    key = int.from_bytes(sha256(f"{seed}\0{name}".encode()).digest()[:16], "little")
    words = 4  # per step of the counter
    stream = np.random.Philox(key=key, counter=first // words)
    raw = stream.random_raw(last - first + first % words)[first % words :]
    return ((raw >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53
