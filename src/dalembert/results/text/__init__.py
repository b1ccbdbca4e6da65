"""Answers as text: aligned tables for a terminal, and blocks from which text and HTML are made."""
