"""Straight-line code: programs, passes that make them cheap, and a writer for every target."""
