"""The name of `programs.system` in rooms that are about to go."""

from dalembert.programs.system import CompiledSystem
from dalembert.programs.system import system_of as compile_equations

__all__ = ["CompiledSystem", "compile_equations"]
