"""A small random generator for kernels (SplitMix64). Its state is one uint64 in an array, seeded for each block."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
LOW = np.uint64(0xFFFFFFFF)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@kernel
def draw(state):
    """The next 64 random bits.  state SHARED uint64 (1,)"""
    state[0] += GOLDEN
    z = state[0]
    z = (z ^ z >> S30) * MIX_1
    z = (z ^ z >> S27) * MIX_2
    return z ^ z >> S31


@kernel
def below(bits, n):
    """A random integer in 0..n-1, from the upper 32 of 64 random bits."""
    return np.int64((bits >> S32) * np.uint64(n) >> S32)


@kernel
def alias_slot(bits, negative_table):
    """Slot of the alias table selected by random bits.  negative_table IN uint32 (V, 2)"""
    return below(bits, len(negative_table))


@kernel
def negative_word(bits, negative_table):
    """Negative sample for 64 random bits.  negative_table IN uint32 (V, 2), see `Vocabulary.negative_table`"""
    slot = alias_slot(bits, negative_table)
    alias = np.int64(negative_table[slot, 1])  # read unconditionally: a branch on random bits is often mispredicted
    return slot if (bits & LOW) < negative_table[slot, 0] else alias
