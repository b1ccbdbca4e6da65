"""Straight-line code: programs, passes that make them cheap, and a writer for every target."""

from dalembert.programs.functions import FEW_TIMES, LANES, OFTEN, Backend, Function, compiled, function
from dalembert.programs.program import Operation, Program
from dalembert.programs.system import CompiledSystem, system_of

__all__ = [
           "FEW_TIMES",
           "LANES",
           "OFTEN",
           "Backend",
           "CompiledSystem",
           "Function",
           "Operation",
           "Program",
           "compiled",
           "function",
           "system_of",
]  # fmt: skip
