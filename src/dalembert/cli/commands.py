"""The commands. Each one reads its options, calls the API, and prints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dalembert import __version__
from dalembert.cli.once import once
from dalembert.cli.options import differentiated, drawing, numbers, record_of, say, settings, split_names, target, told
from dalembert.language import tr

INTERRUPTED = 130  # exit status of a program that Ctrl-C ended

model_argument = click.argument("model", metavar="MODEL")
lang_option = click.option(  # read by `spoken.asked` before the call begins
    "--lang", metavar="en|zh", expose_value=False, help="The language; default that of the locale."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
method_option = click.option("--method", metavar="ID", help="The method of derivation; see dalembert derive --help.")
until_option = click.option("--until", type=float, metavar="T", help="The time of the end; default as the model says.")
tolerance_option = click.option("--tolerance", type=float, metavar="X", help="Of each step, relative; default 1e-9.")
stepper_option = click.option("--stepper", metavar="NAME", help="auto (default), dop853, gauss, radau or taylor.")
step_option = click.option("--step", type=float, metavar="H", help="The step of gauss; the longest one of dop853.")
samples_option = click.option("--samples", type=click.IntRange(min=2), metavar="N", help="Number of samples.")
strict_option = click.option("--strict", is_flag=True, help="Refuse an initial state that misses a constraint.")
plot_option = click.option(
    "--plot",
    metavar="WHAT",
    help="What a picture shows: names (x,theta'), phase or phase:theta, path or path:x,y; default all over time.",
)
reactions_option = click.option(
    "--reactions", metavar="A,B", help="Reactions of these constraints only, by a small matrix."
)
description_option = click.option(
    "--description",
    type=click.Choice(["segmented", "whole-course"]),
    help="How contacts are described; default as the model says.",
)
set_option = click.option(
    "--set",
    "pairs",
    metavar="NAME=VALUE",
    multiple=True,
    help="Another value of a parameter, coordinate or speed (x'=2); may be repeated.",
)


output_option = click.option(
    "-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="Write to FILE: .txt .tex .html .json"
)


class InOrder(click.Group):
    """A group that lists its commands in the order of use, not of the alphabet."""

    ORDER = (
        "gallery convert check derive audit paper export solve simulate compare analyze linearize connect sweep plot "
        "lab"
    ).split()

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        once(cmd)
        if not any("--lang" in option.opts for option in cmd.params):
            lang_option(cmd)
        super().add_command(cmd, name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.commands, key=lambda name: (self.ORDER.index(name) if name in self.ORDER else 99, name))


@click.group(
    cls=InOrder,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
To begin with:
  dalembert gallery                             the models that come with it
  dalembert derive rolling-disk --steps         equations, and how one comes to them
  dalembert simulate rolling-disk -o disk.html  a page that plays the motion
  dalembert lab                                 a page to change models in
`dalembert COMMAND --help` says what a command takes.""",
)
@click.version_option(__version__, message="dalembert %(version)s")
@lang_option
def app() -> None:
    """Equations of motion of constrained mechanical systems: derived, solved, simulated.

    MODEL is a model file, or the name of a model of the gallery.
    """


@app.command(short_help="List the models that come with it, or print one.")
@click.argument("name", required=False)
@click.option("--tag", help="Only models about this: rolling, friction, variable mass, …")
@json_option
def gallery(name: str | None, tag: str | None, as_json: bool) -> None:
    """List the gallery, or print the file of one of its models."""
    from dalembert.collection import names, summary, text
    from dalembert.collection.tags import tagged, tags

    if name is not None:
        if as_json:
            title, reference = summary(name)
            told({"name": name, "title": title, "reference": reference, "text": text(name)})
        else:
            say(text(name).rstrip("\n"))
        return
    listed = names() if tag is None else tagged({name: text(name) for name in names()}, tag)
    summaries = {name: summary(name) for name in listed}
    if as_json:
        told({
            name: {"title": title, "reference": reference, "tags": tags(text(name))}
            for name, (title, reference) in summaries.items()
        })  # fmt: skip
        return
    width = max(map(len, summaries), default=0)
    for name, (title, _) in summaries.items():
        say(f"{name.ljust(width)}   {title}")


