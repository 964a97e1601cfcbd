"""Numbers that several threads change at once, and a way to wait for them: every thread sees them in one order.

Built as LLVM instructions, which numba has no functions for. Tried with numba 0.68.1 (llvmlite 0.50.0).
"""

import os

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

ORDER = "seq_cst"
CAN_YIELD = os.name == "posix"


def _address(context, builder, signature, arguments):
    """The address of array[i], 64-bit integers."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    index = context.cast(builder, arguments[1], signature.args[1], types.intp)
    return cgutils.get_item_pointer(context, builder, signature.args[0], array, [index], wraparound=False)


@intrinsic
def read(_, array, i):
    """array[i]"""

    def build(context, builder, signature, arguments):
        return builder.load_atomic(_address(context, builder, signature, arguments), ORDER, 8)

    return types.int64(array, i), build


@intrinsic
def write(_, array, i, value):
    """array[i] = value"""

    def build(context, builder, signature, arguments):
        builder.store_atomic(arguments[2], _address(context, builder, signature, arguments), ORDER, 8)
        return context.get_dummy_value()

    return types.void(array, i, types.int64), build


@intrinsic
def add(_, array, i, value):
    """array[i] += value; what it was before."""

    def build(context, builder, signature, arguments):
        return builder.atomic_rmw("add", _address(context, builder, signature, arguments), arguments[2], ORDER)

    return types.int64(array, i, types.int64), build


@intrinsic
def give_way(_):
    """Let another thread have the core, where the system has a call for that."""

    def build(context, builder, signature, arguments):
        if CAN_YIELD:
            kind = ir.FunctionType(ir.IntType(32), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])
        return context.get_dummy_value()

    return types.void(), build
