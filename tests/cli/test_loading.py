"""What a call loads, and that nothing is compiled on the user's machine but programs."""

from __future__ import annotations

import subprocess
import sys


def loaded(call: str, names: tuple[str, ...]) -> list[str]:
    """Which of the modules a call loads in a new process."""
    code = f"import sys; {call}; print([m for m in {names!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return eval(done.stdout.splitlines()[-1])  # noqa: S307 - a list of names that we printed


HEAVY = ("sympy", "scipy", "matplotlib", "xarray", "numba", "rich")


def test_solve_loads_no_heavy_library() -> None:
    assert loaded("from dalembert.cli.main import run; run(['solve', 'rocket'])", (*HEAVY, "llvmlite")) == []


def test_simulate_loads_no_heavy_library() -> None:
    assert loaded("from dalembert.cli.main import run; run(['simulate', 'rocket'])", HEAVY) == []


def test_a_motion_with_contacts_loads_no_heavy_library() -> None:
    assert loaded("from dalembert.cli.main import run; run(['simulate', 'bouncing-ball'])", HEAVY) == []


def test_importing_the_package_loads_nothing() -> None:
    code = (
        "import sys, dalembert; print([m for m in sys.modules if m.startswith(('dalembert.', 'numpy', 'symengine'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
