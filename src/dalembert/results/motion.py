"""The answer of `simulate`: a motion, as named arrays over its sample times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dalembert.errors import ModelError
from dalembert.language import tr
from dalembert.results.events import Event, Events
from dalembert.results.release import Release
from dalembert.results.state import Numbers, in_units, unit_of

if TYPE_CHECKING:
    import xarray

    from dalembert.results.free import Effort
    from dalembert.results.origin import Origin
    from dalembert.results.plots.figure import Picture
    from dalembert.results.sensitivity import Sensitivities
    from dalembert.view.animation import Animation

Array = np.ndarray
Arrays = Mapping[str, Array]


@dataclass(frozen=True, slots=True)
class Jumps:
    """Quantities that jump at events, by column name, with their values before and after. For pictures."""

    times: Array
    before: Arrays
    after: Arrays


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How the motion was computed.

    `constraint_residual` is the greatest |φ| or |ψ| at any step or sample. `energy_drift` is max |E(t) − E(start)| over
    the samples, without the energy that impacts took. It measures the error only if the energy is conserved between
    them. `seconds` has the times of derive, compile and integrate.
    """

    steps: int  # accepted steps
    evaluations: int  # of the accelerations
    constraint_residual: float
    energy_drift: float
    seconds: Numbers
    stepper: str = ""  # the stepper of the last steps

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
    """A motion. `motion["theta"]`, `motion["theta'"]`, `motion["theta''"]` and definitions are arrays over `times`."""

    method: str  # id of the method of derivation
    status: str  # finished, stopped (by an event) or interrupted
    times: Array  # the sample times
    coordinates: Arrays  # by name, in SI
    speeds: Arrays  # q' by coordinate
    accelerations: Arrays  # q'' by coordinate
    multipliers: Arrays  # λ by constraint or contact
    definitions: Arrays  # by name
    energy: Arrays  # kinetic, potential, total
    events: Events | tuple[Event, ...]  # in the order of time
    diagnostics: Diagnostics  # steps, evaluations, errors, seconds
    corrections: tuple[Mapping[str, Any], ...] = ()  # quantity, given, used
    notes: tuple[str, ...] = ()  # sentences about the answer
    title: str = ""
    units: Mapping[str, str] = field(default_factory=dict)  # of the coordinates, as the model states them
    scales: Numbers = field(default_factory=dict)  # size of a coordinate's unit in SI, if it is not one
    reactions: Mapping[str, Arrays] = field(default_factory=dict)  # by constraint, then by the coordinates it acts on
    residuals: Arrays = field(default_factory=dict)  # left − right of every constraint
    modes: Mapping[str, Array] = field(default_factory=dict)  # contacts: open, closed; frictions: off, stick, slip
    jumps: Jumps | None = None  # values on both sides of events, for pictures
    dense: Callable[[Array, bool], tuple[Array, Array]] | None = None  # t, after -> (q, q̇), a row for each time
    outputs: Arrays = field(default_factory=dict)  # a vector is NAME.x, NAME.y, NAME.z
    states: Arrays = field(default_factory=dict)  # first-order states
    inputs: Arrays = field(default_factory=dict)  # from data, and values held by controllers
    released: Release | None = None  # how the reactions asked for were found
    description: str = ""  # of contacts and frictions: segmented or whole-course; "" if there are none
    sensitivities: Sensitivities | None = None  # derivatives, if the call asked for them
    reach: tuple[float, float] | None = None  # the times between which `dense` is valid; None: first to last sample
    viewer: Callable[..., Any] | None = None  # motion, options -> its animation; None if the model is not known
    made: Callable[[], Origin] | None = None  # the origin; None if the motion cannot be made again

    def in_units(self) -> Motion:
        """The motion with coordinates, speeds and accelerations in the model's units, as in tables and files. The
        fields here are in SI.
        """
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
        """Every array by its column name: t, x, x', x'', definitions, multiplier.NAME, energy.NAME."""
        answered = self.in_units()
        table = {"t": self.times}
        table |= answered.coordinates
        table |= {f"{name}'": values for name, values in answered.speeds.items()}
        table |= {f"{name}''": values for name, values in answered.accelerations.items()}
        table |= self.definitions
        table |= {**self.outputs, **self.states, **self.inputs}
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
        hint = (
            tr("; did you mean {near!r}", near=near[0]) if near else tr("; known are {table}", table=", ".join(table))
        )
        raise KeyError(f"this motion has no {name!r}{hint}")

    def at(self, time: float | Array, side: Literal["before", "after"] = "after") -> dict[str, Any]:
        """Coordinates and speeds at any time, from the stepper's own interpolant. At an impact, `side` chooses one."""
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

    def effort(self) -> Effort:
        """The constraint forces as control forces: largest force, effort, work and power of each constraint."""
        from dalembert.results.effort import effort

        return effort(self)

    @property
    def origin(self) -> Origin | None:
        """Model, parameters, method, settings and versions: everything needed to make this motion again."""
        return None if self.made is None else self.made()

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
            **({} if self.released is None else {"released": self.released.to_dict()}),
            "definitions": listed(self.definitions),
            **({"outputs": listed(self.outputs)} if self.outputs else {}),
            **({"states": listed(self.states)} if self.states else {}),
            **({"inputs": listed(self.inputs)} if self.inputs else {}),
            "energy": listed(self.energy),
            **({"modes": {name: words.tolist() for name, words in self.modes.items()}} if self.modes else {}),
            "events": [self._event(event.to_dict()) for event in self.events],
            **({} if self.sensitivities is None else {"sensitivities": self.sensitivities.to_dict()}),
            "diagnostics": self.diagnostics.to_dict(),
            "notes": list(self.notes),
            **({} if self.made is None else {"origin": self.made().to_dict()}),
        }

    def _event(self, told: dict[str, Any]) -> dict[str, Any]:
        """An event with its place and speeds in the units of the coordinates."""
        parts = (part for part in ("before", "after", "coordinates") if part in told)
        return told | {part: in_units(told[part], self.scales) for part in parts}

    def to_xarray(self) -> xarray.Dataset:
        """A dataset over the dimension t. Its variables have the names of `columns`."""
        import xarray

        columns = self.columns()
        times = columns.pop("t")
        units = {name: {"units": self.unit(name)} if self.unit(name) else {} for name in columns}
        variables: dict[str, Any] = {name: ("t", values, units[name]) for name, values in columns.items()}
        variables |= {f"mode.{name}": ("t", words) for name, words in self.modes.items()}
        about = {"title": self.title, "method": self.method, "status": self.status, "notes": "\n".join(self.notes)}
        about |= {} if self.made is None else {"origin": self.made().text()}
        return xarray.Dataset(variables, coords={"t": ("t", times, {"units": "s"})}, attrs=about)

    def unit(self, name: str) -> str:
        """The unit of a coordinate or of its rates, from the model. "" if the model states no unit."""
        return unit_of(name, self.units)

    def plot(
        self,
        names: Sequence[str] | None = None,
        *,
        kind: Literal["time", "phase", "path"] = "time",
        of: str | Sequence[str] = (),
    ) -> Picture:
        """Draw the motion, or only the named quantities, as a Matplotlib figure.

        `kind="phase"` draws speeds over coordinates. `kind="path"` draws one quantity over another; without names it
        draws the paths of the bodies. `of` names the quantities: `of="theta"`, `of=("x", "y")`.
        """
        from dalembert.results.plots.motion import figure

        return figure(self, names, kind, (of,) if isinstance(of, str) else tuple(of))

    def animate(
        self,
        path: str | Path | None = None,
        *,
        theme: Literal["auto", "light", "dark"] | None = None,
        renderer: Literal["auto", "canvas"] | None = None,
        autoplay: bool | None = None,
        loop: bool | None = None,
        speed: float | None = None,
        time: float | None = None,
        plots: bool | None = None,
        equations: bool | None = None,
        header: bool | None = None,
        height: int | None = None,
    ) -> Animation:
        """Make the animation. It is written to `path` as one page, and a notebook shows it.

        `speed` is in seconds of the motion per second, `time` is where playing begins, `height` is the height of the
        frame in a notebook, in pixels. `plots`, `equations` and `header` select the parts of the page. None leaves the
        choice to the player.
        """
        if self.viewer is None:
            raise ModelError("This motion does not know its model, so nothing of it can be drawn.")
        if not len(self.times):
            raise ModelError("This motion ended before the first of the times asked for; ask for earlier ones.")
        options = {
            "theme": theme,
            "renderer": renderer,
            "autoplay": autoplay,
            "loop": loop,
            "speed": speed,
            "time": time,
            "plots": plots,
            "equations": equations,
            "header": header,
            "height": height,
        }
        animation: Animation = self.viewer(
            self, **{name: value for name, value in options.items() if value is not None}
        )
        if path is not None:
            animation.save(path)
        return animation

    def save(
        self,
        path: str | Path,
        *,
        names: Sequence[str] | None = None,
        kind: Literal["time", "phase", "path"] | None = None,
        of: str | Sequence[str] | None = None,
        describe: bool = False,
    ) -> list[Path]:
        """Write a file. Its ending chooses the form: .csv .json .nc .zarr .parquet .png .svg .html .gif .mp4

        `names`, `kind` and `of` choose the content of a picture, as in `plot`. Files contain everything needed to make
        the motion again (`da.again`). A .csv table has that in a second file next to it, FILE.csv-metadata.json, or
        with `describe` in a first line that begins with #. Returns the written files.
        """
        from dalembert.results.write import write

        drawing = {"names": names, "kind": kind, "of": of, "describe": describe or None}
        return write(self, Path(path), **{name: value for name, value in drawing.items() if value is not None})

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """For a notebook: the picture alone, and the picture with events and diagnostics."""
        from dalembert.results.text.notebook import motion_html

        if not len(self.times):
            return {"text/plain": str(self)}
        picture = self._repr_png_()
        return {"image/png": picture, "text/html": motion_html(self, picture), "text/plain": repr(self)}

    def _repr_png_(self) -> bytes:
        from dalembert.results.plots import picture

        return picture(self.plot(), "png")

    def __str__(self) -> str:
        from dalembert.results.text.motion import motion_text

        return motion_text(self)

    def __repr__(self) -> str:
        first, last = (self.times[0], self.times[-1]) if len(self.times) else (float("nan"), float("nan"))
        return f"<Motion by {self.method}: {self.status}, {len(self.times)} samples, t = {first:.6g} … {last:.6g}>"
