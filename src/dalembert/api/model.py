"""`Model`, the class that users hold: it builds, reads, derives, solves, simulates and analyses one system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, overload

from dalembert import collection
from dalembert.errors import ModelError
from dalembert.model.builder import Builder

if TYPE_CHECKING:
    import xarray

    from dalembert.api.examine import Examination
    from dalembert.api.prepare import PreparedModel
    from dalembert.api.sensitivity import Differentiated
    from dalembert.report.derivation import Derivation
    from dalembert.results.analysis import Analysis
    from dalembert.results.audit import Audit
    from dalembert.results.comparison import Comparison
    from dalembert.results.connection import Connection
    from dalembert.results.conserved import Conserved
    from dalembert.results.linearization import Linearization
    from dalembert.results.locus import Locus
    from dalembert.results.motion import Motion
    from dalembert.results.sensitivity import Sensitivities
    from dalembert.results.state import State
    from dalembert.view.widget import Lab


class Files(tuple[Path, ...]):
    """The files of an export. `notes` are sentences on what they do not contain."""

    notes: tuple[str, ...]

    def __new__(cls, files: Iterable[Path], notes: Iterable[str]) -> Self:
        made = super().__new__(cls, files)
        made.notes = tuple(notes)
        return made


class Model(Builder):
    """A mechanical system. It is read by `load`, taken from `gallery`, or built with the methods below.

    Nothing is computed while a model is built. Every question checks the whole model first and raises a ModelError that
    lists all faults. `settings` in a question are values of parameters, coordinates and speeds that replace the model's
    own for that question, as in `{"R": 0.3, "theta'": 0.1}`.
    """

    def __repr__(self) -> str:
        return f"<Model {self._stated['title']!r}: coordinates {', '.join(self._tables['coordinates'])}>"

    def _repr_html_(self) -> str:
        """For a notebook: the contents of the model, table by table, or its faults."""
        from dalembert.results.text.blocks import Grid
        from dalembert.results.text.notebook import fragment, model_html

        try:
            return model_html(self.record)
        except ModelError as error:
            faults = tuple((f"[{f.table}] {f.key}".strip(), f.message) for f in error.faults)
            return fragment(self._stated["title"] or "Model", [Grid(("fault", ""), faults)])

    def check(self) -> Examination:
        """Count the degrees of freedom, and tell the kind and redundancy of every constraint.

        >>> import dalembert as da
        >>> da.gallery("rolling-disk").check().degrees_of_freedom
        3
        """
        from dalembert.api.examine import examine

        return examine(self.record)

    def methods(self) -> list[str]:
        """List the methods of derivation that apply to this model.

        >>> import dalembert as da
        >>> "maggi" in da.gallery("rolling-disk").methods()
        True
        """
        from dalembert.formalisms import applicable

        return applicable(self.record)

    def derive(
        self,
        method: str | None = None,
        numeric: bool = False,
        *,
        reactions: Iterable[str] | None = None,
        description: str | None = None,
    ) -> Derivation:
        """Derive the equations of motion by a method.

        `numeric` substitutes the values of the parameters. `reactions` names the constraints whose reactions the
        derivation releases; all by default. `description` is "segmented" or "whole-course", for models with contacts.

        >>> import dalembert as da
        >>> print(da.gallery("simple-pendulum").derive("chetaev"))
        Simple pendulum, by its angle
        method chetaev
        solved for: θ″
        ...
        """
        from dalembert.api.derive import derive
        from dalembert.api.describe import described

        return derive(described(self.record, description), method, numeric, reactions)

    @overload
    def export(
        self, to: str, path: None = None, *, method: str | None = None, what: str | None = None
    ) -> dict[str, str | bytes]: ...
    @overload
    def export(self, to: str, path: str | Path, *, method: str | None = None, what: str | None = None) -> Files: ...
    def export(
        self, to: str, path: str | Path | None = None, *, method: str | None = None, what: str | None = None
    ) -> Files | dict[str, str | bytes]:
        """Write the model in another language, and return the files; their `notes` say what they do not contain.

        `to` is a target: c, numpy, jax, casadi, matlab, modelica, wasm, sympy, latex or fmu. `what` is "slopes"
        (accelerations as a function), "linear", "motion", "equations", "fmi2" or "fmi3", as the target offers.
        Functions are named after the file. Models with features that a target cannot express are refused.
        Without a path nothing is written: the answer has the contents of `model.c`, `model.h` and so on.

        >>> import dalembert as da, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> [file.name for file in da.gallery("simple-pendulum").export("c", f"{folder}/pendulum.c")]
        ['pendulum.c', 'pendulum.h']
        >>> list(da.gallery("simple-pendulum").export("c"))
        ['model.c', 'model.h']
        """
        from dalembert.exchange.export import contents, export

        if path is None:
            files, _ = contents(self.record, to, None, method, what)
            return {file.name: content for file, content in files.items()}
        return Files(*export(self.record, to, path, method, what))

    def audit(self, equations: Any) -> Audit:
        """Compare equations with the model's: whether they agree; if not, the state and the term in which they differ.

        They are text (`left = right`, one per line), a list of texts, a path, or SymPy's: expressions, a matrix, a
        LagrangesMethod or a KanesMethod. Texts and files are parsed and never executed.

        >>> import dalembert as da
        >>> da.gallery("simple-pendulum").audit("l*theta'' = -g*sin(theta)").agrees
        True
        """
        from dalembert.api.audit import audit

        return audit(self.record, equations)

    def prepare(self, method: str | None = None) -> PreparedModel:
        """Derive and compile the model once, for programs that call it often.

        >>> import dalembert as da
        >>> run = da.gallery("simple-pendulum").prepare()
        >>> run.slopes(0.0, [0.0], [0.0]).shape, run.M([0.0]).shape
        ((1,), (1, 1))
        """
        from dalembert.api.prepare import prepare

        return prepare(self.record, method)

    def solve(
        self,
        method: str | None = None,
        *,
        reactions: Iterable[str] | None = None,
        settings: Mapping[str, Any] | None = None,
        strict: bool = False,
    ) -> State:
        """Solve for accelerations, multipliers and reactions at the initial state.

        `reactions` names the constraints whose reactions are reported; all by default. With `strict`, an initial state
        that breaks a constraint is refused; otherwise it is corrected by the smallest change, which the notes tell.

        >>> import dalembert as da
        >>> state = da.gallery("simple-pendulum").solve(settings={"theta": 0})
        >>> abs(state.accelerations["theta"])
        0.0
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
        description: str | None = None,
        reactions: Iterable[str] | None = None,
    ) -> Motion:
        """Follow the motion from the initial state.

        The motion lasts for a `duration`, or `until` a time. It is reported at evenly spaced `samples`, or exactly `at`
        given times. `tolerance` bounds the error of a step, relative and absolute. `stepper` is auto, dop853, gauss,
        radau or taylor; `step` is the length of the fixed steps of gauss. `dense` keeps the interpolant, so that
        `motion.at` evaluates anywhere. `progress` is called with the fraction that is done. `description` is
        "segmented" or "whole-course". `reactions` names the constraints whose reactions are reported; all by default.

        >>> import dalembert as da
        >>> motion = da.gallery("simple-pendulum").simulate(duration=2, samples=5)
        >>> motion["theta"].shape, motion.status
        ((5,), 'finished')
        """
        from dalembert.api.describe import described
        from dalembert.api.motion import simulate

        record = described(self.changed(settings).record, description)
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
            reactions=reactions,
        )

    def lab(
        self,
        names: Iterable[str] | None = None,
        *,
        method: str | None = None,
        over: str | None = None,
        duration: float | None = None,
        theme: Literal["auto", "light", "dark"] = "auto",
        plots: bool = True,
    ) -> Lab:
        """Show the motion in a notebook, with sliders. It needs the package anywidget (`dalembert[notebook]`).

        `names` are the parameters, coordinates and speeds that get a slider; all by default. `over` is a second method,
        whose motion is drawn over the first. `lab.values` may be set from Python too, and `lab.motion` is the motion.
        """
        from dalembert.api.lab import lab

        until = None if duration is None else self.record.simulation.start + duration
        return lab(self.record, names, method, over, until, {"theme": theme, "plots": plots})

    def compare(
        self,
        methods: Iterable[str] | None = None,
        *,
        until: float | None = None,
        samples: int | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Comparison:
        """Compare `methods`, or all that apply, at the same state and along the same motion.

        >>> import dalembert as da
        >>> da.gallery("knife-edge").compare(["kane", "chetaev", "vakonomic"], until=1).groups
        (('kane', 'chetaev'), ('vakonomic',))
        """
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
        """Find a vakonomic motion from the initial configuration to the coordinates `to`.

        Coordinates that `to` leaves out are free at the end. Of several motions, the one of least action is returned.

        >>> import dalembert as da
        >>> way = da.gallery("heisenberg").connect({"x": 1, "y": 0}, duration=1)
        >>> round(way.action, 6)
        0.5
        """
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
        """Differentiate a motion: the quantities `of`, by the names in `to`.

        `to` may hold parameters, initial coordinates, initial speeds ("x'") and initial multipliers. Derivatives are
        exact, and pass through impacts, stick and slip. `.motion` is the motion itself, and `.events` has the
        derivatives of event times.

        >>> import dalembert as da
        >>> slopes = da.gallery("simple-pendulum").sensitivities(["theta"], at=[0, 1])
        >>> float(slopes["theta", "theta"][0])
        1.0
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
        """Prepare `sensitivities` for many values of `to`: the model is derived and compiled once.

        >>> import dalembert as da
        >>> slopes = da.gallery("simple-pendulum").differentiate(["theta"], of=["theta"])
        >>> [slopes({"theta": angle}, at=[1]).jacobian().shape for angle in (0.1, 0.2)]
        [(1, 1), (1, 1)]
        """
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
        inputs: Iterable[str] | None = None,
        outputs: Iterable[str] | None = None,
        lqr: Mapping[str, Any] | None = None,
    ) -> Linearization:
        """Linearize the equations about the initial state: matrices, eigenvalues, modes, and whether it is steady.

        With `steady`, the nearest steady motion is found first, and the equations are linearized about it. The
        quantities in `hold` keep their values in that search.

        `control` of the answer has A, B, C, D, transfer functions, ranks and responses from `inputs` (those of the
        model, or parameters) to `outputs` (those of the model, else the coordinates). `lqr={"Q": …, "R": …}` adds a
        regulator.

        >>> import dalembert as da
        >>> da.gallery("simple-pendulum").linearize(settings={"theta": 0, "theta'": 0}).stability
        'neutral'
        """
        from dalembert.api.control import Asked
        from dalembert.api.linearize import linearize

        asked = Asked(None if inputs is None else tuple(inputs), None if outputs is None else tuple(outputs), lqr)
        return linearize(self.changed(settings).record, method, strict, steady, tuple(hold), asked)

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
        """Follow the eigenvalues over `values` of a parameter, coordinate or speed, and locate critical values.

        With `steady`, every member is the steady motion nearest to the one before it.

        >>> import dalembert as da
        >>> locus = da.gallery("whipple-bicycle").root_locus("v", [4, 5, 6, 7], settings={"push": 0})
        >>> [turn.stability for turn in locus.critical if turn.kind == "crossing"]
        [('unstable', 'stable'), ('stable', 'unstable')]
        """
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
        """Analyse the system: the named `parts` (constraints, free, models, conserved, stability), or all of them.

        `inputs` are directions that can be driven ("x' = cos(theta), y' = sin(theta)"). `checks` are expressions that
        are tested for being conserved. Motions that the analysis looks at end at `until`. `seconds` bounds the time of
        the whole analysis; a part that runs out of it says what it left out.

        >>> import dalembert as da
        >>> da.gallery("knife-edge").analyze(["constraints"])["constraints"].holonomic
        False
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
        until: float | None = None,
        method: str | None = None,
        tolerance: float | None = None,
        stepper: str | None = None,
        step: float | None = None,
        strict: bool = False,
        engine: Literal["threads", "reference", "gpu"] = "threads",
        threads: int | None = None,
        chunk: int | None = None,
        cluster: Any = None,
        restart: bool = False,
        progress: Callable[[Any], None] | None = None,
    ) -> xarray.Dataset:
        """Compute many motions at once. The answer is an xarray Dataset whose dimensions are the varied quantities.

        `output` names a file that keeps it (.zarr, .nc, .parquet). An interrupted sweep continues from there.

        `vary` has grids, lists, arrays or columns of files by the name of a parameter, coordinate or speed: {"R":
        "0.2:0.4:21", "theta'": numpy.linspace(0, 1, 5)}. `spread` has distributions of `sample` random starts,
        {"theta": "normal(0.1, 0.02)"}. `record` names the records of each motion ("final", "max theta", …). `cluster`
        is the address of a Dask scheduler or a Dask client. `chunk` is the number of motions of one task. `restart`
        discards the earlier contents of `output`. `progress` is called with the news of the sweep.
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
            until=until,
            method=method,
            tolerance=tolerance,
            stepper=stepper,
            step=step,
            strict=strict,
            engine=engine,
            threads=threads,
            chunk=chunk,
            cluster=cluster,
            restart=restart,
            progress=progress,
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
        """Search for conserved quantities: energies, integrals and momentum equations, each of them verified.

        `checks` are expressions that are tested. `basis` are further quantities for the search. `quadratic` adds
        products of two quantities that are linear in the speeds. `search=False` tests the checks only.

        >>> import dalembert as da
        >>> found = da.gallery("simple-pendulum").conserved()
        >>> [quantity.kind for quantity in found.quantities]
        ['energy']
        """
        from dalembert.analysis.conserved import SECONDS, conserved_quantities

        return conserved_quantities(
            self.changed(settings).record,
            checks=tuple(checks),
            extra=tuple(basis),
            quadratic=quadratic,
            search=search,
            seconds=SECONDS if seconds is None else seconds,
        )

    def changed(self, settings: Mapping[str, Any] | None) -> Self:
        """Return the same model with other values: `{"R": 0.3, "theta'": 0.1}`."""
        if not settings:
            return self
        from dalembert.model.change import with_settings

        return self._of_checked(with_settings(self.record, settings))


def load(path: str | Path) -> Model:
    """Read a model file. A ModelError lists every fault of it, each with its table, key and column."""
    from dalembert.model.read import read

    return Model.of(read(path))


@overload
def gallery(name: None = None) -> list[str]: ...
@overload
def gallery(name: str) -> Model: ...
def gallery(name: str | None = None) -> Model | list[str]:
    """The model `name` of the gallery, or the names of all models; `gallery.text(name)` is a model's file."""
    return collection.names() if name is None else load(collection.path(name))


gallery.text = collection.text  # type: ignore[attr-defined]


def from_sympy(thing: Any, values: Mapping[Any, Any] | None = None, title: str = "") -> Model:
    """The model of a KanesMethod, LagrangesMethod or System of SymPy, or of equations that `to_sympy` made.

    `values` are numbers of its symbols, and the initial values of coordinates and speeds, by symbol or name:
    {m: 2, q1: 0.3, q1.diff(): 1}.
    """
    from dalembert.exchange.sympy_mechanics import stated

    model = Model(title)
    stated(model, thing, values or {})
    return model
