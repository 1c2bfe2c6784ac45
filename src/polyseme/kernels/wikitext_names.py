"""A hash table of the names that `wikitext` knows: tags, entities and namespaces.

    keys    IN  uint64 (a power of 2,)  hash of a name, 0 for a free slot; the table is at most half full
    values  IN  int64  (same,)          of a tag: MAX_TAGS * kind + number; of an entity: its UTF-8 bytes, the first one
                                        lowest; of the prefix of a link: HIDDEN or SHOWN

Names are compared by their 64-bit hashes alone.
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import internal

TAG_NAME, ENTITY_NAME, LINK_NAME = 1, 2, 3  # kinds of names
SHOWN, HIDDEN = 0, 1
FNV_BASIS = np.uint64(0xCBF29CE484222325)
FNV_PRIME = np.uint64(0x100000001B3)


@internal
def hash_name(text, start, end, kind):
    """FNV-1a hash of text[start:end]. Case counts in entities alone; an underscore is a space."""
    while kind == LINK_NAME and end > start and (text[end - 1] == ord(" ") or text[end - 1] == ord("_")):
        end -= 1
    code = (FNV_BASIS ^ np.uint64(kind)) * FNV_PRIME
    for i in range(start, end):
        c = text[i]
        if kind != ENTITY_NAME and ord("A") <= c <= ord("Z"):
            c |= np.uint8(0x20)
        elif c == ord("_"):
            c = np.uint8(ord(" "))
        code = (code ^ np.uint64(c)) * FNV_PRIME
    return code


@internal
def find_name(keys, code):
    """Slot of a name, or -1."""
    mask = np.uint64(len(keys) - 1)
    slot = np.int64((code ^ code >> np.uint64(32)) & mask)
    while keys[slot] != 0:
        if keys[slot] == code:
            return slot
        slot = np.int64(np.uint64(slot + 1) & mask)
    return np.int64(-1)
