"""The wheel's build makes the engine and the shells of FMUs first; an editable install does, too.

The build takes `ziglang` from the registry: it compiles the engine for wasm32, which pages carry, and the library where
the machine has no C++ compiler. It takes `nicegui`, too, whose wheel carries three.js and CodeMirror:
`view/vendored.py` copies them. With DALEMBERT_TARGET, one of `engine/build.py`'s TARGETS, the wheel is one of another
platform, cross-compiled by zig (`make wheels`).
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent


SHELLS = Path("dalembert") / "exchange" / "export" / "fmu"


def builders() -> tuple[Any, Any, Any]:
    """The modules `engine/build.py`, `exchange/export/fmu/shells.py`, `view/vendored.py`. They need Python alone."""
    sys.path.insert(0, str(ROOT / "src"))
    try:
        engine = importlib.import_module("dalembert.engine.build")
        spec = importlib.util.spec_from_file_location("dalembert_shells", ROOT / "src" / SHELLS / "shells.py")
        shells = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = shells  # named tuples look for their module
        spec.loader.exec_module(shells)
        return engine, shells, importlib.import_module("dalembert.view.vendored")
    finally:
        sys.path.remove(str(ROOT / "src"))


class EngineBuildHook(BuildHookInterface):
    """Compiles src/dalembert/engine into one shared library, and marks the wheel as one of its platform."""

    def dependencies(self) -> list[str]:
        return ["ziglang>=0.13", "nicegui>=3.18,<4"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        (module, shells, libraries), target = builders(), os.environ.get("DALEMBERT_TARGET")
        build_data["pure_python"] = False
        if target:  # outside of the tree: the library of this machine is not replaced
            library, platform = module.cross_build(target, ROOT / "build" / target), module.TARGETS[target].tag
            of_fmus = shells.cross_build(ROOT / "build" / "shells")  # of all platforms, for every wheel
        else:
            library, platform = module.build(), sysconfig.get_platform().replace("-", "_").replace(".", "_")
            of_fmus = shells.build()
        build_data["tag"] = f"py3-none-{platform}"
        for path in (library, module.checksum_file(library), module.browser_build()):
            if path is not None:
                build_data["force_include"][str(path)] = f"dalembert/engine/{path.name}"
        for path in of_fmus:
            build_data["force_include"][str(path)] = (SHELLS / path.name).as_posix()
        for path in libraries.vendor():
            build_data["force_include"][str(path)] = f"dalembert/view/static/vendored/{path.name}"
