"""The modules that a call loads; on the user's machine only programs are compiled."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def loaded(call: str, names: tuple[str, ...]) -> list[str]:
    """The modules among these that a call loads in a new process."""
    code = f"import sys; {call}; print([m for m in {names!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return eval(done.stdout.splitlines()[-1])  # noqa: S307 - a list of names that we printed


HEAVY = ("sympy", "scipy", "matplotlib", "xarray", "pandas", "pint", "dask", "numba", "rich")
SLOW = ("numpy.ma", "numpy.random", "numpy.ctypeslib", "subprocess", "concurrent.futures", "lark")
MODULES = 442  # of all kinds, loaded by one motion; every ten cost about 5 ms


def test_solve_loads_no_heavy_library() -> None:
    assert loaded("from dalembert.cli.main import run; run(['solve', 'rocket'])", (*HEAVY, "llvmlite")) == []


def test_simulate_loads_no_heavy_library() -> None:
    assert loaded("from dalembert.cli.main import run; run(['simulate', 'rocket'])", HEAVY) == []


def test_a_motion_with_contacts_loads_no_heavy_library() -> None:
    assert loaded("from dalembert.cli.main import run; run(['simulate', 'bouncing-ball'])", HEAVY) == []


@pytest.mark.parametrize("model", ["rolling-disk", "bouncing-ball"])
def test_a_first_motion_loads_few_modules(model: str) -> None:
    code = f"import sys; from dalembert.cli.main import run; run(['simulate', {model!r}]); print(len(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout.splitlines()[-1]) <= MODULES
    assert loaded(f"from dalembert.cli.main import run; run(['simulate', {model!r}])", SLOW) == []


def test_a_sweep_to_a_file_loads_what_writes_it_alone(tmp_path: Path) -> None:
    """The Dataset is made on request; the command does not request it."""
    call = ["sweep", "bouncing-ball", "--vary", "e=0.5:0.8:3", "-o", str(tmp_path / "balls.nc")]
    assert loaded(f"from dalembert.cli.main import run; run({call!r})", (*HEAVY, "zarr", "pyarrow")) == []


def test_importing_the_package_loads_nothing() -> None:
    code = (
        "import sys, dalembert; print([m for m in sys.modules if m.startswith(('dalembert.', 'numpy', 'symengine'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