@app.command(short_help="A URDF or MJCF file as a model file.")
@click.argument("file")
@click.option("-o", "--output", metavar="MODEL.toml", help="Where the model is written; left out: to the screen.")
def convert(file: str, output: str | None) -> None:
    """Convert a robot's file to a model file: URDF, or MuJoCo's MJCF."""
    from dalembert.errors import ModelError
    from dalembert.exchange.convert import converted
    from dalembert.model.write import save, write_text

    model, notes = converted(file)
    if output is None:
        say(write_text(model).rstrip("\n"))
    elif not output.endswith(".toml"):
        raise ModelError(tr("{output!a} was met after -o, and a file that ends in .toml is expected", output=output))
    else:
        save(model, output)
        say(tr("written: {output}", output=output))
    for note in notes:
        click.echo(tr("note: {note}", note=note), err=True)


@app.command(short_help="Check a model: freedoms, constraints, faults.")
@model_argument
@json_option
def check(model: str, as_json: bool) -> None:
    """Read and check a model: degrees of freedom, kinds of constraints, redundancy."""
    from dalembert.api.examine import Examination, examine
    from dalembert.errors import Fault, MathematicsError, ModelError

    try:
        found = examine(record_of(model))
    except (ModelError, MathematicsError) as error:
        if as_json:
            faults = error.faults if isinstance(error, ModelError) else (Fault("", "", None, str(error)),)
            told(Examination(faults=faults).to_dict())
        raise
    told(found.to_dict()) if as_json else say(str(found))


@app.command(
    short_help="The equations of motion, by any method.",
    epilog="""\b
Methods: partial-acceleration, normalized-routh, boltzmann-hamel,
qiao-lagrange, qiao-lagrange-frozen, qiao-quasi, qiao-quasi-frozen,
kane, chetaev, vakonomic, virtual-displacements, maggi, gibbs-appell,
udwadia-kalaba. Default: what the model says or asks for; for an
example of a paper, the paper's method; else kane.""",
)
@model_argument
@method_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "latex", "html", "json"]),
    help="How the equations are written; default by the ending of FILE, else text.",
)
@click.option("--steps", is_flag=True, help="The derivation as the paper lays it out.")
@click.option("--reactions", metavar="A,B", help="Release these constraints only, where the method lays them out.")
@description_option
@output_option
@json_option
def derive(
    model: str,
    method: str | None,
    form: str | None,
    steps: bool,
    reactions: str | None,
    description: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Derive the equations of motion."""
    from dalembert.api.derive import derive as derived
    from dalembert.cli.options import document, form_of

    form = form_of("json" if as_json else form, output)
    record = record_of(model, description=description)
    released = None if reactions is None else split_names(reactions)
    derivation = derived(record, method, reactions=released)
    if form == "json":
        document({**derivation.to_dict(steps), "description": record.simulation.description}, output)
    else:
        document({"text": derivation.text, "latex": derivation.latex, "html": derivation.html}[form](steps), output)


@app.command(
    short_help="The model in another language: C, SymPy and others.",
    epilog="""\b
Targets:
  c       accelerations and more as C99: FILE.c and FILE.h; --what linear, motion
  numpy   the same as a module of Python that needs NumPy
  jax     a pure function for jit, grad and vmap
  casadi  the same for SX and MX, and as a Function
  matlab  a function for MATLAB and Octave
  modelica  a model with explicit accelerations
  wasm    WebAssembly, and JavaScript that calls it: FILE.wasm and FILE.mjs
  sympy   the equations: M, h, A, b, constraints and energies
  latex   single equations and matrices, for documents of your own
  fmu     the motion, contacts and all, for tools that read FMI 2.0 (or 3.0: --what fmi3)
Functions are named after FILE.""",
)
@model_argument
@click.option("--to", "to", metavar="TARGET", required=True, help="The target; see below.")
@method_option
@click.option("--what", metavar="WHAT", help="slopes, equations, fmi2, fmi3, … as the target offers.")
@set_option
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="The file; its ending fits TARGET."
)
def export(
    model: str, to: str, method: str | None, what: str | None, pairs: tuple[str, ...], output: Path | None
) -> None:
    """Write a model in another language. What the target cannot hold is refused, and nothing is written."""
    from dalembert.errors import ModelError
    from dalembert.exchange.export import export as exported

    if output is None:
        raise ModelError(tr("name the file that is written: -o FILE"))
    files, notes = exported(record_of(model, settings(pairs)), to, output, method, what)
    for file in files:
        say(tr("written: {output}", output=file))
    for note in notes:
        say(tr("note: {note}", note=note))


@app.command(
    short_help="Are somebody's equations those of a model?",
    epilog="""\b
EQUATIONS is a file or a text: equations `left = right`, one a line, in the
names of the model (theta'', lambda.ROW), or what SymPy prints. A new name
alone on the left is a definition. FILE.c:NAME is a function of C that
computes accelerations. Nothing is executed.
Exit status 1: they are not the model's.""",
)
@model_argument
@click.argument("equations")
@json_option
def audit(model: str, equations: str, as_json: bool) -> int:
    """Compare equations with the model's: whether they are the same, else the state and the term in which they part."""
    from dalembert.api.audit import audit as audited

    found = audited(record_of(model), equations)
    told(found.to_dict()) if as_json else say(str(found))
    return 0 if found.agrees else 1


