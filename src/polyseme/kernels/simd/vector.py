"""Lanes: sixteen numbers of a row at once, as the processor's vector registers hold them.

    x = load(table, row, column)        table[row, column : column + LANES]
    x + y, x - y, x * y, x / y          each number with its fellow
    broadcast(a)                           the number a sixteen times
    reduce_add(x), sqrt(x)                   the sum of the sixteen; the square root of each
    store(table, row, column, x)        back again

Numba could make such code from loops over single numbers, but for rows as short as ours it spends most of the time on
what is left over behind whole registers, and on finding out whether rows overlap. Rows are therefore whole lanes long,
with zeros behind what is in use (see `polyseme.kernels.simd.padding`), and what is read and written when is said here.

A processor with shorter registers takes two or four of them.
"""

from __future__ import annotations

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.errors import TypingError
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, register_model

from polyseme.kernels.jit import inline
from polyseme.kernels.simd.padding import LANES

_FLOAT, _INT = ir.FloatType(), ir.IntType(32)
_VECTOR = ir.VectorType(_FLOAT, LANES)
_BYTES_OF_A_FLOAT = 4


class LanesType(types.Type):
    """Numba's name for them; there are none in Python."""

    def __init__(self) -> None:
        super().__init__("Lanes")


_LANES = LanesType()


@register_model(LanesType)
class _Model(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _VECTOR)


def _register(operation, instruction):
    """Let kernels write an operation of Python's for two lanes."""

    @infer_global(operation)
    class _Typing(AbstractTemplate):
        def generic(self, args, _keywords):
            return signature(_LANES, *args) if args == (_LANES, _LANES) else None

    @lower_builtin(operation, _LANES, _LANES)
    def _lower(_context, builder, _signature, arguments):
        return getattr(builder, instruction)(*arguments)


for _operation, _instruction in (
    (operator.add, "fadd"),
    (operator.iadd, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _register(_operation, _instruction)


def item_pointer(context, builder, signature, arguments):
    """Where an item of an array is: the arguments are the array and its indices, and what else there may be."""
    table_type = signature.args[0]
    dimensions = table_type.ndim
    array = context.make_array(table_type)(context, builder, arguments[0])
    indices = [
        context.cast(builder, value, kind, types.intp)
        for value, kind in zip(arguments[1 : dimensions + 1], signature.args[1 : dimensions + 1], strict=True)
    ]
    return cgutils.get_item_pointer(context, builder, table_type, array, indices)


def broadcast_scalar(builder, number, vector):
    """A vector of a type, each of whose elements is the number."""
    undefined = ir.Constant(vector, ir.Undefined)
    zeros = ir.Constant(ir.VectorType(_INT, vector.count), [0] * vector.count)
    return builder.shuffle_vector(builder.insert_element(undefined, number, _INT(0)), undefined, zeros)


def _lanes_pointer(context, builder, signature, arguments):
    return builder.bitcast(item_pointer(context, builder, signature, arguments), _VECTOR.as_pointer())


def _ask_for_rows(table):
    """What is loaded and stored are float32 numbers that stand one behind the other."""
    if not (isinstance(table, types.Array) and table.dtype == types.float32 and table.layout == "C"):
        raise TypingError(f"lanes are of float32 tables in C order, not of {table}")


@intrinsic
def load(_typing, table, row, column):
    _ask_for_rows(table)

    def generate(context, builder, signature, arguments):
        lanes = builder.load(_lanes_pointer(context, builder, signature, arguments))
        lanes.align = _BYTES_OF_A_FLOAT
        return lanes

    return _LANES(table, row, column), generate


@intrinsic
def store(_typing, table, row, column, lanes):
    _ask_for_rows(table)

    def generate(context, builder, signature, arguments):
        pointer = _lanes_pointer(context, builder, signature, arguments)
        builder.store(arguments[-1], pointer).align = _BYTES_OF_A_FLOAT
        return context.get_dummy_value()

    return types.none(table, row, column, lanes), generate


@intrinsic
def broadcast(_typing, _number):
    def generate(_context, builder, _signature, arguments):
        return broadcast_scalar(builder, arguments[0], _VECTOR)

    return _LANES(types.float32), generate


@intrinsic
def reduce_add(_typing, lanes):
    def generate(_context, builder, _signature, arguments):
        kind = ir.FunctionType(_FLOAT, [_FLOAT, _VECTOR])
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.fadd.v{LANES}f32")
        return builder.call(function, [_FLOAT(0.0), arguments[0]], fastmath=("reassoc",))  # in any order

    return types.float32(lanes), generate


@intrinsic
def sqrt(_typing, lanes):
    """The square root of each."""

    def generate(_context, builder, _signature, arguments):
        kind = ir.FunctionType(_VECTOR, [_VECTOR])
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.sqrt.v{LANES}f32")
        return builder.call(function, arguments)

    return _LANES(lanes), generate


@inline
def check_padding(table):
    """What is called from Python asks this of its tables: a load from shorter rows would read what is behind them."""
    if table.shape[1] % LANES:
        raise ValueError("the rows of a table must be whole lanes")


@inline
def check_same_width(table, other):
    """The same of two tables whose rows are taken together."""
    if table.shape[-1] != other.shape[-1]:
        raise ValueError("the rows of two tables must have one length")
