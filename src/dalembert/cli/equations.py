"""Commands about equations: derived, exported, audited, and those of the papers."""

from __future__ import annotations

from pathlib import Path

import click

from dalembert.cli.flags import description_option, file_option, json_option, method_option, model_argument, set_option
from dalembert.cli.options import answered, document, form_of, record_of, say, settings, split_names
from dalembert.language import tr

form_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "latex", "html", "json"]),
    help="How it is written; default by the ending of FILE, else text.",
)
output_option = file_option(help="Write to FILE: .txt .tex .html .json")


@click.command(
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
@form_option
@click.option("--steps", is_flag=True, help="The derivation as the paper lays it out.")
@click.option("--reactions", metavar="A,B", help="Release these constraints only, by Sun's method if none is named.")
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

    form = form_of("json" if as_json else form, output)
    record = record_of(model, description=description)
    released = None if reactions is None else split_names(reactions)
    derivation = derived(record, method, reactions=released)
    if form == "json":
        document({**derivation.to_dict(steps), "description": record.simulation.description}, output)
    else:
        document({"text": derivation.text, "latex": derivation.latex, "html": derivation.html}[form](steps), output)


@click.command(
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
@file_option(help="The file; its ending fits TARGET.")
def export(
    model: str, to: str, method: str | None, what: str | None, pairs: tuple[str, ...], output: Path | None
) -> None:
    """Write a model in another language. What the target cannot hold is refused, and nothing is written."""
    from dalembert.errors import ModelError
    from dalembert.exchange.export import export as exported

    if output is None:
        raise ModelError("name the file that is written: -o FILE")
    files, notes = exported(record_of(model, settings(pairs)), to, output, method, what)
    for file in files:
        say(tr("written: {output}", output=file))
    for note in notes:
        say(tr("note: {note}", note=note))


@click.command(
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
    answered(found, as_json)
    return 0 if found.agrees else 1


@click.command(short_help="The five papers, formula by formula.")
@click.argument("name", required=False)
@form_option
@output_option
@json_option
def paper(name: str | None, form: str | None, output: Path | None, as_json: bool) -> int:
    """List the papers, or go through one: what is printed, what is computed here, and the verdict.

    Exit status 0 only if every line holds.
    """
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
