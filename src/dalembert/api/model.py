"""The Python names: a model that is built, read, derived, solved and simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from dalembert.model.builder import Builder

if TYPE_CHECKING:
    import xarray

    from dalembert.api.examine import Examination
    from dalembert.api.sensitivity import Differentiated
    from dalembert.report.derivation import Derivation
    from dalembert.results.analysis import Analysis
    from dalembert.results.comparison import Comparison
    from dalembert.results.connection import Connection
    from dalembert.results.conserved import Conserved
    from dalembert.results.linearization import Linearization
    from dalembert.results.locus import Locus
    from dalembert.results.motion import Motion
    from dalembert.results.sensitivity import Sensitivities
    from dalembert.results.state import State


class Model(Builder):
    """A mechanical system, and what can be asked of it."""

    def __repr__(self) -> str:
        record = self.record
        return f"<Model {record.title!r}: coordinates {', '.join(record.coordinates)}>"

    def check(self) -> Examination:
        """Degrees of freedom, and the kind and redundancy of every constraint."""
        from dalembert.api.examine import examine

        return examine(self.record)

    def methods(self) -> list[str]:
        """The methods of derivation that take this model."""
        from dalembert.formalisms import applicable

        return applicable(self.record)

    def derive(
        self, method: str | None = None, numeric: bool = False, *, reactions: Iterable[str] | None = None
    ) -> Derivation:
        """The equations of motion; `numeric` puts the parameters' values in, `reactions` are those released."""
        from dalembert.formalisms import derive
        from dalembert.report.derivation import Derivation

        return Derivation(
            derive(self.record, method, numeric, reactions=None if reactions is None else tuple(reactions)),
            self.record.title,
        )

    def solve(
        self,
        method: str | None = None,
        *,
        reactions: Iterable[str] | None = None,
        settings: Mapping[str, Any] | None = None,
        strict: bool = False,
    ) -> State:
        """Accelerations, multipliers and reactions at the initial state.

        `settings` are values of parameters, coordinates and speeds ("theta'") in place of the model's.
        """
        from dalembert.api.instant import solve

        return solve(self.changed(settings).record, method, reactions, strict)

    def simulate(
        self,
        method: str | None = None,
        *,
        duration: float | None = None,
        until: float | None = None,
        samples: int | None = None,
        at: Iterable[float] | None = None,
        tolerance: float | None = None,
        stepper: str | None = None,
        step: float | None = None,
        settings: Mapping[str, Any] | None = None,
        strict: bool = False,
        dense: bool = False,
        progress: Callable[[float], None] | None = None,
    ) -> Motion:
        """The motion from the initial state, for a `duration` or `until` a time, at `samples` or `at` given times."""
        from dalembert.api.motion import simulate

        record = self.changed(settings).record
        if duration is not None:
            if until is not None:
                raise TypeError("give a duration or the time until which to simulate, not both")
            until = record.simulation.start + duration
        return simulate(
            record,
            method,
            until=until,
            samples=samples,
            at=at,
            tolerance=tolerance,
            stepper=stepper,
            step=step,
            strict=strict,
            dense=dense,
            progress=progress,
        )

    def compare(
        self,
        methods: Iterable[str] | None = None,
        *,
        until: float | None = None,
        samples: int | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Comparison:
        """The same state and motion by `methods`, or by all that take the model: who agrees, and to what."""
        from dalembert.api.compare import compare

        return compare(self.changed(settings).record, methods, until, samples)

    def connect(
        self,
        to: Mapping[str, Any],
        *,
        duration: float | None = None,
        samples: int | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Connection:
        """A vakonomic motion from the initial configuration to the coordinates `to`; those left out are free there."""
        from dalembert.api.connect import connect

        record = self.changed(settings).record
        until = None if duration is None else record.simulation.start + duration
        return connect(record, to, until, samples)

    def sensitivities(
        self,
        to: Iterable[str],
        of: Iterable[str] | None = None,
        method: str | None = None,
        *,
        duration: float | None = None,
        until: float | None = None,
        samples: int | None = None,
        at: Iterable[float] | None = None,
        tolerance: float | None = None,
        settings: Mapping[str, Any] | None = None,
        strict: bool = False,
    ) -> Sensitivities:
        """Derivatives of the motion's quantities `of` by `to`: parameters, coordinates, speeds ("x'"), multipliers.

        Through impacts, stick and slip too; the motion itself is `.motion`, derivatives of event times `.events`.
        """
        from dalembert.api.sensitivity import sensitivities

        record = self.changed(settings).record
        if duration is not None:
            if until is not None:
                raise TypeError("give a duration or the time until which to simulate, not both")
            until = record.simulation.start + duration
        return sensitivities(
            record, to, of, method, until=until, samples=samples, at=at, tolerance=tolerance, strict=strict
        )

    def differentiate(
        self, to: Iterable[str], of: Iterable[str] | None = None, method: str | None = None
    ) -> Differentiated:
        """The same, derived and compiled once: `run({"l": 1.2}, at=times)` gives derivatives at many values of `to`."""
        from dalembert.api.sensitivity import differentiate

        return differentiate(self.record, to, of, method)

    def linearize(
        self,
        method: str | None = None,
        *,
        settings: Mapping[str, Any] | None = None,
        strict: bool = False,
        steady: bool = False,
        hold: Iterable[str] = (),
    ) -> Linearization:
        """Matrices, eigenvalues and modes of the equations near the initial state, and whether it moves steadily.

        With `steady`, near the steady motion that is nearest to it, where the quantities in `hold` keep their values.
        """
        from dalembert.api.linearize import linearize

        return linearize(self.changed(settings).record, method, strict, steady, tuple(hold))

    def root_locus(
        self,
        vary: str,
        values: Iterable[float],
        method: str | None = None,
        *,
        settings: Mapping[str, Any] | None = None,
        steady: bool = False,
        hold: Iterable[str] = (),
    ) -> Locus:
        """Eigenvalues over values of a parameter, coordinate or speed, followed by continuity, with critical values."""
        from dalembert.api.linearize import root_locus

        return root_locus(self.changed(settings).record, vary, values, method, steady, tuple(hold))

    def analyze(
        self,
        parts: Iterable[str] | None = None,
        *,
        inputs: Iterable[str] = (),
        checks: Iterable[str] = (),
        until: float | None = None,
        seconds: float | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Analysis:
        """What the system is before and beyond its motion: those `parts` (constraints, free, models, …), or all.

        `inputs` are directions that can be driven ("x' = cos(theta), y' = sin(theta)"), `checks` expressions to be
        tested for being conserved, `until` the end of the motions looked at, `seconds` the time for everything.
        """
        from dalembert.api.analyze import SECONDS, analyze

        return analyze(
            self.changed(settings).record,
            parts,
            inputs=inputs,
            checks=checks,
            until=until,
            seconds=SECONDS if seconds is None else seconds,
        )

    def sweep(
        self,
        vary: Mapping[str, Any] | None = None,
        *,
        record: str | Iterable[str] = "final",
        sample: int | None = None,
        seed: int = 0,
        spread: Mapping[str, str] | None = None,
        output: str | Path | None = None,
        settings: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> xarray.Dataset:
        """Many motions: a Dataset whose dimensions are what varies, kept in `output` (.zarr, .nc, .parquet) if named.

        `vary` has grids, lists, arrays or columns of files by the name of a parameter, coordinate or speed:
        {"R": "0.2:0.4:21", "theta'": numpy.linspace(0, 1, 5)}; `spread` has distributions of `sample` random starts,
        {"theta": "normal(0.1, 0.02)"}; `record` says what is kept of each ("final", "max theta", …). Further options:
        until, method, tolerance, stepper, step, strict, engine, threads, chunk, cluster (an address, or a Dask client),
        restart, progress.
        """
        from dalembert.api.sweep import sweep

        keep = (record,) if isinstance(record, str) else tuple(record)
        return sweep(
            self.changed(settings).record,
            vary,
            keep=keep,
            sample=sample,
            seed=seed,
            spread=spread,
            output=output,
            **options,
        )

    def conserved(
        self,
        *,
        checks: Iterable[str] = (),
        basis: Iterable[str] = (),
        quadratic: bool = False,
        search: bool = True,
        seconds: float | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Conserved:
        """Energies, integrals and momentum equations, each verified; `checks` are expressions to be tested.

        `basis` are further quantities for the search, `quadratic` adds products of two that are linear in the speeds.
        """
        from dalembert.analysis.conserved.answer import SECONDS, conserved_quantities

        return conserved_quantities(
            self.changed(settings).record,
            checks=tuple(checks),
            extra=tuple(basis),
            quadratic=quadratic,
            search=search,
            seconds=SECONDS if seconds is None else seconds,
        )

    def changed(self, settings: Mapping[str, Any] | None) -> Self:
        """The same model with other values of parameters, coordinates or speeds: {"R": 0.3, "theta'": 0.1}."""
        if not settings:
            return self
        from dalembert.model.change import with_settings

        return self.of(with_settings(self.record, settings))


def load(path: str | Path) -> Model:
    """The model in a file."""
    from dalembert.model.read import read

    return Model.of(read(path))


def from_sympy(thing: Any, values: Mapping[Any, Any] | None = None, title: str = "") -> Model:
    """The model of a KanesMethod, LagrangesMethod or System of SymPy.

    `values` are numbers of its symbols, and the initial values of coordinates and speeds, by symbol or name:
    {m: 2, q1: 0.3, q1.diff(): 1}.
    """
    from dalembert.exchange.sympy_mechanics import stated

    model = Model(title)
    stated(model, thing, values or {})
    return model
