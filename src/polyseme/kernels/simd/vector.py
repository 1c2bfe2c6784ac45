"""SIMD vectors of LANES float32 numbers, for use inside kernels.

    x = load(table, row, column)      table[row, column : column + LANES]
    store(table, row, column, x)      table[row, column : column + LANES] = x
    x + y, x - y, x * y, x / y        elementwise
    sqrt(x)                           elementwise
    broadcast(a)                      a vector with the number a in every lane
    reduce_add(x)                     sum of the lanes

Numba can vectorise plain loops, but with rows of a few hundred numbers most of the time then goes into the remainder
after the last full vector and into run-time checks for overlapping arrays. Padded rows (see `padding`) and explicit
loads and stores avoid both: a default run takes 18.2 s with these intrinsics and 54.7 s with plain loops (mssg, 100
dimensions, 17M tokens, 5 epochs; measured by `benchmarks/ablation.py`).

On a processor with shorter registers, LLVM uses two or four registers per vector.

Scalar code can replace this module: with `padding.LANES` = 1, `load` and `store` access table[row, column], `sqrt` is
NumPy's, and `broadcast` and `reduce_add` return their argument.
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

from polyseme.kernels.simd.padding import LANES
from polyseme.kernels.simd.pointer import item_pointer

_FLOAT, _INT = ir.FloatType(), ir.IntType(32)
_LLVM_VECTOR = ir.VectorType(_FLOAT, LANES)
_FLOAT_BYTES = 4


class VectorType(types.Type):
    """Numba's type of a vector. Vectors exist inside kernels only: they have no Python counterpart."""

    def __init__(self) -> None:
        super().__init__("Vector")


_VECTOR = VectorType()


@register_model(VectorType)
class _Model(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _LLVM_VECTOR)


def _register(operation, instruction):
    """Compile a Python operator on two vectors to an LLVM instruction."""

    @infer_global(operation)
    class _Typing(AbstractTemplate):
        def generic(self, args, _keywords):
            return signature(_VECTOR, *args) if args == (_VECTOR, _VECTOR) else None

    @lower_builtin(operation, _VECTOR, _VECTOR)
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


def _vector_pointer(context, builder, signature, arguments):
    pointer = item_pointer(context, builder, signature, arguments, items=LANES)
    return builder.bitcast(pointer, _LLVM_VECTOR.as_pointer())


def _check_table(table):
    if not (isinstance(table, types.Array) and table.dtype == types.float32 and table.layout == "C"):
        raise TypingError(f"vectors are loaded from C-contiguous float32 tables, not from {table}")


@intrinsic
def load(_typing, table, row, column):
    _check_table(table)

    def generate(context, builder, signature, arguments):
        vector = builder.load(_vector_pointer(context, builder, signature, arguments))
        vector.align = _FLOAT_BYTES
        return vector

    return _VECTOR(table, row, column), generate


@intrinsic
def store(_typing, table, row, column, vector):
    _check_table(table)

    def generate(context, builder, signature, arguments):
        pointer = _vector_pointer(context, builder, signature, arguments)
        builder.store(arguments[-1], pointer).align = _FLOAT_BYTES
        return context.get_dummy_value()

    return types.none(table, row, column, vector), generate


@intrinsic
def broadcast(_typing, _number):
    def generate(_context, builder, _signature, arguments):
        undefined = ir.Constant(_LLVM_VECTOR, ir.Undefined)
        zeros = ir.Constant(ir.VectorType(_INT, LANES), [0] * LANES)
        return builder.shuffle_vector(builder.insert_element(undefined, arguments[0], _INT(0)), undefined, zeros)

    return _VECTOR(types.float32), generate


@intrinsic
def reduce_add(_typing, vector):
    def generate(_context, builder, _signature, arguments):
        kind = ir.FunctionType(_FLOAT, [_FLOAT, _LLVM_VECTOR])
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.fadd.v{LANES}f32")
        return builder.call(function, [_FLOAT(0.0), arguments[0]], fastmath=("reassoc",))  # add lanes in any order

    return types.float32(vector), generate


@intrinsic
def sqrt(_typing, vector):
    def generate(_context, builder, _signature, arguments):
        kind = ir.FunctionType(_LLVM_VECTOR, [_LLVM_VECTOR])
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.sqrt.v{LANES}f32")
        return builder.call(function, arguments)

    return _VECTOR(vector), generate
