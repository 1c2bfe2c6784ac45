"""Splitting text into words and numbering them, on UTF-8 bytes. The twin is `re.findall` and a dict (see the tests).

A tokenizer is a table of character classes, one for each code point:

    SEPARATOR   between words
    WORD        a run of these is a word
    JOINER      part of a word where WORD stands on both sides (the apostrophe of don't)
    SINGLE      a word by itself (an ideograph)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.compiling import inner, kernel
from polyseme.kernels.prefetching import prefetch_item

SEPARATOR, WORD, JOINER, SINGLE = 0, 1, 2, 3
NEWLINE = 10
END_OF_LINE = -1

# FNV-1a, 64 bits
HASH_START = np.uint64(0xCBF29CE484222325)
HASH_PRIME = np.uint64(0x100000001B3)
FOLD = np.uint64(32)

FAR, NEAR = 12, 6  # words by which a slot, and the word in it, are fetched before they are needed


class Lexicon(NamedTuple):
    """A hash table from the bytes of a word to its number, in order of first sight.

    slots   SHARED  int32  (a power of 2,)  number of the word in this slot, or -1
    hashes  SHARED  uint64 (capacity,)      hash of each word
    bounds  SHARED  int64  (capacity + 1,)  word i is letters[bounds[i]:bounds[i + 1]]
    letters SHARED  uint8  (room,)          the words' bytes, end to end
    counts  SHARED  int64  (capacity,)      how often each word was seen
    size    SHARED  int64  (1,)             number of words
    """

    slots: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    bounds: NDArray[np.int64]
    letters: NDArray[np.uint8]
    counts: NDArray[np.int64]
    size: NDArray[np.int64]


@inner
def class_at(text, i, classes):
    """Class and length in bytes of the character at text[i]; the text is valid UTF-8."""
    lead = np.int64(text[i])
    if lead < 0x80:
        return classes[lead], 1
    if lead < 0xE0:
        return classes[(lead & 0x1F) << 6 | text[i + 1] & 0x3F], 2
    if lead < 0xF0:
        return classes[(lead & 0x0F) << 12 | (text[i + 1] & 0x3F) << 6 | text[i + 2] & 0x3F], 3
    point = (lead & 0x07) << 18 | (text[i + 1] & 0x3F) << 12 | (text[i + 2] & 0x3F) << 6 | text[i + 3] & 0x3F
    return classes[point], 4


@kernel
def split(text, classes, starts, ends):
    """Find the words of a text, and its line ends as words of no length.

    text     IN   uint8 (n,)          valid UTF-8
    classes  IN   uint8 (0x110000,)
    starts   OUT  int32 (n + 1,)      first byte of each word
    ends     OUT  int32 (n + 1,)      the byte after each word
    Returns the number of words and line ends.
    """
    n = len(text)
    found, i = 0, np.int64(0)
    while i < n:
        if text[i] == NEWLINE:
            starts[found] = ends[found] = i
            found += 1
            i += 1
            continue
        kind, width = class_at(text, i, classes)
        start = i
        i += width
        if kind == WORD:
            while i < n and text[i] != NEWLINE:
                kind, width = class_at(text, i, classes)
                if (kind == JOINER and i + width < n and class_at(text, i + width, classes)[0] == WORD) or kind == WORD:
                    i += width
                else:
                    break
        elif kind != SINGLE:
            continue
        starts[found] = start
        ends[found] = i
        found += 1
    return found


@kernel
def hash_words(text, starts, ends, codes):
    """A hash of each word of a text.  text, starts, ends IN as from `split`; codes OUT uint64 (k,)"""
    for t in range(len(starts)):
        code = HASH_START
        for i in range(starts[t], ends[t]):
            code = (code ^ np.uint64(text[i])) * HASH_PRIME
        codes[t] = code ^ code >> FOLD


@kernel
def number(text, starts, ends, codes, lexicon, ids):
    """Number the words of a text, adding new ones to the lexicon and counting all.

    text, starts, ends  IN   as from `split`, of k words
    codes               IN   uint64 (k,)  as from `hash_words`
    ids                 OUT  int32 (k,)   END_OF_LINE for a line end
    Returns how many were numbered: fewer than k when the lexicon is full and must grow first.
    """
    slots, hashes, bounds, letters, counts, size = lexicon
    mask = np.uint64(len(slots) - 1)
    for t in range(len(starts)):
        if t + FAR < len(codes):
            prefetch_item(slots, np.int64(codes[t + FAR] & mask))
        if t + NEAR < len(codes):
            likely = slots[codes[t + NEAR] & mask]
            if likely >= 0:
                prefetch_item(hashes, likely)
                prefetch_item(bounds, likely)
        start, end, code = np.int64(starts[t]), np.int64(ends[t]), codes[t]
        if start == end:
            ids[t] = END_OF_LINE
            continue
        slot = code & mask
        while True:
            word = slots[slot]
            if word < 0:
                word = size[0]
                if word == len(hashes) or bounds[word] + end - start > len(letters):
                    return t
                hashes[word] = code
                bounds[word + 1] = copy_bytes(text, start, end, letters, bounds[word])
                counts[word] = 0
                slots[slot] = word
                size[0] += 1
                break
            if hashes[word] == code and same_bytes(text, start, end, letters, bounds[word], bounds[word + 1]):
                break
            slot = slot + np.uint64(1) & mask
        counts[word] += 1
        ids[t] = word
    return len(starts)


@inner
def copy_bytes(source, start, end, out, n):
    """Copy source[start:end] to out[n:]; returns the place behind it."""
    for i in range(start, end):  # a loop, since Numba compiles the assignment of slices slowly
        out[n + i - start] = source[i]
    return n + end - start


@inner
def same_bytes(text, start, end, letters, first, last):
    """Whether text[start:end] equals letters[first:last]."""
    if end - start != last - first:
        return False
    for i in range(end - start):  # noqa: SIM110 - a loop, since Numba compiles all() with a generator slowly
        if text[start + i] != letters[first + i]:
            return False
    return True


@kernel
def fill_slots(slots, hashes, size):
    """Enter words 0 to size into empty slots.  slots OUT int32 (a power of 2,); hashes IN uint64."""
    mask = np.uint64(len(slots) - 1)
    for word in range(size):
        slot = hashes[word] & mask
        while slots[slot] >= 0:
            slot = slot + np.uint64(1) & mask
        slots[slot] = word


@kernel
def cut_sentences(ids, starts, offset, longest, open_length, tokens, lengths, places):
    """Turn numbered words and line ends into sentences of at most `longest` tokens.

    ids, starts  IN   (k,)        as from `number` and `split`
    offset       IN   int64       where the text begins in its source
    open_length  IN   int64       tokens of the sentence that an earlier text left open
    tokens       OUT  int32 (k,)  the words alone
    lengths      OUT  int64 (k + 1,)  length of each sentence that ends here, then of the one left open
    places       OUT  int64 (k + 1,)  place in the source of each sentence that begins here
    Returns the number of tokens, of ended sentences, and of begun ones.
    """
    n = ended = begun = 0
    length = open_length
    for t in range(len(ids)):
        if ids[t] != END_OF_LINE:
            if length == 0:
                places[begun] = offset + starts[t]
                begun += 1
            tokens[n] = ids[t]
            n += 1
            length += 1
        if length == longest or (length > 0 and ids[t] == END_OF_LINE):
            lengths[ended] = length
            ended += 1
            length = 0
    lengths[ended] = length
    return n, ended, begun
