"""The order of a program's operations. It changes no value, only how many values a processor must hold at a time.

An operation follows its arguments as soon as possible, and the argument that needs more values at a time comes first:
its values are gone when the others begin (Sethi and Ullman, 1970, for trees; shared operations stay where they are
first needed).
"""

from __future__ import annotations

from dataclasses import replace

from dalembert.programs.program import FREE, Operation, Program


def sparing(program: Program) -> Program:
    """The same operations, ordered to hold few values. Those that no output needs are left out."""
    operations = program.operations
    needs: list[int] = []  # values that an operation needs at a time, as if nothing were shared
    for kind, arguments, _ in operations:
        most = sorted((needs[a] for a in arguments), reverse=True) if kind not in FREE else []
        needs.append(max((need + k for k, need in enumerate(most)), default=0) or int(kind not in FREE))
    moved: dict[int, int] = {}
    ordered: list[Operation] = []
    stack = list(reversed(program.outputs))
    while stack:
        place = stack[-1]
        kind, arguments, value = operations[place]
        below = () if kind == "input" else arguments
        missing = [a for a in below if a not in moved]
        if missing:
            stack += sorted(missing, key=needs.__getitem__)  # the last one is taken first
            continue
        stack.pop()
        if place not in moved:
            moved[place] = len(ordered)
            places = arguments if kind == "input" else tuple(moved[a] for a in below)
            ordered.append(Operation(kind, places, value))
    sources = {moved[place]: e for place, e in program.sources.items() if place in moved}
    return replace(
        program, operations=tuple(ordered), outputs=tuple(moved[o] for o in program.outputs), sources=sources
    )


def held(program: Program) -> int:
    """The largest number of values that are held at a time until their last use, inputs and numbers not counted."""
    last = {a: place for place, op in enumerate(program.operations) if op.kind not in FREE for a in op.arguments}
    last |= dict.fromkeys(program.outputs, len(program.operations))
    most = now = 0
    ends: dict[int, int] = {}
    for place, op in enumerate(program.operations):
        now -= ends.pop(place, 0)
        if op.kind not in FREE and place in last:
            now += 1
            ends[last[place]] = ends.get(last[place], 0) + 1
        most = max(most, now)
    return most
