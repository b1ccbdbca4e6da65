"""The systems of SymPy's own tests become models, and `audit` accepts their equations.

SymPy's tests are run, and every KanesMethod and LagrangesMethod that they make is kept. The model of each is derived
here; its accelerations must satisfy the equations that SymPy made, and be determined by them.
"""

from __future__ import annotations

import random
from importlib import import_module

import pytest
import sympy
from sympy.physics.mechanics import KanesMethod, LagrangesMethod

import dalembert as da

SYSTEMS = {
    "test_kane": ["test_one_dof", "test_two_dof", "test_pend", "test_rolling_disc", "test_input_format",
                  "test_parallel_axis"],
    "test_kane4": ["test_replace_qdots_in_force"],
    "test_kane5": ["test_kane_rolling_disc_lu"],
    "test_lagrange": ["test_disc_on_an_incline_plane", "test_simp_pen", "test_nonminimal_pendulum", "test_dub_pen",
                      "test_rolling_disc"],
    "test_lagrange2": ["test_lagrange_2forces"],
    "test_jointsmethod": ["test_jointsmethod", "test_rigid_body_particle_compatibility",
                          "test_complete_simple_double_pendulum", "test_two_dof_joints", "test_simple_pedulum",
                          "test_chaos_pendulum", "test_four_bar_linkage_with_manual_constraints"],
    "test_models": ["test_multi_mass_spring_damper_inputs", "test_multi_mass_spring_damper_higher_order",
                    "test_n_link_pendulum_on_cart_inputs", "test_n_link_pendulum_on_cart_higher_order"],
    "test_linearize": ["test_linearize_pendulum_kane_minimal", "test_linearize_pendulum_kane_nonminimal",
                       "test_linearize_pendulum_lagrange_minimal", "test_linearize_pendulum_lagrange_nonminimal",
                       "test_linearize_rolling_disc_lagrange"],
}  # fmt: skip
QUICK = ["test_one_dof", "test_rolling_disc", "test_dub_pen", "test_disc_on_an_incline_plane"]
CASES = [
    pytest.param(module, name, id=f"{module}.{name}", marks=() if name in QUICK else pytest.mark.slow)
    for module, names in SYSTEMS.items()
    for name in names
]


def made(module, name, monkeypatch):
    """The objects that a test of SymPy makes."""
    found = []
    for kind, form in ((KanesMethod, "kanes_equations"), (LagrangesMethod, "form_lagranges_equations")):
        original = getattr(kind, form)

        def kept(self, *given, original=original, **options):
            answer = original(self, *given, **options)
            found.append(self)
            return answer

        monkeypatch.setattr(kind, form, kept)
    getattr(import_module(f"sympy.physics.mechanics.tests.{module}"), name)()
    return found


def values_of(method):
    """A number for every symbol, and a state."""
    own, numbers = random.Random(3), {}
    rows = [method.mass_matrix_full, method.forcing_full, *(getattr(method, "_hol_coneqs", None) or ())]
    rows += [getattr(method, name) for name in ("_f_h", "_f_nh", "coneqs", "_L") if hasattr(method, name)]
    expressions = [sympy.Matrix([row]) if not hasattr(row, "shape") else row for row in rows]
    for symbol in sorted(set().union(*(e.free_symbols for e in expressions)) - {sympy.Symbol("t")}, key=str):
        numbers[symbol] = round(own.uniform(0.5, 1.5), 3)
    for q in method.q:
        numbers[q], numbers[q.diff()] = round(own.uniform(0.1, 0.6), 3), round(own.uniform(-0.5, 0.5), 3)
    known = {*method.q, *getattr(method, "u", ())}
    for function in set().union(*(e.atoms(sympy.core.function.AppliedUndef) for e in expressions)) - known:
        if not str(function.func.__name__).startswith("lam"):
            numbers[function] = 0.7
    return numbers


@pytest.mark.parametrize(("module", "name"), CASES)
def test_systems_of_sympy(module, name, monkeypatch):
    systems = made(module, name, monkeypatch)
    assert systems
    for method in systems[:2]:
        found = da.from_sympy(method, values_of(method)).audit(method)
        assert found.agrees, str(found)