@app.command(short_help="The five papers, formula by formula.")
@click.argument("name", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "latex", "html", "json"]),
    help="How it is written; default by the ending of FILE, else text.",
)
@output_option
@json_option
def paper(name: str | None, form: str | None, output: Path | None, as_json: bool) -> int:
    """List the papers, or go through one: what is printed, what is computed here, and the verdict.

    Exit status 0 only if every line holds.
    """
    from dalembert.cli.options import document, form_of
    from dalembert.papers import PAPERS, lines_of
    from dalembert.papers import paper as found
    from dalembert.papers.render import html, latex, overview, summary, text

    form = form_of("json" if as_json else form, output)
    if name is None:
        if form in ("html", "latex"):
            raise click.UsageError(tr("the list of papers is text or JSON; name a paper for a page or a document."))
        known = [
            {"name": p.name, "authors": p.authors, "title": p.title, "chinese": p.chinese, "examples": list(p.examples)}
            for p in PAPERS.values()
        ]
        document(known if form == "json" else overview(list(PAPERS.values())), output)
        return 0
    chosen = found(name)
    lines = lines_of(name)
    if form == "json":
        document([line.to_dict() for line in lines], output)
    else:
        document({"text": text, "html": html, "latex": latex}[form](chosen, lines), output)
    if not all(line.holds for line in lines):
        click.echo(f"dalembert: {summary(lines)}", err=True)
        return 1
    return 0


