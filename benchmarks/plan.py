"""The plan of the benchmark: peers, systems, repeats and tolerances."""

from __future__ import annotations

OURS = "ours"
HEADINGS = ("state", "derive", "compile", "first motion", "integrate", "all together", "evaluation")

ERROR = 1e-8  # the achieved error at which integration is compared
BUDGET = 120.0  # seconds for one answer of a peer
REPEATS, BUILD_SECONDS = 3, 12.0  # a peer with a longer build is not built again
NEVER_WARM = ("pydy_code",)  # its compiler is a process of its own
SWEEPS = 5
BY_THE_CLOCK = (
    "pydy_code",
    "joblib_scipy",
    "ours_threads",
)  # they have processes or threads; others are measured by CPU time

NAMES = {
    OURS: "dalembert", "sympy_scipy": "SymPy + SciPy", "pydy_code": "PyDy", "heyoka_taylor": "heyoka",
    "mujoco_engine": "MuJoCo", "exudyn_engine": "Exudyn", "scipy_events": "SciPy, events",
    "heyoka_events": "heyoka, events", "joblib_scipy": "joblib + SciPy", "ours_threads": "dalembert, two threads",
    "ours_taylor": "dalembert, taylor",
}  # fmt: skip
PACKAGES = {
    OURS: ["dalembert"], "sympy_scipy": ["sympy", "scipy"], "pydy_code": ["pydy", "cython"],
    "heyoka_taylor": ["heyoka"], "mujoco_engine": ["mujoco"], "exudyn_engine": ["exudyn"],
    "scipy_events": ["scipy", "mpmath"], "heyoka_events": ["heyoka"], "joblib_scipy": ["joblib", "sympy", "scipy"],
    "ours_threads": ["dalembert"], "ours_taylor": ["dalembert"],
}  # fmt: skip
TOLERANCES = {
    "heyoka_taylor": (1e-4, 1e-6, 1e-8),
    "mujoco_engine": (1e-7, 1e-8, 1e-9, 1e-10),  # of the formula that turns them into fixed steps
    "exudyn_engine": (1e-7, 1e-8, 1e-9, 1e-10, 1e-11),
    "scipy_events": (1e-9, 1e-11, 1e-13),  # some ten seconds a motion
    "heyoka_events": (1e-9, 1e-12, 1e-15),
}
SWEPT_TOLERANCES = (1e-7, 1e-8, 1e-9, 1e-10)  # of many motions, seconds each time
DEFAULT_TOLERANCES = (1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11)
EVERYONE = (OURS, "sympy_scipy", "pydy_code", "heyoka_taylor", "mujoco_engine", "exudyn_engine")
MANY = (OURS, "ours_threads", "joblib_scipy")
STRUCK = (OURS, "scipy_events", "heyoka_events")
PLAN = {
    "pendulum-2": (*EVERYONE, "ours_taylor"),
    "pendulum-4": EVERYONE,
    "pendulum-8": EVERYONE,
    "pendulum-16": (OURS, "sympy_scipy", "heyoka_taylor", "mujoco_engine", "exudyn_engine"),
    "pendulum-32": (OURS, "sympy_scipy"),
    "pendulum-64": (OURS,),
    "rolling-disk": (OURS, "sympy_scipy", "pydy_code"),
    "whipple": (OURS, "sympy_scipy", "pydy_code"),
    "andrews": (OURS, "sympy_scipy"),
    "billiard": STRUCK,
    "ball": STRUCK,
    "wall-pendulum": STRUCK,
    "many-pendulums": MANY,
    "many-disks": MANY,
}
QUICK = ("pendulum-2", "pendulum-4", "rolling-disk")
BUILD_ONLY = ("pendulum-32", "pendulum-64")  # peers that would take minutes are left out
