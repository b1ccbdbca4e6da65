"""Exudyn: a kinematic tree in minimal coordinates, DOPRI5 with automatic step size, all in compiled C++.

Its explicit solvers take no algebraic constraints and its rolling joints are stabilized otherwise, so it gets the
pendulums only.
"""

from __future__ import annotations

from time import perf_counter

import exudyn as exu
import numpy as np
from exudyn.utilities import NodeGenericODE2, ObjectKinematicTree

from benchmarks import systems
from benchmarks.peers import Prepared
from benchmarks.systems import System


def prepare(system: System) -> Prepared:
    n, begin = system.links, perf_counter()
    container = exu.SystemContainer()
    bodies = container.AddSystem()
    start = np.diff(np.array(systems.pendulum_start(n)), prepend=0.0).tolist()
    node = bodies.AddNode(
        NodeGenericODE2(
            referenceCoordinates=[0.0] * n, initialCoordinates=start, initialCoordinates_t=[0.0] * n,
            numberOfODE2Coordinates=n,
        )
    )  # fmt: skip
    length, none = systems.LINK_LENGTH, np.zeros((3, 3))
    offsets = [[0.0, 0.0, 0.0]] + [[0.0, -length, 0.0]] * (n - 1)
    bodies.AddObject(
        ObjectKinematicTree(
            nodeNumber=node,
            jointTypes=[exu.JointType.RevoluteZ] * n,
            linkParents=list(range(-1, n - 1)),
            jointTransformations=exu.Matrix3DList([np.eye(3)] * n),
            jointOffsets=exu.Vector3DList(offsets),
            linkInertiasCOM=exu.Matrix3DList([none] * n),
            linkCOMs=exu.Vector3DList([[0.0, -length, 0.0]] * n),
            linkMasses=[systems.LINK_MASS] * n,
            gravity=[0.0, -systems.GRAVITY, 0.0],
        )
    )
    bodies.Assemble()
    end = perf_counter()

    def integrate(tolerance: float) -> tuple[float, list[float]]:
        settings = exu.SimulationSettings()
        settings.solutionSettings.writeSolutionToFile = False
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.endTime = system.duration
        settings.timeIntegration.numberOfSteps = 1  # the largest step; the automatic one is smaller
        settings.timeIntegration.initialStepSize = 1e-4
        settings.timeIntegration.absoluteTolerance = tolerance
        settings.timeIntegration.relativeTolerance = tolerance
        settings.timeIntegration.automaticStepSize = True
        first = perf_counter()
        bodies.SolveDynamic(settings, solverType=exu.DynamicSolverType.DOPRI5, updateInitialValues=False)
        taken = perf_counter() - first
        angles = bodies.systemData.GetODE2Coordinates()
        rates = bodies.systemData.GetODE2Coordinates_t()
        return taken, [*np.cumsum(angles).tolist(), *np.cumsum(rates).tolist()]

    return Prepared(None, None, end - begin, integrate)