@app.command(short_help="Accelerations and reactions at the start.")
@model_argument
@method_option
@set_option
@reactions_option
@click.option("--exact", is_flag=True, help="Exact values, parameters as letters: -18*g/(55*l).")
@description_option
@strict_option
@json_option
def solve(
    model: str,
    method: str | None,
    pairs: tuple[str, ...],
    reactions: str | None,
    description: str | None,
    exact: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Accelerations, multipliers and reactions at the initial state."""
    changes = settings(pairs)
    record = record_of(model, changes, description)
    wanted = None if reactions is None else split_names(reactions)
    state: Any
    if exact:
        from dalembert.api.exact import solve_exactly

        state = solve_exactly(record, method, wanted)
    else:
        from dalembert.api.instant import solve as solved

        state = solved(record, method, wanted, strict)
    told(state.to_dict()) if as_json else say(str(state))


@app.command(short_help="The motion: numbers, pictures, an animated page.")
@click.argument("model", required=False)
@click.option(
    "--again", "file", metavar="FILE", type=click.Path(path_type=Path), help="The motion of a file once more."
)
@method_option
@until_option
@samples_option
@click.option("--at", metavar="T1,T2,…", help="The sample times themselves.")
@set_option
@tolerance_option
@stepper_option
@step_option
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Written by its ending: .csv .json .nc .zarr .parquet .png .svg .html (an animated page) .gif .mp4",
)
@click.option("--describe", is_flag=True, help="A first line in .csv that says how the motion was made, for --again.")
@plot_option
@click.option("--sensitivity", metavar="A,B'", help="Derivatives of the motion by these parameters and beginnings.")
@click.option("--of", metavar="X,Y'", help="Of these quantities only; default coordinates, speeds, definitions.")
@reactions_option
@description_option
@strict_option
@json_option
def simulate(
    model: str | None,
    file: Path | None,
    describe: bool,
    method: str | None,
    at: str | None,
    pairs: tuple[str, ...],
    output: Path | None,
    plot: str | None,
    as_json: bool,
    sensitivity: str | None,
    of: str | None,
    reactions: str | None,
    description: str | None,
    **options: Any,
) -> int:
    """The motion from the initial state."""
    shown = drawing(plot, output) | ({"describe": True} if describe or file is not None else {})
    if file is not None:
        said = {"method": method, "at": at, "set": pairs, "reactions": reactions, **options}
        return repeated(file, model, said, output, shown, as_json)
    if model is None:
        raise click.MissingParameter(param_hint="'MODEL'", param_type="argument")
    times = None if at is None else numbers(at, "--at")
    record = record_of(model, settings(pairs), description)
    course = record.simulation.description
    from dalembert.api.motion import simulate as simulated
    from dalembert.cli.progress import Bar

    if sensitivity is not None or of is not None:
        motion = differentiated(record, method, sensitivity, of, times, options)
        return shown_motion(motion, output, shown, as_json, course)
    page = output is not None and output.suffix.lower() in (".html", ".gif", ".mp4")
    smooth = page or shown.get("kind") in ("phase", "path")  # these pictures are drawn between the samples too
    with Bar() as bar:
        wanted = None if reactions is None else split_names(reactions)
        motion = simulated(record, method, at=times, progress=bar.show, dense=smooth, reactions=wanted, **options)
    return shown_motion(motion, output, shown, as_json, course)


def repeated(
    file: Path, model: str | None, said: dict[str, Any], output: Path | None, shown: dict[str, Any], as_json: bool
) -> int:
    """Make the motion of a file again. The file determines everything, so other options are refused."""
    from dalembert.api.again import again
    from dalembert.cli.progress import Bar
    from dalembert.errors import ModelError
    from dalembert.model.read import read_text

    other = [name for name, value in {"MODEL": model, **said}.items() if value]
    if other:
        raise ModelError(tr("--again takes all from the file; leave out {names}", names=", ".join(other)))
    with Bar() as bar:
        motion = again(file, bar.show)
    assert motion.origin is not None
    return shown_motion(motion, output, shown, as_json, read_text(motion.origin.model).simulation.description)


def shown_motion(motion: Any, output: Path | None, shown: dict[str, Any], as_json: bool, description: str) -> int:
    """Write and print a motion. Return the exit status."""
    if output is not None:
        motion.save(output, **shown)
    if as_json:
        told({**motion.to_dict(), "description": description})
    else:
        say(str(motion))
        if motion.sensitivities is not None:
            say(f"\n{motion.sensitivities}")
        if output is not None:
            say(tr("written: {output}", output=output))
    return INTERRUPTED if motion.status == "interrupted" else 0


@app.command(short_help="All methods side by side: who agrees.")
@model_argument
@click.option("--methods", metavar="A,B", help="Only these methods; default all that take the model.")
@until_option
@samples_option
@set_option
@json_option
def compare(
    model: str, methods: str | None, until: float | None, samples: int | None, pairs: tuple[str, ...], as_json: bool
) -> None:
    """The same state and motion by every method: who agrees, and where models of constraint differ."""
    record = record_of(model, settings(pairs))
    from dalembert.api.compare import compare as compared

    found = compared(record, None if methods is None else split_names(methods), until, samples)
    told(found.to_dict()) if as_json else say(str(found))


@app.command(short_help="Steady motions, modes, eigenvalues, root loci.")
@model_argument
@method_option
@set_option
@click.option("--steady", is_flag=True, help="At the steady motion nearest to the initial state.")
@click.option("--hold", metavar="A,B'", help="Keep these while a steady motion is looked for.")
@click.option("--vary", metavar="NAME=FROM:TO:N", help="Over a parameter, coordinate or speed: root locus.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The root locus, or Bode diagram and step responses, written by its ending: .csv .json .png .svg",
)
@click.option("--inputs", metavar="A,B", help="Inputs or parameters; default the model's [inputs].")
@click.option("--outputs", metavar="A,B'", help="What is measured; default the model's [outputs], else coordinates.")
@click.option("--lqr", metavar="Q=…,R=…", help="A regulator with these weights: Q=1 or Q=[…] or Q=x:1 theta:10.")
@strict_option
@json_option
def linearize(
    model: str,
    method: str | None,
    pairs: tuple[str, ...],
    steady: bool,
    hold: str | None,
    vary: str | None,
    output: Path | None,
    inputs: str | None,
    outputs: str | None,
    lqr: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Steady motions, matrices, modes and eigenvalues of the equations near a state, or near a family of them."""
    from dalembert.cli.options import linearization_of, root_locus_of
    from dalembert.errors import ModelError

    record = record_of(model, settings(pairs))
    held = [] if hold is None else split_names(hold)
    found: Any
    if vary is not None:
        if (inputs, outputs, lqr) != (None, None, None):
            raise ModelError(tr("--inputs, --outputs and --lqr look at one state; leave out --vary."))
        found = root_locus_of(record, vary, output, method=method, steady=steady, hold=held)
    else:
        found = linearization_of(
            record, output, inputs, outputs, lqr, method=method, strict=strict, steady=steady, hold=held
        )
    told(found.to_dict()) if as_json else say(str(found))


@app.command(short_help="A vakonomic motion from here to there.")
@model_argument
@click.option("--to", metavar="x=…,y=…", required=True, help="Where it ends; coordinates left out are free there.")
@until_option
@samples_option
@set_option
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Written by its ending: .csv .json .nc .parquet .png .svg .html (an animated page) .gif .mp4",
)
@plot_option
@json_option
def connect(
    model: str,
    to: str,
    until: float | None,
    samples: int | None,
    pairs: tuple[str, ...],
    output: Path | None,
    plot: str | None,
    as_json: bool,
) -> None:
    """A vakonomic motion from the initial configuration to another."""
    shown = drawing(plot, output)
    wanted = target(to)
    record = record_of(model, settings(pairs))
    from dalembert.api.connect import connect as connected

    found = connected(record, wanted, until, samples)
    if output is not None:
        found.save(output, **shown)
    told(found.to_dict()) if as_json else say(str(found))


