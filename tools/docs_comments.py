"""Comments behind the fields of a class become their descriptions in the reference of the manual."""

from __future__ import annotations

import re
from typing import Any

import griffe


class Comments(griffe.Extension):
    """`work: float  # ∫ Q^c·q̇ dt` describes the field `work`, unless a docstring does."""

    def on_attribute_instance(self, *, attr: griffe.Attribute, **_: Any) -> None:
        if attr.docstring is None and attr.lineno and attr.parent and attr.parent.is_class:
            line = attr.lines_collection[attr.filepath][attr.lineno - 1]
            if found := re.search(r"  # (?!type:|noqa|fmt:)(.+)$", line):
                attr.docstring = griffe.Docstring(found[1], lineno=attr.lineno, parent=attr)
