"""What `simulate` answers: a motion, as named arrays over its sample times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dalembert.errors import ModelError
from dalembert.results.events import Event, Events
from dalembert.results.state import Numbers, in_units

if TYPE_CHECKING:
    import xarray

    from dalembert.results.sensitivity import Sensitivities

Array = np.ndarray
Arrays = Mapping[str, Array]


@dataclass(frozen=True, slots=True)
class Jumps:
    """What jumps at events, by its name in a table, before and after each of them; for pictures."""

    times: Array
    before: Arrays
    after: Arrays


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How the motion was computed.

    `constraint_residual` is the greatest |φ| or |ψ| at any step or sample, `energy_drift` is max |E(t) − E(start)| over
    the samples (of meaning only where the energy is conserved), `seconds` the times of derive, compile and integrate.
    """

    steps: int
    evaluations: int
    constraint_residual: float
    energy_drift: float
    seconds: Numbers
    stepper: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "steps": self.steps,
            "evaluations": self.evaluations,
            "constraint_residual": self.constraint_residual,
            "energy_drift": self.energy_drift,
            "seconds": dict(self.seconds),
        }


def _scaled(
    dense: Callable[[Array, bool], tuple[Array, Array]], factors: Array, times: Array, after: bool
) -> tuple[Array, Array]:
    q, v = dense(times, after)
    return q / factors, v / factors