@app.command(short_help="Integrability, free motion, what is conserved.")
@model_argument
@click.option(
    "--parts", metavar="A,B", help="Only these of constraints, free, models, stability, conserved; default all."
)
@click.option("--inputs", metavar="DIRECTION", multiple=True, help="A direction that can be driven; may be repeated.")
@click.option("--check", "checks", metavar="EXPR", multiple=True, help="Is this conserved? May be repeated.")
@click.option("--basis", metavar="EXPR", multiple=True, help="A quantity for the search of integrals; may be repeated.")
@click.option("--quadratic", is_flag=True, help="Search integrals among products of two speeds, too.")
@click.option("--until", type=float, metavar="T", help="The time at which the motions looked at end.")
@click.option("--seconds", type=float, metavar="S", help="Time for everything.")
@set_option
@click.option(
    "--format", "form", type=click.Choice(["text", "html", "json"]), default="text", help="How the answer is written."
)
@json_option
def analyze(
    model: str,
    parts: str | None,
    inputs: tuple[str, ...],
    checks: tuple[str, ...],
    basis: tuple[str, ...],
    quadratic: bool,
    until: float | None,
    seconds: float | None,
    pairs: tuple[str, ...],
    form: str,
    as_json: bool,
) -> None:
    """Integrability, reach, free motion, models of constraint, conserved quantities."""
    record = record_of(model, settings(pairs))
    from dalembert.api.analyze import SECONDS
    from dalembert.api.analyze import analyze as analyzed

    found = analyzed(
        record,
        None if parts is None else split_names(parts),
        inputs=inputs,
        checks=checks,
        basis=basis,
        quadratic=quadratic,
        until=until,
        seconds=SECONDS if seconds is None else seconds,
    )
    if as_json or form == "json":
        told(found.to_dict())
    else:
        say(found.html() if form == "html" else str(found))


@app.command(short_help="A page to change models in and watch them move.")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="Default: 8642, or the next that is free.")
@click.option(
    "--folder", type=click.Path(path_type=Path), metavar="DIR", help="Where the page may open and save models."
)
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
@click.option(
    "--host", default="127.0.0.1", metavar="ADDRESS", help="Another address than loopback: others can reach it."
)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=2, metavar="N", help="Processes that compute; default 2."
)
@click.option(
    "--seconds", type=click.FloatRange(0.1, 86400), default=60, metavar="S", help="Limit of a computation; default 60."
)
@click.option("--memory", type=click.FloatRange(0.1, 1024), default=3, metavar="GB", help="Its memory; default 3.")
def lab(folder: Path | None, no_browser: bool, seconds: float, memory: float, **options: Any) -> int:
    """Serve the lab: a page to change models in and watch them move, on loopback."""
    from dalembert.lab.limits import Limits
    from dalembert.lab.serve import Options, serve

    limits = Limits(seconds=seconds, memory=int(memory * 1e9))
    return serve(Options(folder=folder, browser=not no_browser, limits=limits, **options))
