"""What threads of compiled code need: entries called by their address, and motions claimed one by one.

An ensemble steps by the very entries that a single motion steps by, so that both have the same bits, and nothing of the
steppers is compiled again.
"""

from __future__ import annotations

from typing import Any

import numba
from numba.core import cgutils, types
from numba.extending import intrinsic

BROKEN = -1  # the status where an entry raised, which none does


def address_of(entry: Any, arguments: tuple[Any, ...]) -> int:
    """The address of an entry's machine code for arguments of these types; compiled or read from its cache if need be.

    The code lives as long as the entry does.
    """
    signature = tuple(numba.typeof(argument) for argument in arguments)
    entry.compile(signature)
    found = entry.overloads[signature]
    return int(found.library.get_pointer_to_function(found.fndesc.llvm_func_name))


@intrinsic
def through(typingctx, address, arguments):  # type: ignore[no-untyped-def]
    """Call the entry at `address`, which returns a whole number, with a tuple of arguments by numba's convention."""
    kinds = tuple(arguments.types) if hasattr(arguments, "types") else (arguments.dtype,) * len(arguments)
    signature = types.int64(types.int64, arguments)

    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        convention = context.call_conv
        kind = convention.get_function_type(types.int64, kinds)
        function = builder.inttoptr(values[0], kind.as_pointer())
        result = cgutils.alloca_once(builder, kind.args[0].pointee)
        raised = cgutils.alloca_once(builder, kind.args[1].pointee)
        builder.store(cgutils.get_null_value(kind.args[0].pointee), result)
        packer = context.get_arg_packer(kinds)
        items = [builder.extract_value(values[1], i) for i in range(len(kinds))]
        code = builder.call(function, [result, raised, *packer.as_arguments(builder, items)])
        fine = builder.icmp_signed("==", code, code.type(0))
        return builder.select(fine, builder.load(result), result.type.pointee(BROKEN))

    return signature, generate


@intrinsic
def claim(typingctx, counter):  # type: ignore[no-untyped-def]
    """The next number of a counter (the address of an int64) that threads share; nobody gets the same twice."""

    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        from llvmlite import ir

        place = builder.inttoptr(values[0], ir.IntType(64).as_pointer())
        return builder.atomic_rmw("add", place, ir.IntType(64)(1), "monotonic")

    return types.int64(types.int64), generate
