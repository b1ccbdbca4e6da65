"""Systems written by hand, to test the engine without any derivation."""

from __future__ import annotations

import symengine as se

from dalembert.equations import ConstraintRow, Equations

t = se.Symbol("t")


def equations(n, D, d, psi=(), phi=(), kinds=None, names=None, extra=None, **options):
    """Equations over q0…, v0…; psi and phi are functions of (q, v) that return rows."""
    q, v = symbols(n)
    phi_rows = tuple(se.sympify(e) for e in phi)
    rate = [sum((e.diff(a) * b for a, b in zip(q, v, strict=True)), e.diff(t)) for e in phi_rows]
    rows = (*rate, *(se.sympify(e) for e in psi))
    A = tuple(tuple(e.diff(b) for b in v) for e in rows)
    b = tuple(-sum((e.diff(a) * c for a, c in zip(q, v, strict=True)), e.diff(t)) for e in rows)
    names = names or tuple(f"c{i}" for i in range(len(rows)))
    kinds = kinds or ("holonomic",) * len(phi_rows) + ("linear",) * len(psi)
    return Equations(
        method="by hand",
        coordinates=tuple(f"q{i}" for i in range(n)),
        t=t,
        q=q,
        v=v,
        D=tuple(tuple(se.sympify(e) for e in row) for row in D),
        d=tuple(se.sympify(e) for e in d),
        A=A,
        b=b,
        constraints=tuple(
            ConstraintRow(name, kind, row)
            for name, kind, row in zip(names, kinds, (*phi_rows, *(se.sympify(e) for e in psi)), strict=True)
        ),
        phi=phi_rows,
        phi_q=tuple(tuple(e.diff(a) for a in q) for e in phi_rows),
        psi=rows,
        **options,
    )


def symbols(n):
    return tuple(se.symbols(f"q0:{n}")), tuple(se.symbols(f"v0:{n}"))


def identity(n):
    return [[1 if i == j else 0 for j in range(n)] for i in range(n)]


def oscillator(**options):
    q, v = symbols(1)
    return equations(1, [[1]], [-q[0]], symmetric=True, kinetic=v[0] ** 2 / 2, potential=q[0] ** 2 / 2, **options)


def pendulum(n, **options):
    """n links in absolute angles, unit masses and lengths."""
    q, v = symbols(n)
    D = [[(n - max(i, j)) * se.cos(q[i] - q[j]) for j in range(n)] for i in range(n)]
    d = [
        -(n - i) * 9.81 * se.sin(q[i]) - sum((n - max(i, j)) * se.sin(q[i] - q[j]) * v[j] ** 2 for j in range(n))
        for i in range(n)
    ]
    kinetic = sum(D[i][j] * v[i] * v[j] for i in range(n) for j in range(n)) / 2
    potential = -sum((n - i) * 9.81 * se.cos(q[i]) for i in range(n))
    return equations(n, D, d, symmetric=True, kinetic=kinetic, potential=potential, **options)


def cartesian(rows=1, **options):
    """A pendulum of length 1 in x, y, with its constraint written `rows` times over."""
    q, v = symbols(2)
    phi = [(i + 1) * (q[0] ** 2 + q[1] ** 2 - 1) for i in range(rows)]
    return equations(
        2, identity(2), [0, -9.81], phi=phi, symmetric=True,
        kinetic=(v[0] ** 2 + v[1] ** 2) / 2, potential=9.81 * q[1], **options,
    )  # fmt: skip


def sleigh(**options):
    """Chaplygin's sleigh: mass and inertia 1, the blade a = 0.5 behind the centre of mass."""
    q, v = symbols(3)
    a, c, s = 0.5, se.cos(q[2]), se.sin(q[2])
    D = [[1, 0, -a * s], [0, 1, a * c], [-a * s, a * c, 1 + a * a]]
    d = [a * c * v[2] ** 2, a * s * v[2] ** 2, 0]
    kinetic = sum(D[i][j] * v[i] * v[j] for i in range(3) for j in range(3)) / 2
    return equations(3, D, d, psi=[v[1] * c - v[0] * s], symmetric=True, kinetic=kinetic, **options)
