"""Many bytes of a text at once: eight as one number, or the answers to a question about thirty-two as its bits.

Comparing and hashing words takes a step for each eight letters. Texts end in EIGHT bytes more than they have, so that
there are always eight to load.
"""

from __future__ import annotations

import sys

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from polyseme.kernels.compiling import inlined
from polyseme.kernels.lanes import item_pointer, spread_over

EIGHT, MANY = 8, 32
ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
_LITTLE_END_FIRST = sys.byteorder == "little"


@intrinsic
def load_eight(_typing, text, place):
    """text[place : place + 8] as a number, the first byte its lowest."""

    def generate(context, builder, signature, arguments):
        number = ir.IntType(64)
        pointer = item_pointer(context, builder, signature, arguments)
        loaded = builder.load(builder.bitcast(pointer, number.as_pointer()))
        loaded.align = 1
        return loaded if _LITTLE_END_FIRST else builder.bswap(loaded)

    return types.uint64(text, place), generate


@intrinsic
def in_range(_typing, text, place, _low, _high):
    """A uint32 whose bits say which of text[place : place + MANY] are `low` to `high`."""

    def generate(context, builder, signature, arguments):
        byte, number = ir.IntType(8), ir.IntType(MANY)
        many = ir.VectorType(byte, MANY)
        pointer = item_pointer(context, builder, signature, arguments)
        loaded = builder.load(builder.bitcast(pointer, many.as_pointer()))
        loaded.align = 1
        low, high = arguments[2:]
        above = builder.sub(loaded, spread_over(builder, low, many))
        inside = builder.icmp_unsigned("<=", above, spread_over(builder, builder.sub(high, low), many))
        mask = builder.bitcast(inside, number)
        return mask if _LITTLE_END_FIRST else builder.bitreverse(mask)

    return types.uint32(text, place, types.uint8, types.uint8), generate


@intrinsic
def trailing_zeros(_typing, _bits):
    """The place of the lowest bit of a uint32 that is set; MANY if none is."""

    def generate(_context, builder, _signature, arguments):
        zeros = builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))
        return builder.zext(zeros, ir.IntType(64))

    return types.int64(types.uint32), generate


@inlined
def load_up_to_eight(text, start, end):
    """text[start:end], of which there are 1 to 8, as a number; what is behind them is 0."""
    return load_eight(text, start) & ALL_BITS >> np.uint64(8 * (start + EIGHT - end))
