"""Writes the numbers of these parts into expected.json; numbers of other models stay as they are."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.gallery.derivations import benchmarks, closed_forms, machines, mechanisms, motions, published, spheres

PARTS = (
    *(closed_forms.pendulum, closed_forms.sleighs, closed_forms.skates, closed_forms.balls),
    *(closed_forms.variable_mass, closed_forms.nonlinear, closed_forms.slopes),
    closed_forms.paper_particles,
    *(published.rods, published.others),
    *(motions.double_pendulum, motions.rolling_disk, motions.snakeboard, motions.roller_racer),
    *(motions.nlink, motions.rattleback, mechanisms.squeezer, mechanisms.bicycle, spheres.spheres),
    *(benchmarks.four_bars, benchmarks.bricard, benchmarks.stiff_governor, benchmarks.eulers_disk),
    *(benchmarks.unicycle, benchmarks.mobile_arm, benchmarks.ackermann),
    *(machines.linkage, machines.arm, machines.governor, machines.drive, machines.rollers, machines.tippe_top),
)


def plain(value: Any, key: str = "") -> Any:
    """Numbers of any kind as floats; sources and names of methods as they are."""
    if isinstance(value, dict):
        return {k: plain(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v, key) for v in value]
    return value if isinstance(value, str) and key in {"source", "methods"} else float(value)


if __name__ == "__main__":
    named = {part.__name__: part for part in PARTS}
    unknown = [name for name in sys.argv[1:] if name not in named]
    if unknown:
        sys.exit(f"there is no part {', '.join(unknown)}; known are {', '.join(named)}")
    target = Path(__file__).parents[1] / "expected.json"
    expected: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    for name in sys.argv[1:] or named:
        found = plain(named[name]())
        expected |= found
        print(f"{name}: {', '.join(found)}")
    target.write_text(json.dumps(dict(sorted(expected.items())), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(expected)} models in {target}")
