"""Pointers to array items, for the intrinsics of `vector` and `prefetch`."""

from __future__ import annotations

from numba import types
from numba.core import cgutils


def item_pointer(context, builder, signature, arguments):
    """LLVM pointer to an array item. The first arguments are the array and one index per dimension."""
    array_type = signature.args[0]
    array = context.make_array(array_type)(context, builder, arguments[0])
    indices = [
        context.cast(builder, value, kind, types.intp)
        for value, kind in zip(arguments[1 : array_type.ndim + 1], signature.args[1 : array_type.ndim + 1], strict=True)
    ]
    return cgutils.get_item_pointer(context, builder, array_type, array, indices)
