"""Eight bytes of a text at once, as one number: comparing and hashing words takes a step for each eight letters.

Texts end in EIGHT bytes more than they have, so that there are always eight to load.
"""

from __future__ import annotations

import sys

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from polyseme.kernels.compiling import inlined
from polyseme.kernels.lanes import item_pointer

EIGHT = 8
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


@inlined
def load_up_to_eight(text, start, end):
    """text[start:end], of which there are 1 to 8, as a number; what is behind them is 0."""
    return load_eight(text, start) & ALL_BITS >> np.uint64(8 * (start + EIGHT - end))
