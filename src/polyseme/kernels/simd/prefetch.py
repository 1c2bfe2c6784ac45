"""Asking the processor to fetch rows before they are needed, so that it need not wait for them."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from polyseme.kernels.jit import inline
from polyseme.kernels.simd.padding import LANES
from polyseme.kernels.simd.vector import item_pointer

BYTES_PER_LINE = 64  # of the cache: as many as lanes have


def _generator(for_writing):
    """Generates the code that fetches the cache line of an item of an array, given by its indices."""

    def generate(context, builder, signature, arguments):
        pointer = item_pointer(context, builder, signature, arguments)
        byte = ir.IntType(8).as_pointer()
        i32 = ir.IntType(32)
        function_type = ir.FunctionType(ir.VoidType(), [byte, i32, i32, i32])
        function = cgutils.get_or_insert_function(builder.module, function_type, "llvm.prefetch.p0i8")
        builder.call(function, [builder.bitcast(pointer, byte), i32(for_writing), i32(3), i32(1)])
        return context.get_dummy_value()

    return generate


@intrinsic
def prefetch(_typing, table, row, column):
    """Fetch the cache line of table[row, column], to be written: other cores lose theirs."""
    return types.none(table, row, column), _generator(for_writing=1)


@intrinsic
def prefetch_to_read(_typing, table, row, column):
    """Fetch the cache line of table[row, column], to be read."""
    return types.none(table, row, column), _generator(for_writing=0)


@intrinsic
def prefetch_item(_typing, array, index):
    """Fetch the cache line of array[index], to be read."""
    return types.none(array, index), _generator(for_writing=0)


@inline
def prefetch_row(table, row):
    """Fetch all of table[row], to be written."""
    for column in range(0, table.shape[1], LANES):
        prefetch(table, row, column)


@inline
def prefetch_row_to_read(table, row):
    """Fetch all of table[row], to be read."""
    for column in range(0, table.shape[1], LANES):
        prefetch_to_read(table, row, column)
