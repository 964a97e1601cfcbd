"""Vectors for kernels that keep their sums in registers: of 32 bytes, which LLVM splits where the machine has less, or
of 64 where it has such.

The one file that builds LLVM instructions, since numba has no way to say that an array of sums stays in registers.
Indices are not checked. Tried with numba 0.68.1 (llvmlite 0.50.0); without it, ``squares`` uses BLAS.
"""

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.codegen import get_host_cpu_features
from numba.extending import intrinsic, models, register_model

BYTES = 32
FEATURES = get_host_cpu_features() if numba.config.CPU_FEATURES is None else numba.config.CPU_FEATURES
WIDEST = 64 if "+avx512f" in FEATURES.split(",") else BYTES
"""The bytes of the largest vectors here: worth it where what they read begins with a cache line, or is long."""


class Vector(types.Type):
    """Some numbers of one kind."""

    def __init__(self, item, size):
        self.item, self.lanes = item, 8 * size // item.bitwidth
        super().__init__(f"vector({item} x {self.lanes})")


@register_model(Vector)
class _Model(models.PrimitiveModel):
    """A vector is a value, as a number is."""

    def __init__(self, manager, kind):
        item = ir.DoubleType() if kind.item == types.float64 else ir.FloatType()
        super().__init__(manager, kind, ir.VectorType(item, kind.lanes))


def _address(context, builder, signature, arguments, kind):
    """The address of array[i, j], as one of a vector."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    index = [context.cast(builder, arguments[n], signature.args[n], types.intp) for n in (1, 2)]
    item = cgutils.get_item_pointer(context, builder, signature.args[0], array, index, wraparound=False)
    return builder.bitcast(item, context.get_value_type(kind).as_pointer())


def vectors_of(size: int) -> tuple[Any, Any, Any]:
    """(lanes_of, load, spread) for vectors of so many bytes."""

    @intrinsic
    def lanes_of(_, array):
        """How many of an array's numbers a vector holds."""

        def build(context, builder, signature, arguments):
            return context.get_constant(types.intp, Vector(array.dtype, size).lanes)

        return types.intp(array), build

    @intrinsic
    def load(_, array, i, j):
        """array[i, j], array[i, j + 1], …"""
        kind = Vector(array.dtype, size)

        def build(context, builder, signature, arguments):
            vector = builder.load(_address(context, builder, signature, arguments, kind))
            vector.align = array.dtype.bitwidth // 8
            return vector

        return kind(array, i, j), build

    @intrinsic
    def spread(_, number):
        """The number in every lane."""
        kind = Vector(number, size)

        def build(context, builder, signature, arguments):
            shape, index = context.get_value_type(kind), ir.IntType(32)
            undefined = ir.Constant(shape, ir.Undefined)
            first = builder.insert_element(undefined, arguments[0], ir.Constant(index, 0))
            lanes = ir.Constant(ir.VectorType(index, kind.lanes), [0] * kind.lanes)
            return builder.shuffle_vector(first, undefined, lanes)

        return kind(number), build

    return lanes_of, load, spread


lanes_of, load, spread = vectors_of(BYTES)
wide_lanes_of, wide_load, wide_spread = (lanes_of, load, spread) if WIDEST == BYTES else vectors_of(WIDEST)


@intrinsic
def store(_, array, i, j, vector):
    """array[i, j], array[i, j + 1], … = vector"""

    def build(context, builder, signature, arguments):
        address = _address(context, builder, signature, arguments, vector)
        builder.store(arguments[3], address).align = array.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, i, j, vector), build


@intrinsic
def fused(_, a, b, c):
    """a·b + c, rounded once where the machine can."""

    def build(context, builder, signature, arguments):
        shape = context.get_value_type(a)
        name = f"llvm.fmuladd.v{a.lanes}f{a.item.bitwidth}"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(shape, [shape] * 3), name)
        return builder.call(function, arguments)

    return a(a, b, c), build


@intrinsic
def at_least(_, a, b):
    """The larger in each lane; what is not a number stays in ``a``."""

    def build(context, builder, signature, arguments):
        return builder.select(builder.fcmp_unordered(">", *arguments), *arguments)

    return a(a, b), build


@intrinsic
def below(_, a, b):
    """1 in each lane where a < b, else 0."""

    def build(context, builder, signature, arguments):
        shape = context.get_value_type(a)
        one, zero = (ir.Constant(shape, [number] * a.lanes) for number in (1.0, 0.0))
        return builder.select(builder.fcmp_ordered("<", *arguments), one, zero)

    return a(a, b), build
