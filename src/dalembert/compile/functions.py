"""The name of `programs.functions` in rooms that are about to go."""

from dalembert.programs.functions import FEW_TIMES, OFTEN, Backend, Function, compiled

__all__ = ["FEW_TIMES", "OFTEN", "Backend", "Function", "compiled"]
