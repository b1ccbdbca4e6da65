"""Random tests draw the same examples every time, so the same code gives the same result.

Tests run in English."""

import os

from hypothesis import settings

os.environ["LANGUAGE"] = "en"  # for any locale of the machine

settings.register_profile("gate", derandomize=True, deadline=None)
settings.load_profile("gate")
