"""Room for the problems of contact of a system."""

from __future__ import annotations

from dalembert.motions.laws import REVERSE_COUNT, SLIP_DIM, Laws
from dalembert.simulate.table import Table, table_for


def table_of(laws: Laws, n: int, outputs: int, guards: int) -> Table:
    """Room for the problems of contact of a system whose dynamics give so many outputs."""
    slips, reversed_rows = int(laws.layout[SLIP_DIM].sum()), int(laws.layout[REVERSE_COUNT].sum())
    given = laws.rows - laws.bilateral + 3 * laws.frictions + laws.contacts
    forces, groups = laws.contacts + slips + reversed_rows, laws.frictions + reversed_rows
    return table_for(forces, laws.contacts, groups, n, laws.rows, guards, given, outputs)
