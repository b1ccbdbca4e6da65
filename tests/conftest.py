"""Random tests draw the same examples every time, so the same code gives the same result.

Tests run in English. Matrices are small: threads of BLAS would only wait for each other, and for those of other tests.
"""

import os

import pytest
from hypothesis import settings

os.environ["LANGUAGE"] = "en"  # for any locale of the machine
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

settings.register_profile("gate", derandomize=True, deadline=None)
settings.load_profile("gate")


@pytest.fixture
def loaded(tmp_path):
    """A function that writes the text of a model to a file and loads it."""
    import dalembert as da

    def load(text, name="model"):
        file = tmp_path / f"{name}.toml"
        file.write_text(text, encoding="utf-8")
        return da.load(file)

    return load
