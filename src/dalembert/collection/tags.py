"""Tags of the gallery's models, for searching."""

from __future__ import annotations

import tomllib

from dalembert.errors import ModelError
from dalembert.language import marked, tr

TAGS = marked(
    "rolling",
    "contact and impact",
    "friction",
    "variable mass",
    "nonholonomic",
    "free or holonomic",
    "vakonomic",
    "no bodies",
    "from the papers",
)
PAPERS = ("Long", "Sun", "Qiao", "WangGao", "Zhang and Mei")


def tags(text: str) -> list[str]:
    """Tags from the tables of the model; nothing is computed."""
    model = tomllib.loads(text)
    bodies = [body for body in model.get("bodies", {}).values() if isinstance(body, dict)]
    rows = [str(row) for row in model.get("constraints", {}).values()]
    rule = model.get("virtual_displacements", {}).get("rule")
    nonholonomic = bool(model.get("rolling")) or any("'" in row or "slip" in row or "omega(" in row for row in rows)
    found = {
        "rolling": bool(model.get("rolling")) or any("slip" in row or "roll" in name for name, row in _named(model)),
        "contact and impact": bool(model.get("contacts")),
        "friction": bool(model.get("frictions")) or any("friction" in c for c in model.get("contacts", {}).values()),
        "variable mass": any("ejection" in body or "t" in str(body.get("mass", "")).split("*") for body in bodies),
        "nonholonomic": nonholonomic,
        "free or holonomic": not nonholonomic and "contacts" not in model and "frictions" not in model,
        "vakonomic": rule == "vakonomic",
        "no bodies": not bodies,
        "from the papers": str(model.get("reference", "")).startswith(PAPERS),
    }
    return [tag for tag in TAGS if found[tag]]


def tagged(texts: dict[str, str], tag: str) -> list[str]:
    """The names of the models with a tag; a part of the tag is enough."""
    found = {name: tags(text) for name, text in texts.items()}
    meant = [one for one in TAGS if tag.lower() in one or tag == tr(one)]
    if not meant:
        raise ModelError("no model has the tag {tag!r}; tags are {known}.", tag=tag, known=", ".join(TAGS))
    return [name for name, some in found.items() if set(meant) & set(some)]


def _named(model: dict[str, object]) -> list[tuple[str, str]]:
    rows = model.get("constraints", {})
    return [(name, str(row)) for name, row in rows.items()] if isinstance(rows, dict) else []
