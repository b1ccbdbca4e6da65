"""Random tests draw the same examples every time, so that the gate says the same of the same code.

Tests speak English."""

import os

from hypothesis import settings

os.environ["LANGUAGE"] = "en"  # whatever the locale of the machine is

settings.register_profile("gate", derandomize=True, deadline=None)
settings.load_profile("gate")
