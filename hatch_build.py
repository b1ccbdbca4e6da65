"""The wheel's build makes the engine's library first; an editable install does, too."""

from __future__ import annotations

import importlib.util
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOM = Path(__file__).parent / "src" / "dalembert" / "engine"


class EngineBuildHook(BuildHookInterface):
    """Compiles src/dalembert/engine into one shared library, and marks the wheel as one of this platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        spec = importlib.util.spec_from_file_location("engine_build", ROOM / "build.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        library = module.build()
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["artifacts"].append(library.relative_to(Path(__file__).parent).as_posix())
