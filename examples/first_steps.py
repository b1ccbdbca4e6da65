"""A sleigh: built, checked, derived, solved, simulated, compared and linearized.

    python examples/first_steps.py

The tests run this file, and check it with `mypy --strict`: every name in it is public and typed.
"""

from __future__ import annotations

import dalembert as da


def sleigh() -> da.Model:
    """A rigid body on a blade that does not slip sideways (Chaplygin's sleigh)."""
    model = da.Model("Chaplygin's sleigh")
    x, y, theta = model.coordinates("x y theta", theta=0.2)
    mass, inertia, arm = model.parameters(m=2, J=0.5, a=0.4)
    model.body(
        "sleigh",
        mass=mass,
        position=[x + arm * da.cos(theta), y + arm * da.sin(theta), 0],
        rotation=[("z", theta)],
        inertia=[0, 0, inertia],
    )
    model.constraint("blade", y.dot * da.cos(theta) - x.dot * da.sin(theta))
    model.speeds(x=1, theta=0.8)
    model.simulation(duration=6)
    return model


def main() -> None:
    model = sleigh()
    examination: da.Examination = model.check()
    assert examination.ok
    assert examination.degrees_of_freedom == 2

    derivation: da.Derivation = model.derive("boltzmann-hamel")
    print(derivation)

    state: da.State = model.solve()
    print("theta'' =", state.accelerations["theta"], "blade:", state.reactions["blade"])

    motion: da.Motion = model.simulate(samples=301)
    print("turned by", float(motion["theta"][-1] - motion["theta"][0]), "rad;", len(motion.events), "events")
    effort: da.Effort = motion.effort()
    print("the blade's largest force:", effort.forces[0].largest)

    comparison: da.Comparison = model.compare(["kane", "chetaev", "vakonomic"], until=1)
    print("who agrees:", comparison.groups)

    slopes: da.Sensitivities = model.sensitivities(["a", "theta'"], of=["theta"], at=[6])
    print("d theta(6) / d a =", float(slopes["theta", "a"][0]))

    straight = model.changed({"theta'": 0})
    linear: da.Linearization = straight.linearize()
    print("straight ahead:", linear.stability)

    try:
        da.gallery("rolling-dsik")
    except da.DalembertError as refusal:
        print("refused:", refusal)


if __name__ == "__main__":
    main()
