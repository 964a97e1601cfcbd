"""Vectors of 32 bytes for kernels that keep sums in registers; the compiler cuts them to what the machine has.

A kernel writes ``fused(a, b, c)`` for a·b + c, lane by lane, rounded once where the machine can. Nobody looks whether
an index is inside.
"""

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic, models, register_model

BYTES = 32


class Vector(types.Type):
    """Some numbers of one kind."""

    def __init__(self, item):
        if item not in (types.float32, types.float64):
            raise TypingError(f"A vector has floating-point numbers, not {item}.")
        self.item, self.lanes = item, 8 * BYTES // item.bitwidth
        super().__init__(f"vector({item} x {self.lanes})")


@register_model(Vector)
class _Model(models.PrimitiveModel):
    """A vector is a value, as a number is."""

    def __init__(self, manager, kind):
        item = ir.DoubleType() if kind.item == types.float64 else ir.FloatType()
        super().__init__(manager, kind, ir.VectorType(item, kind.lanes))


def _vector_of(array):
    """The kind of vector that an array holds."""
    if array.layout != "C" or array.ndim != 2:
        raise TypingError(f"A vector is read from a C-ordered matrix, not from {array}.")
    return Vector(array.dtype)


def _same(*kinds):
    """Refuse vectors of different kinds."""
    if len(set(kinds)) > 1:
        raise TypingError(f"Vectors of one kind are needed, not {', '.join(map(str, kinds))}.")


def _place(context, builder, signature, arguments, kind):
    """The address of array[i, j], as one of a vector."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    at = [context.cast(builder, arguments[n], signature.args[n], types.intp) for n in (1, 2)]
    place = cgutils.get_item_pointer(context, builder, signature.args[0], array, at, wraparound=False)
    return builder.bitcast(place, context.get_value_type(kind).as_pointer())


@intrinsic
def load(_, array, i, j):
    """array[i, j], array[i, j + 1], …"""
    kind = _vector_of(array)

    def made(context, builder, signature, arguments):
        found = builder.load(_place(context, builder, signature, arguments, kind))
        found.align = array.dtype.bitwidth // 8
        return found

    return kind(array, i, j), made


@intrinsic
def store(_, array, i, j, vector):
    """array[i, j], array[i, j + 1], … = vector"""
    kind = _vector_of(array)
    _same(kind, vector)
    if not array.mutable:
        raise TypingError("A vector cannot be written to a read-only array.")

    def made(context, builder, signature, arguments):
        place = _place(context, builder, signature, arguments, kind)
        builder.store(arguments[3], place).align = array.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, i, j, vector), made


@intrinsic
def spread(_, number):
    """The number in every lane."""
    kind = Vector(number)

    def made(context, builder, signature, arguments):
        shape = context.get_value_type(kind)
        nothing, index = ir.Constant(shape, ir.Undefined), ir.IntType(32)
        one = builder.insert_element(nothing, arguments[0], ir.Constant(index, 0))
        return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(index, shape.count), [0] * shape.count))

    return kind(number), made


@intrinsic
def fused(_, a, b, c):
    """a·b + c."""
    _same(a, b, c)

    def made(context, builder, signature, arguments):
        shape = context.get_value_type(a)
        name = f"llvm.fmuladd.v{a.lanes}f{a.item.bitwidth}"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(shape, [shape] * 3), name)
        return builder.call(function, arguments)

    return a(a, b, c), made


@intrinsic
def at_least(_, a, b):
    """The larger in each lane; what is not a number stays in ``a``."""
    _same(a, b)

    def made(context, builder, signature, arguments):
        return builder.select(builder.fcmp_unordered(">", *arguments), *arguments)

    return a(a, b), made
