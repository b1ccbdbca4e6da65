"""What a call loads, and what it tells while machine code is made."""

from __future__ import annotations

import subprocess
import sys

from dalembert.cli import progress
from dalembert.cli.main import run


def test_solve_loads_no_heavy_library() -> None:
    code = (
        "import sys; from dalembert.cli.main import run; run(['solve', 'rocket']);"
        "print([m for m in ('sympy', 'scipy', 'matplotlib', 'xarray', 'numba', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_simulate_loads_no_heavy_library_but_numba() -> None:
    code = (
        "import sys; from dalembert.cli.main import run; run(['simulate', 'rocket']);"
        "print([m for m in ('sympy', 'scipy.integrate', 'scipy.optimize', 'matplotlib', 'xarray') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_importing_the_package_loads_nothing() -> None:
    code = (
        "import sys, dalembert; print([m for m in sys.modules if m.startswith(('dalembert.', 'numpy', 'symengine'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_compiling_is_told_once_on_stderr_when_it_takes_its_time(capsys, monkeypatch) -> None:
    from numba import njit

    def compiled() -> str:
        with progress.compiling():
            for shift in (1.0, 2.0):
                njit(lambda x, shift=shift: x + shift)(1.0)
        shown = capsys.readouterr()
        assert shown.out == ""
        return shown.err

    assert compiled() == ""  # it was quick, and stderr is no terminal
    monkeypatch.setattr(progress, "LONG", 0.0)
    assert compiled().count("once on this machine") == 1
    monkeypatch.setattr(progress, "LONG", 1e9)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert compiled().count("once on this machine") == 1


def test_what_is_compiled_already_is_not_told(capsys, monkeypatch) -> None:
    assert run(["simulate", "simple-pendulum"]) == 0
    capsys.readouterr()
    monkeypatch.setattr(progress, "LONG", 0.0)
    assert run(["simulate", "simple-pendulum"]) == 0
    assert capsys.readouterr().err == ""
