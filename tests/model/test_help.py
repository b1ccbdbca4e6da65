"""Every word of the language has its line of help, and no line is left over."""

import re

import pytest

from dalembert.errors import ModelError
from dalembert.expressions.nodes import FUNCTIONS
from dalembert.model import help as lines
from dalembert.model import shapes
from dalembert.model.read import KNOWN, NAMED, SINGLE, TEXTS, read_text

PLAIN = {"title", "reference", "gravity"}
FREE = {"definitions", "constraints", "quasi_velocities", "multipliers", "outputs", "speeds"}  # any name, an expression


def test_every_table_has_a_line():
    assert {key for key in lines.KEYS if "." not in key} == set(KNOWN) and set(TEXTS) < PLAIN


@pytest.mark.parametrize("table", sorted({*NAMED, *SINGLE} - FREE - {"drawings", "sampled"}))
def test_every_key_that_the_reader_knows_has_a_line(table):
    """An unknown key is refused with a list of the known ones."""
    head = f"[{table}.entry]" if table in NAMED else f"[{table}]"
    with pytest.raises(ModelError) as refused:
        read_text(f"{head}\nnot_a_key = 1\n")
    said = next(fault.message for fault in refused.value.faults if "known are" in fault.message)
    known = set(re.split(r", | or ", said.partition("known are ")[2]))
    assert {key.partition(".")[2] for key in lines.KEYS if key.startswith(f"{table}.")} == known


def test_every_shape_and_function_has_a_line():
    words = {*shapes.WORDS, *shapes.COUNTS.values()}
    assert words < set(lines.SHAPES)
    assert {*FUNCTIONS, "pi", "t", "world"} == set(lines.FUNCTIONS)
