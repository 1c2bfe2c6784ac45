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

from polyseme.kernels.bytes import EIGHT, load_eight, load_up_to_eight
from polyseme.kernels.compiling import inlined, inner, kernel
from polyseme.kernels.prefetching import prefetch_item

SEPARATOR, WORD, JOINER, SINGLE = 0, 1, 2, 3
NEWLINE = 10
END_OF_LINE = -1

HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, with bits of no pattern
HIGH, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
EMPTY = np.uint64(LOW)  # no word has this number

FAR, NEAR = 12, 6  # words by which a slot, and the word in it, are fetched before they are needed


class Lexicon(NamedTuple):
    """A hash table from the bytes of a word to its number, in order of first sight.

    slots   SHARED  uint64 (a power of 2,)  high half of the word's hash, and its number, or EMPTY
    hashes  SHARED  uint64 (capacity,)      hash of each word
    bounds  SHARED  int64  (capacity + 1,)  word i is letters[bounds[i]:bounds[i + 1]]
    letters SHARED  uint8  (room + EIGHT,)  the words' bytes, end to end
    counts  SHARED  int64  (capacity,)      how often each word was seen
    size    SHARED  int64  (1,)             number of words
    """

    slots: NDArray[np.uint64]
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
def split(text, n, classes, bounds):
    """Find the words of a text, and its line ends as words of no length.

    The next place to be written goes up where a word begins or ends, and otherwise what stands there is written over:
    so there is no branch for each letter, which the processor could not foresee.

    text     IN   uint8 (n + EIGHT,)  valid UTF-8, and zeros
    classes  IN   uint8 (0x110000,)
    bounds   OUT  int32 (n + 2, 2)    the first byte of each word, and the byte behind it
    Returns the number of words and line ends.
    """
    flat = bounds.reshape(-1)  # where words begin and end by turns
    found, i, inside = np.int64(0), np.int64(0), False
    while i < n:
        kind, width = class_at(text, i, classes)
        if kind == JOINER:
            kind = WORD if inside and i + width < n and class_at(text, i + width, classes)[0] == WORD else SEPARATOR
        flat[found] = i
        found += (kind == WORD) != inside
        inside = kind == WORD
        if kind == SINGLE:
            flat[found], flat[found + 1] = i, i + width
            found += 2
        elif text[i] == NEWLINE:
            flat[found] = flat[found + 1] = i
            found += 2
        i += width
    flat[found] = n
    found += inside
    return found // 2


@kernel
def hash_words(text, bounds, codes):
    """A hash of each word of a text.  text, bounds IN as from `split`; codes OUT uint64 (k,)"""
    for t in range(len(bounds)):
        start, end = np.int64(bounds[t, 0]), np.int64(bounds[t, 1])
        code = np.uint64(end - start)
        while start + EIGHT < end:
            code = mixed(code ^ load_eight(text, start))
            start += EIGHT
        if start < end:
            code = mixed(code ^ load_up_to_eight(text, start, end))
        codes[t] = mixed(code)


@inlined
def mixed(code):
    """A number each of whose bits depends on many of the code's."""
    code *= HASH_FACTOR
    return code ^ code >> HIGH


@kernel
def number(text, bounds, codes, lexicon, ids):
    """Number the words of a text, adding new ones to the lexicon and counting all.

    text, bounds  IN   as from `split`, of k words
    codes         IN   uint64 (k,)  as from `hash_words`
    ids           OUT  int32 (k,)   END_OF_LINE for a line end
    Returns how many were numbered: fewer than k when the lexicon is full and must grow first.
    """
    slots, hashes, word_bounds, letters, counts, size = lexicon
    mask = np.uint64(len(slots) - 1)
    for t in range(len(bounds)):
        if t + FAR < len(codes):
            prefetch_item(slots, np.int64(codes[t + FAR] & mask))
        if t + NEAR < len(codes):
            likely = slots[codes[t + NEAR] & mask]
            if likely != EMPTY:
                prefetch_item(word_bounds, np.int64(likely & LOW))
                prefetch_item(counts, np.int64(likely & LOW))
        start, end, code = np.int64(bounds[t, 0]), np.int64(bounds[t, 1]), codes[t]
        if start == end:
            ids[t] = END_OF_LINE
            continue
        slot = code & mask
        while True:
            entry = slots[slot]
            word = np.int64(entry & LOW)
            if entry == EMPTY:
                word = size[0]
                if word == len(hashes) or word_bounds[word] + end - start > len(letters) - EIGHT:
                    return t
                hashes[word] = code
                word_bounds[word + 1] = copy_bytes(text, start, end, letters, word_bounds[word])
                counts[word] = 0
                slots[slot] = slot_entry(code, word)
                size[0] += 1
                break
            if entry >> HIGH == code >> HIGH and same_word(
                text, start, end, letters, word_bounds[word], word_bounds[word + 1]
            ):
                break
            slot = slot + np.uint64(1) & mask
        counts[word] += 1
        ids[t] = word
    return len(bounds)


@inlined
def slot_entry(code, word):
    return code >> HIGH << HIGH | np.uint64(word)


@inner
def copy_bytes(source, start, end, out, n):
    """Copy source[start:end] to out[n:]; returns the place behind it."""
    for i in range(start, end):  # a loop, since Numba compiles the assignment of slices slowly
        out[n + i - start] = source[i]
    return n + end - start


@inlined
def same_word(text, start, end, other, first, last):
    """Whether the word text[start:end] is other[first:last]; both texts have EIGHT bytes more."""
    if end - start != last - first:
        return False
    while start + EIGHT < end:
        if load_eight(text, start) != load_eight(other, first):
            return False
        start += EIGHT
        first += EIGHT
    return load_up_to_eight(text, start, end) == load_up_to_eight(other, first, last)


@kernel
def fill_slots(slots, hashes, size):
    """Enter words 0 to size into empty slots.  slots OUT uint64 (a power of 2,); hashes IN uint64."""
    mask = np.uint64(len(slots) - 1)
    for word in range(size):
        slot = hashes[word] & mask
        while slots[slot] != EMPTY:
            slot = slot + np.uint64(1) & mask
        slots[slot] = slot_entry(hashes[word], word)


@kernel
def cut_sentences(ids, bounds, offset, longest, open_length, tokens, lengths, places):
    """Turn numbered words and line ends into sentences of at most `longest` tokens.

    ids, bounds  IN   of k words  as from `number` and `split`
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
                places[begun] = offset + bounds[t, 0]
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
