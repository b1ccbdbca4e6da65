"""Libraries for pages and the lab, which the build takes from `nicegui`: three.js with OrbitControls, and CodeMirror.

    python -m dalembert.view.vendored

The package nicegui of PyPI is a wheel that carries both as JavaScript bundles, so a build needs no npm. It is required
by the build alone. The wheel's build and an editable install copy the files that are used to `static/vendored`; nothing
of nicegui is imported. Git ignores the copies.

A page of one file has classic scripts, so the `export` at the end of three.js becomes the global name THREE. CodeMirror
stays a module.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

PACKAGE = "nicegui"
NEEDED = "nicegui>=3.18,<4"
ROOM = Path(__file__).parent / "static" / "vendored"
THREE, CODEMIRROR, LICENSE = "three.js", "codemirror.js", "LICENSE.txt"
NAMES = (THREE, CODEMIRROR, LICENSE)
NOTICE = """\
three.js, https://threejs.org: Copyright (c) 2010-2025 three.js authors
CodeMirror, https://codemirror.net: Copyright (C) 2018 by Marijn Haverbeke, Adrian Heine and others
Both are under the MIT license, whose text is below. They were bundled by nicegui:

"""

_EXPORTS = re.compile(r"export\{([^{}]*)\};?\s*$")  # the last statement of a bundle
_PASSED_ON = re.compile(r'^export\{([^{}]*)\}from"\./([^"]+)";?\s*$')  # all of a file that passes on another's names
_MAP = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)


def vendor(room: Path = ROOM) -> list[Path]:
    """Copy the libraries into a folder, if they are not there from an earlier build. Returns their paths."""
    found = [room / name for name in NAMES]
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        if all(path.is_file() for path in found):
            return found
        raise RuntimeError(f"three.js and CodeMirror were not found: pip install '{NEEDED}'")
    package = Path(spec.submodule_search_locations[0])
    room.mkdir(parents=True, exist_ok=True)
    for name, text in _texts(package / "elements").items():
        made = room / f"{name}.tmp"
        made.write_text(text, encoding="utf-8")
        made.replace(room / name)
    return found


def _texts(elements: Path) -> dict[str, str]:
    scene, editor = elements / "scene" / "dist", elements / "codemirror" / "dist"
    names, chunk = _matched(_PASSED_ON, editor / "index.js").groups()
    return {
        THREE: as_global(_read(scene / "index.js"), str(scene)),
        CODEMIRROR: renamed(_read(editor / chunk), names, chunk),
        LICENSE: _licenses(elements.parent),
    }


def as_global(bundle: str, place: str) -> str:
    """A module that exports THREE and OrbitControls, as a script that defines the global THREE with both."""
    found = _EXPORTS.search(bundle)
    exported = dict(_pairs(found[1])) if found else {}
    if found is None or not {"THREE", "OrbitControls"} <= exported.keys():
        raise RuntimeError(f"the module of three.js in {place} exports neither THREE nor OrbitControls")
    three, controls = exported["THREE"], exported["OrbitControls"]
    body = bundle[: found.start()]
    return f'(function(){{"use strict";{body}\nglobalThis.THREE={{...{three},OrbitControls:{controls}}};}})();\n'


def renamed(chunk: str, names: str, place: str) -> str:
    """A chunk that exports short names, with the long names under which another file passes them on."""
    found = _EXPORTS.search(chunk)
    if found is None:
        raise RuntimeError(f"{place} of CodeMirror does not end with its exports")
    local = dict(_pairs(found[1]))
    exports = ",".join(f"{local[short]} as {long}" for long, short in _pairs(names))
    return f"{chunk[: found.start()]}export{{{exports}}};\n"


def _pairs(exports: str) -> list[tuple[str, str]]:
    """`a as b, c` as [("b", "a"), ("c", "c")]."""
    words = [part.split(" as ") for part in exports.split(",")]
    return [(pair[-1].strip(), pair[0].strip()) for pair in words]


def _matched(pattern: re.Pattern[str], path: Path) -> re.Match[str]:
    found = pattern.match(_read(path))
    if found is None:
        raise RuntimeError(f"{path} does not have the form that was expected; choose another version of {PACKAGE}")
    return found


def _licenses(package: Path) -> str:
    own = sorted(package.parent.glob(f"{PACKAGE}-*.dist-info/**/LICENSE*"))
    return NOTICE + "\n".join(_read(path) for path in own[:1])


def _read(path: Path) -> str:
    return _MAP.sub("", path.read_text(encoding="utf-8")).rstrip() + "\n"


if __name__ == "__main__":
    print("\n".join(map(str, vendor())))