@dataclass(frozen=True, slots=True)
class Motion:
    """A motion: `motion["theta"]`, `motion["theta'"]`, `motion["theta''"]` and definitions are arrays over `times`."""

    method: str
    status: str  # finished, stopped (by an event) or interrupted
    times: Array
    coordinates: Arrays
    speeds: Arrays
    accelerations: Arrays
    multipliers: Arrays
    definitions: Arrays
    energy: Arrays
    events: Events | tuple[Event, ...]
    diagnostics: Diagnostics
    corrections: tuple[Mapping[str, Any], ...] = ()  # quantity, given, used
    notes: tuple[str, ...] = ()
    title: str = ""
    units: Mapping[str, str] = field(default_factory=dict)
    scales: Numbers = field(default_factory=dict)  # how much of SI one of a coordinate's unit is, where not one
    reactions: Mapping[str, Arrays] = field(default_factory=dict)  # of every constraint, on the coordinates it acts on
    residuals: Arrays = field(default_factory=dict)  # left − right of every constraint, as the model states it
    modes: Mapping[str, Array] = field(default_factory=dict)  # contacts: open, closed; frictions: off, stick, slip
    jumps: Jumps | None = None
    dense: Callable[[Array, bool], tuple[Array, Array]] | None = None  # t, after -> (q, q̇), a row for each time
    outputs: Arrays = field(default_factory=dict)  # a vector is NAME.x, NAME.y, NAME.z
    sensitivities: Sensitivities | None = None  # derivatives, where they were asked for
    reach: tuple[float, float] | None = None  # from when to when `dense` knows the motion; None: as the samples
    viewer: Callable[..., Any] | None = None  # motion, options -> its animation; of motions whose model is known

    def in_units(self) -> Motion:
        """Coordinates, speeds and accelerations in the units of the model, as tables and files have them; here: SI."""
        if not self.scales:
            return self
        kinds = {
            kind: in_units(getattr(self, kind), self.scales) for kind in ("coordinates", "speeds", "accelerations")
        }
        jumps = self.jumps
        if jumps is not None:
            scales = {name + primes: scale for name, scale in self.scales.items() for primes in ("", "'", "''")}
            jumps = Jumps(jumps.times, in_units(jumps.before, scales), in_units(jumps.after, scales))
        factors = np.array([self.scales.get(name, 1.0) for name in self.coordinates])
        dense = None if self.dense is None else partial(_scaled, self.dense, factors)
        return replace(self, **kinds, jumps=jumps, dense=dense, scales={})  # type: ignore[arg-type]

    def columns(self) -> dict[str, Array]:
        """Every array by the name it has in a table: t, x, x', x'', definitions, multiplier.NAME, energy.NAME."""
        answered = self.in_units()
        table = {"t": self.times}
        table |= answered.coordinates
        table |= {f"{name}'": values for name, values in answered.speeds.items()}
        table |= {f"{name}''": values for name, values in answered.accelerations.items()}
        table |= self.definitions
        table |= self.outputs
        table |= {f"multiplier.{name}": values for name, values in self.multipliers.items()}
        table |= {f"energy.{name}": values for name, values in self.energy.items()}
        return table if self.sensitivities is None else table | self.sensitivities.columns()

    def __getitem__(self, name: str) -> Array:
        table = self.columns()
        if name in table:
            return table[name]
        if name in self.multipliers:
            return self.multipliers[name]
        if name.removeprefix("mode.") in self.modes:
            return self.modes[name.removeprefix("mode.")]
        near = get_close_matches(name, [*table, *self.multipliers, *self.modes], 1)
        hint = f"; did you mean {near[0]!r}" if near else f"; known are {', '.join(table)}"
        raise KeyError(f"this motion has no {name!r}{hint}")

    def at(self, time: float | Array, side: Literal["before", "after"] = "after") -> dict[str, Any]:
        """Coordinates and speeds between the samples, from the stepper's own interpolant; `side` of an impact there."""
        if side not in ("before", "after"):
            raise ValueError(f"The side is {side!r}; it must be 'before' or 'after'.")
        if self.dense is None:
            raise ValueError("This motion kept no interpolant; simulate it with dense=True to evaluate it anywhere.")
        times = np.atleast_1d(np.asarray(time, float))
        first, last = self.reach or (self.times[0], self.times[-1])
        if times.min() < first or times.max() > last:
            raise ValueError(
                f"The motion is known from t = {first:.10g} to {last:.10g}, not at all of the times asked for."
            )
        q, v = self.dense(times, side == "after")
        rows = {name: q[:, i] for i, name in enumerate(self.coordinates)}
        rows |= {f"{name}'": v[:, i] for i, name in enumerate(self.coordinates)}
        rows = {name: row / self.scales.get(name.rstrip("'"), 1.0) for name, row in rows.items()}
        return {name: float(row[0]) for name, row in rows.items()} if np.ndim(time) == 0 else rows

    def to_dict(self) -> dict[str, Any]:
        """The answer of `simulate --json`."""

        def listed(arrays: Arrays) -> dict[str, list[float]]:
            return {name: values.tolist() for name, values in arrays.items()}

        answered = self.in_units()
        return {
            "method": self.method,
            "status": self.status,
            "times": self.times.tolist(),
            "coordinates": listed(answered.coordinates),
            "speeds": listed(answered.speeds),
            "accelerations": listed(answered.accelerations),
            **({"units": dict(self.units)} if self.units else {}),
            "multipliers": listed(self.multipliers),
            "reactions": {name: listed(row) for name, row in self.reactions.items()},
            "definitions": listed(self.definitions),
            **({"outputs": listed(self.outputs)} if self.outputs else {}),
            "energy": listed(self.energy),
            **({"modes": {name: words.tolist() for name, words in self.modes.items()}} if self.modes else {}),
            "events": [self._event(event.to_dict()) for event in self.events],
            **({} if self.sensitivities is None else {"sensitivities": self.sensitivities.to_dict()}),
            "diagnostics": self.diagnostics.to_dict(),
            "notes": list(self.notes),
        }

    def _event(self, told: dict[str, Any]) -> dict[str, Any]:
        """An event with its speeds in the coordinates' units."""
        return told | {side: in_units(told[side], self.scales) for side in ("before", "after")}

    def to_xarray(self) -> xarray.Dataset:
        """A dataset over the dimension t, its variables named as in `columns`."""
        import xarray

        columns = self.columns()
        times = columns.pop("t")
        units = {name: {"units": self.unit(name)} if self.unit(name) else {} for name in columns}
        variables: dict[str, Any] = {name: ("t", values, units[name]) for name, values in columns.items()}
        variables |= {f"mode.{name}": ("t", words) for name, words in self.modes.items()}
        about = {"title": self.title, "method": self.method, "status": self.status, "notes": "\n".join(self.notes)}
        return xarray.Dataset(variables, coords={"t": ("t", times, {"units": "s"})}, attrs=about)

    def unit(self, name: str) -> str:
        """The unit of a coordinate as the model states it, and what follows from it for its rates; "" where none is."""
        bare = name.rstrip("'")
        unit = self.units.get(bare, "")
        return unit and unit + ("", "/s", "/s^2")[len(name) - len(bare)]

    def plot(self, names: Sequence[str] | None = None, *, kind: str = "time", of: str | Sequence[str] = ()) -> Any:
        """A Matplotlib figure of the motion, or of the named quantities only.

        `kind="phase"` draws speeds over coordinates, `kind="path"` one quantity over another, the paths of the bodies
        where none is named; `of` names the quantities: `of="theta"`, `of=("x", "y")`.
        """
        from dalembert.results.plots import figure

        return figure(self, names, kind, (of,) if isinstance(of, str) else tuple(of))

    def animate(self, path: str | Path | None = None, **options: Any) -> Any:
        """The animation: written to `path` as one page, and shown by a notebook. Options are those of the player."""
        if self.viewer is None:
            raise ModelError("This motion does not know its model, so nothing of it can be drawn.")
        if not len(self.times):
            raise ModelError("This motion ended before the first of the times asked for; ask for earlier ones.")
        animation = self.viewer(self, **options)
        if path is not None:
            animation.save(path)
        return animation

    def save(self, path: str | Path, **drawing: Any) -> None:
        """Write it; the ending says how: .csv .json .nc .parquet .png .svg .html; `drawing` is what `plot` takes."""
        from dalembert.results.write import write

        write(self, Path(path), **drawing)

    def _repr_png_(self) -> bytes:
        """What a notebook shows."""
        from dalembert.results.plots import picture

        return picture(self.plot(), "png")

    def __str__(self) -> str:
        from dalembert.results.text import motion_text

        return motion_text(self)

    def __repr__(self) -> str:
        first, last = (self.times[0], self.times[-1]) if len(self.times) else (float("nan"), float("nan"))
        return f"<Motion by {self.method}: {self.status}, {len(self.times)} samples, t = {first:.6g} … {last:.6g}>"
