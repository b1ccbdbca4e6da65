"""The build of the wheel, and an editable install, first compile the engine's library.

The build takes `ziglang` from the registry: it compiles the engine for wasm32, which pages carry, and the library where
the machine has no C++ compiler. With DALEMBERT_TARGET, one of `engine/build.py`'s TARGETS, the wheel is one of another
platform, cross-compiled by zig (`make wheels`).
"""

from __future__ import annotations

import importlib
import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent


def engine_build() -> Any:
    """The module `dalembert.engine.build` of these sources; it needs Python's own library alone."""
    sys.path.insert(0, str(ROOT / "src"))
    try:
        return importlib.import_module("dalembert.engine.build")
    finally:
        sys.path.remove(str(ROOT / "src"))


class EngineBuildHook(BuildHookInterface):
    """Compiles src/dalembert/engine into one shared library, and marks the wheel as one of its platform."""

    def dependencies(self) -> list[str]:
        return ["ziglang>=0.13"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        module, target = engine_build(), os.environ.get("DALEMBERT_TARGET")
        build_data["pure_python"] = False
        if target:  # outside of the tree: the library of this machine is not replaced
            library, platform = module.cross_build(target, ROOT / "build" / target), module.TARGETS[target].tag
        else:
            library, platform = module.build(), sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        for path in (library, module.checksum_file(library), module.browser_build()):
            if path is not None:
                build_data["force_include"][str(path)] = f"dalembert/engine/{path.name}"
