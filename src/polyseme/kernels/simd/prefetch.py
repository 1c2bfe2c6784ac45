"""Prefetching: load rows into the cache before a kernel needs them.

Training reads rows of large tables in random order, so it mostly waits for memory. Without prefetching a default run
takes 21.1 s instead of 18.2 s (mssg, 100 dimensions, 17M tokens, 5 epochs; measured by `benchmarks/ablation.py`).
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from polyseme.kernels.jit import inline
from polyseme.kernels.simd.padding import FLOATS_PER_LINE
from polyseme.kernels.simd.pointer import item_pointer

_HIGH_LOCALITY, _DATA_CACHE = 3, 1  # arguments of LLVM's prefetch intrinsic


def _generator(for_writing):
    """Code generator of an intrinsic that prefetches the cache line of an array item."""

    def generate(context, builder, signature, arguments):
        pointer = item_pointer(context, builder, signature, arguments)
        byte = ir.IntType(8).as_pointer()
        i32 = ir.IntType(32)
        function_type = ir.FunctionType(ir.VoidType(), [byte, i32, i32, i32])
        function = cgutils.get_or_insert_function(builder.module, function_type, "llvm.prefetch.p0i8")
        flags = [i32(for_writing), i32(_HIGH_LOCALITY), i32(_DATA_CACHE)]
        builder.call(function, [builder.bitcast(pointer, byte), *flags])
        return context.get_dummy_value()

    return generate


@intrinsic
def prefetch(_typing, table, row, column):
    """Prefetch the cache line of table[row, column] for writing, which invalidates it in the other cores' caches."""
    return types.none(table, row, column), _generator(for_writing=1)


@intrinsic
def prefetch_to_read(_typing, table, row, column):
    """Prefetch the cache line of table[row, column] for reading."""
    return types.none(table, row, column), _generator(for_writing=0)


@intrinsic
def prefetch_item(_typing, array, index):
    """Prefetch the cache line of array[index] for reading."""
    return types.none(array, index), _generator(for_writing=0)


@inline
def prefetch_row(table, row):
    """Prefetch all of table[row] for writing."""
    for column in range(0, table.shape[1], FLOATS_PER_LINE):
        prefetch(table, row, column)


@inline
def prefetch_row_to_read(table, row):
    """Prefetch all of table[row] for reading."""
    for column in range(0, table.shape[1], FLOATS_PER_LINE):
        prefetch_to_read(table, row, column)
