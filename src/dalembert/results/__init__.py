"""Answers as named data. `text` writes them for a terminal and a page, `plots` draws them, `write` makes files of them.

A record here knows numbers and names only. What it says and how it looks is imported when it is asked for.
"""
