"""The name of `programs.system` in rooms that are about to go."""

from dalembert.programs.system import CompiledSystem

__all__ = ["CompiledSystem", "compile_equations"]
