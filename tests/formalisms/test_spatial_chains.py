"""Chains whose links turn about two axes each: Lagrange's method agrees with Kane's, and shares derivatives."""

import numpy as np
import pytest

from dalembert.api.instant import solve
from dalembert.formalisms import derive
from dalembert.model.read import read_text
from dalembert.programs.expressions import program


def chain(links: int) -> str:
    """Two axes for each link; masses and inertias vary and are not differentiated (frozen)."""
    text = "gravity = [0, 0, -9.81]\n[coordinates]\n"
    for i in range(links):
        text += f"a{i} = {{ initial = {0.3 + 0.1 * i}, speed = {0.5 - 0.2 * i} }}\n"
        text += f"b{i} = {{ initial = {0.2 - 0.05 * i}, speed = {0.2 + 0.1 * i} }}\n"
    text += "[frames]\n"
    for i in range(links):
        text += f'f{i} = {{ from = "{f"f{i - 1}" if i else "world"}", turn = [["x", "a{i}"], ["y", "b{i}"]] }}\n'
    text += "[points]\n"
    for i in range(links):
        origin = f'from = "p{i - 1}", ' if i else ""
        text += f'p{i} = {{ {origin}in = "f{i}", at = [0, 0.1, -1] }}\n'
    for i in range(links):
        text += f'[bodies.B{i}]\nmass = "1 + 0.1*t + 0.2*sin(a0)"\nposition = "p{i}"\nframe = "f{i}"\n'
        text += 'inertia = ["0.1 + 0.05*cos(b0)", 0.12, 0.05, 0.01, 0, 0.02]\n'
    return text


@pytest.mark.parametrize("links", [1, 2, 5])
def test_lagrange_agrees_with_kane(links) -> None:
    record = read_text(chain(links))
    kane, lagrange = (solve(record, method).accelerations for method in ("kane", "chetaev"))
    np.testing.assert_allclose(list(lagrange.values()), list(kane.values()), rtol=1e-9)


def test_operations_grow_with_the_cube_of_the_links() -> None:
    counts = []
    for links in (4, 8):
        found = derive(read_text(chain(links)), "chetaev", True)
        symbols = sorted(
            set().union(*(e.free_symbols for row in found.D for e in row), *(e.free_symbols for e in found.d)), key=str
        )
        counts.append(len(program(symbols, [e for row in found.D for e in row] + list(found.d)).operations))
    assert counts[1] < 10 * counts[0]
    assert counts[1] < 36_000  # each of two numbers: a product of three counts as two operations
