"""Random tests draw the same examples every time, so that the gate says the same of the same code."""

from hypothesis import settings

settings.register_profile("gate", derandomize=True, deadline=None)
settings.load_profile("gate")
