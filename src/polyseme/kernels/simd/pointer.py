"""Pointers to array items, for the intrinsics of `vector` and `prefetch`.

NUMBA_BOUNDSCHECK=1 makes kernels check the indices of array items, and the intrinsics of `vector` check theirs.
"""

from __future__ import annotations

from numba import types
from numba.core import cgutils, config


def item_pointer(context, builder, signature, arguments, items=0):
    """LLVM pointer to an array item. The first arguments are the array and one index per dimension.

    items  how many items of a row will be accessed; 0 if none is, so that the indices need no check
    """
    array_type = signature.args[0]
    array = context.make_array(array_type)(context, builder, arguments[0])
    indices = [
        context.cast(builder, value, kind, types.intp)
        for value, kind in zip(arguments[1 : array_type.ndim + 1], signature.args[1 : array_type.ndim + 1], strict=True)
    ]
    if config.BOUNDSCHECK and items:
        lengths = cgutils.unpack_tuple(builder, array.shape, count=array_type.ndim)
        last = builder.add(indices[-1], indices[-1].type(items - 1))
        for index, length in [*zip(indices, lengths, strict=True), (last, lengths[-1])]:
            cgutils.do_boundscheck(context, builder, index, length)
    return cgutils.get_item_pointer(context, builder, array_type, array, indices)
