"""What a call loads, and what it tells while machine code is made."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from dalembert.cli import progress
from dalembert.cli.main import run
from dalembert.cli.signals import Signals


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


def test_a_signal_ends_compiling_between_two_functions(monkeypatch) -> None:
    from numba import njit

    from dalembert.simulate.compiling import heard

    begun: list[float] = []

    @njit
    def inner(x):
        return x + 1.0

    @njit
    def outer(x):
        return inner(x) + inner(x)

    def told(seconds: float) -> None:
        begun.append(seconds)
        signal.raise_signal(signal.SIGINT)

    with heard(told) as ear, Signals(ear.cease) as stop:
        assert not ear.cease()  # nothing is compiled yet, and nothing will be ended
        with pytest.raises(KeyboardInterrupt):
            outer(1.0)
        assert stop.received == signal.SIGINT and stop.status == 130
    assert len(begun) == 1
    with heard(lambda seconds: None):
        assert outer(1.0) == 4.0


def test_ctrl_c_while_nothing_is_compiled_is_what_it_was() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), progress.compiling():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_sweep_that_is_told_to_end_compiles_no_further(tmp_path) -> None:
    code = """
import signal, sys
from dalembert.simulate import compiling
begins, count = compiling.Ear.on_start, 0
def on_start(self, event):
    global count
    count += 1
    print("begins", file=sys.stderr)
    begins(self, event)
    if count == 5:
        signal.raise_signal(signal.SIGTERM)
compiling.Ear.on_start = on_start
from dalembert.cli.main import run
sys.exit(run(["sweep", "simple-pendulum", "--vary", "theta=0:1:3", "--until", "0.1"]))
"""
    fresh = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=fresh)
    assert done.returncode == 143
    assert "interrupted while the steppers were compiled" in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.count("begins") < 10  # of more than forty; two threads wait for the same
