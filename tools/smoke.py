"""Smoke tests of an installed package: run them with the Python of its environment, outside the clone.

python tools/smoke.py
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path


def told(*arguments: str, status: int = 0) -> str:
    """The output of a command."""
    done = subprocess.run(
        [sys.executable, "-m", "dalembert", *arguments], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == status, f"{arguments}: exit status {done.returncode}\n{done.stderr}"
    return done.stdout


def main() -> None:
    import dalembert as da

    installed = Path(da.__file__).parent
    for name in ("py.typed", "__init__.pyi", "collection/rolling-disk.toml", "view/static/player.js"):
        assert (installed / name).is_file(), f"the package lacks {name}"
    for name in da.__all__:
        getattr(da, name)

    assert "rolling-disk" in told("gallery")
    assert json.loads(told("check", "rolling-disk", "--json"))["ok"]
    assert "boltzmann-hamel" in told("derive", "rolling-disk", "--method", "boltzmann-hamel")
    told("solve", "rolling-dsik", status=2)
    answer = json.loads(told("simulate", "simple-pendulum", "--until", "2", "--samples", "3", "--json"))
    assert answer["status"] == "finished"
    assert len(answer["times"]) == 3

    ball = da.Model("Ball")
    z = ball.coordinate("z", 1)
    ball.gravity([0, 0, -9.81])
    ball.body("ball", mass=1, position=[0, 0, z])
    ball.contact("floor", gap=z, restitution=0.8)
    motion = ball.simulate(duration=1)
    assert math.isclose(motion.events[0].time, math.sqrt(2 / 9.81), rel_tol=1e-9)

    with tempfile.TemporaryDirectory() as folder:
        for name in ("motion.csv", "motion.json", "motion.png", "motion.html"):
            motion.save(Path(folder) / name)
            assert (Path(folder) / name).stat().st_size > 100
    print(f"dalembert {da.__version__} works in {sys.prefix}")


if __name__ == "__main__":
    main()
