"""Answers as named data. `text` writes them for a terminal and a page, `plots` draws them, `write` saves them to files.

A record here knows numbers and names only. Its text and its pictures are imported on request.
"""
