"""Answers as text: aligned tables for a terminal, and blocks from which text and HTML are made."""

from dalembert.results.text.blocks import Block, Formula, Grid, Heading, Sentence, html_lines, text_lines
from dalembert.results.text.layout import number, table

__all__ = ["Block", "Formula", "Grid", "Heading", "Sentence", "html_lines", "number", "table", "text_lines"]
