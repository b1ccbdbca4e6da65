"""The order of a program's operations. It changes no value, only how many values a processor must hold at a time.

An operation follows its arguments as soon as possible, and the argument that needs more values at a time comes first:
its values are gone when the others begin (Sethi and Ullman, 1970, for trees; shared operations stay where they are
first needed).
"""

from __future__ import annotations

from dalembert.programs.program import FREE, Program


def sparing(program: Program) -> Program:
    """The same operations, ordered to hold few values. Those that no output needs are left out."""
    operations = program.operations
    needs: list[int] = []  # values that an operation needs at a time, as if nothing were shared
    for kind, arguments, _ in operations:
        most = sorted((needs[a] for a in arguments), reverse=True) if kind not in FREE else []
        needs.append(max((need + k for k, need in enumerate(most)), default=0) or int(kind not in FREE))
    ordered: dict[int, None] = {}
    stack = list(reversed(program.outputs))
    while stack:
        kind, arguments, _ = operations[stack[-1]]
        missing = [a for a in (() if kind == "input" else arguments) if a not in ordered]
        if missing:
            stack += sorted(missing, key=needs.__getitem__)  # the last one is taken first
        else:
            ordered.setdefault(stack.pop())
    return program.ordered(list(ordered))
