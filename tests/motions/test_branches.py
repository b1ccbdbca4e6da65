"""Where branches of a mechanism cross, a motion continues on its branch or says that it cannot."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da

# Three bars in space and the line between two fixed points, kept planar by twice as many rows as that needs. As it
# falls, all bars come to lie in one line at t ≈ 0.743, where the antiparallelogram branches off.
PARALLELOGRAM = """
gravity = [0, -9.81, 0]
[coordinates]
ux = 0.2701511529340699
uy = 0.42073549240394825
uz = 0
ua = 0
ub = 0
uc = 1
vx = 1.5403023058681398
vy = 0.8414709848078965
vz = 0
va = 0
vb = 0
vc = 0
wx = 2.27015115293407
wy = 0.42073549240394825
wz = 0
wa = 0
wb = 0
wc = 1
[speeds]
uc = 1
[bodies.u]
mass = 1
position = ["ux", "uy", "uz"]
rotation = [["x", "ua"], ["y", "ub"], ["z", "uc"]]
inertia = [0.01, 0.1, 0.1]
[bodies.v]
mass = 1
position = ["vx", "vy", "vz"]
rotation = [["x", "va"], ["y", "vb"], ["z", "vc"]]
inertia = [0.01, 0.1, 0.1]
[bodies.w]
mass = 1
position = ["wx", "wy", "wz"]
rotation = [["x", "wa"], ["y", "wb"], ["z", "wc"]]
inertia = [0.01, 0.1, 0.1]
[points]
A = { from = "u", in = "u", at = [-0.5, 0, 0] }
B1 = { from = "u", in = "u", at = [0.5, 0, 0] }
B2 = { from = "v", in = "v", at = [-1, 0, 0] }
C1 = { from = "v", in = "v", at = [1, 0, 0] }
C2 = { from = "w", in = "w", at = [0.5, 0, 0] }
E = { from = "w", in = "w", at = [-0.5, 0, 0] }
[constraints]
pa = "A = 0"
pb = "B1 = B2"
pc = "C1 = C2"
pe = "E = [2, 0, 0]"
zu1 = "dot(u.z, world.x) = 0"
zu2 = "dot(u.z, world.y) = 0"
zv1 = "dot(v.z, u.x) = 0"
zv2 = "dot(v.z, u.y) = 0"
zw1 = "dot(w.z, v.x) = 0"
zw2 = "dot(w.z, v.y) = 0"
z01 = "dot(w.z, world.x) = 0"
z02 = "dot(w.z, world.y) = 0"
"""


@pytest.mark.parametrize("tolerance", [1e-9, 1e-10, 1e-12])
def test_a_motion_never_leaps_onto_another_branch(loaded, tolerance) -> None:
    try:
        motion = loaded(PARALLELOGRAM).simulate(until=1.0, samples=101, tolerance=tolerance)
    except da.MathematicsError as error:
        assert "t = 0.74" in str(error) and "where branches of a mechanism cross" in str(error)
        return
    energy = np.asarray(motion.energy["total"])
    assert np.abs(energy - energy[0]).max() < 1e3 * tolerance


@pytest.mark.parametrize("step", [0.01, 0.001, 0.0005])
def test_steps_of_fixed_length_say_where_branches_cross(loaded, step) -> None:
    with pytest.raises(da.MathematicsError, match=r"at t = 0\.74.*branches of a mechanism cross"):
        loaded(PARALLELOGRAM).simulate(until=1.0, stepper="gauss", step=step)


def test_radau_never_leaps_onto_another_branch(loaded) -> None:
    try:
        motion = loaded(PARALLELOGRAM).simulate(until=0.8, stepper="radau", tolerance=1e-7)
    except da.MathematicsError as error:
        assert "t = 0.74" in str(error) and "where branches of a mechanism cross" in str(error)
        return
    energy = np.asarray(motion.energy["total"])
    assert np.abs(energy - energy[0]).max() < 1e-4
