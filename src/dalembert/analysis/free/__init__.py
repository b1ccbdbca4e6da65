"""Free motion: the states from which the constraints need no force."""

from dalembert.analysis.free.answer import free

__all__ = ["free"]
