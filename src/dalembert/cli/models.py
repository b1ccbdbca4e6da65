"""Commands about model files: the gallery, conversion and checks."""

from __future__ import annotations

import click

from dalembert.cli.flags import json_option, model_argument
from dalembert.cli.options import answered, record_of, say, told
from dalembert.language import tr


@click.command(short_help="List the models that come with it, or print one.")
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


@click.command(short_help="A URDF or MJCF file as a model file.")
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
        raise ModelError("{output!a} was met after -o, and a file that ends in .toml is expected", output=output)
    else:
        save(model, output)
        say(tr("written: {output}", output=output))
    for note in notes:
        click.echo(tr("note: {note}", note=note), err=True)


@click.command(short_help="Check a model: freedoms, constraints, faults.")
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
    answered(found, as_json)
