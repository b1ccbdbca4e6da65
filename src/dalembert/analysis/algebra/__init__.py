"""Polynomials and differential equations in closed form. `child` bounds the time that a call of SymPy may take.

Nothing is imported here: `child` starts a process that imports one module of this room and no more.
"""
