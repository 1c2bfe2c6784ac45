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

from polyseme.kernels.bytes import EIGHT, MANY, in_range, load_eight, load_up_to_eight, trailing_zeros
from polyseme.kernels.compiling import inlined, inner, kernel
from polyseme.kernels.prefetching import prefetch_item, prefetch_to_read

SEPARATOR, WORD, JOINER, SINGLE = 0, 1, 2, 3
TAB, NEWLINE, ZERO_DIGIT = 9, 10, 48
DIGITS = 21  # of a count, with the TAB before and the line end behind it
LETTER_A, LETTERS, LOWER_CASE = np.uint8(ord("A")), np.uint8(26), np.uint8(0x20)
NOT_ASCII = 0x80  # bytes from here on are parts of characters
END_OF_LINE = -1
ONE_BIT = np.uint32(1)

HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, with bits of no pattern
HALF = np.uint64(32)
EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)  # no word has this number

FAR, NEAR = 32, 12  # words by which a slot, and the count of the word in it, are fetched before they are needed


class Lexicon(NamedTuple):
    """A hash table from the bytes of a word to its number, in order of first sight.

    slots   SHARED  uint64 (a power of 2, 2)  the hash of a word, and its `entry`, or EMPTY
    hashes  SHARED  uint64 (capacity,)        hash of each word
    bounds  SHARED  int64  (capacity + 1,)    word i is letters[bounds[i] : bounds[i + 1] - 1]
    letters SHARED  uint8  (room + EIGHT,)    the words' bytes, each with a line end behind it
    counts  SHARED  int64  (capacity,)        how often each word was seen
    size    SHARED  int64  (1,)               number of words
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
def split(text, n, classes, words, others, bounds):
    """Find the words of a text, and its line ends as words of no length.

    What is plain is looked at MANY bytes at a time: as bits of a number, of which those are places where words begin
    and end that differ from the bit before. What is not plain is looked at character by character.

    text     IN   uint8 (n + EIGHT,)  valid UTF-8, and zeros
    classes  IN   uint8 (0x110000,)
    words    IN   uint8 (k, 2)        the first and the last of each range of bytes that are characters of class WORD
    others   IN   uint8 (l, 2)        the same of those that are not plain: line ends, JOINER, SINGLE, not ASCII
    bounds   OUT  int32 (n + 2, 2)    the first byte of each word, and the byte behind it
    Returns the number of words and line ends.
    """
    flat = bounds.reshape(-1)  # where words begin and end by turns
    found, i, inside = np.int64(0), np.int64(0), False
    while i < n:
        if i + MANY <= n and text[i] < NOT_ASCII:
            plain = trailing_zeros(in_ranges(text, i, others))
            word = in_ranges(text, i, words)
            edges = (word ^ (word << ONE_BIT | np.uint32(inside))) & first_bits(plain)
            while edges:
                flat[found] = i + trailing_zeros(edges)
                found += 1
                edges &= edges - ONE_BIT
            if plain:
                inside = word >> np.uint32(plain - 1) & ONE_BIT == 1
            i += plain
            if plain == MANY:
                continue
        kind, width = class_at(text, i, classes)
        if kind == JOINER:
            kind = WORD if inside and i + width < n and class_at(text, i + width, classes)[0] == WORD else SEPARATOR
        if (kind == WORD) != inside:
            flat[found] = i
            found += 1
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
def lower_ascii(text):
    """Bring the letters A to Z into lower case.  text SHARED uint8 (n,)"""
    for i in range(len(text)):
        if np.uint8(text[i] - LETTER_A) < LETTERS:
            text[i] |= LOWER_CASE


@inlined
def in_ranges(text, place, ranges):
    """A number of MANY bits: which of text[place : place + MANY] are in one of the ranges."""
    bits = np.uint32(0)
    for k in range(len(ranges)):
        bits |= in_range(text, place, ranges[k, 0], ranges[k, 1])
    return bits


@inlined
def first_bits(n):
    """A number of MANY bits of which the first n are set."""
    return np.uint32((np.uint64(1) << np.uint64(n)) - np.uint64(1))


@kernel
def hash_words(text, bounds, codes):
    """A hash of each word of a text; no two words of up to EIGHT bytes have the same.

    text, bounds  IN   as from `split`; a word has no NUL in it, since what is behind its end counts as such
    codes         OUT  uint64 (k,)
    """
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
    """A number each of whose bits depends on many of the code's, and from which the code could be found again."""
    code *= HASH_FACTOR
    return code ^ code >> HALF


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
            prefetch_to_read(slots, np.int64(codes[t + FAR] & mask), 0)
        if t + NEAR < len(codes):
            prefetch_item(counts, number_of(slots[np.int64(codes[t + NEAR] & mask), 1]))
        start, end, code = np.int64(bounds[t, 0]), np.int64(bounds[t, 1]), codes[t]
        if start == end:
            ids[t] = END_OF_LINE
            continue
        slot = np.int64(code & mask)
        while True:
            if slots[slot, 1] == EMPTY:
                word = size[0]
                if word == len(hashes) or word_bounds[word] + end - start + 1 > len(letters) - EIGHT:
                    return t
                hashes[word] = code
                last = copy_bytes(text, start, end, letters, word_bounds[word])
                letters[last] = NEWLINE
                word_bounds[word + 1] = last + 1
                counts[word] = 0
                slots[slot, 0], slots[slot, 1] = code, entry(word, end - start)
                size[0] += 1
                break
            word = number_of(slots[slot, 1])
            if slots[slot, 0] == code:  # of short words, no two of which have the same, nothing else need be compared
                long = end - start > EIGHT
                if long == is_long(slots[slot, 1]) and (
                    not long or same_word(text, start, end, letters, word_bounds[word], word_bounds[word + 1] - 1)
                ):
                    break
            slot = np.int64(np.uint64(slot + 1) & mask)
        counts[word] += 1
        ids[t] = word
    return len(bounds)


@inlined
def entry(word, length):
    """What a slot holds of a word: its number, and whether it is longer than EIGHT bytes."""
    return np.uint64(2 * word + (length > EIGHT))


@inlined
def number_of(entry):
    return np.int64(entry >> np.uint64(1))


@inlined
def is_long(entry):
    return entry & np.uint64(1) == 1


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
def fill_slots(slots, hashes, bounds, size):
    """Enter words 0 to size into empty slots.  slots OUT; hashes, bounds IN as in `Lexicon`"""
    mask = np.uint64(len(slots) - 1)
    for word in range(size):
        slot = np.int64(hashes[word] & mask)
        while slots[slot, 1] != EMPTY:
            slot = np.int64(np.uint64(slot + 1) & mask)
        slots[slot, 0], slots[slot, 1] = hashes[word], entry(word, bounds[word + 1] - 1 - bounds[word])


@kernel
def write_table(letters, bounds, order, counts, out):
    """Write a line `word TAB count` for each of a number of words; returns the length of it all.

    letters, bounds  IN   as in `Lexicon`
    order            IN   int64 (k,)  the numbers of the words
    counts           IN   int64 (k,)  of each of these
    out              OUT  uint8       DIGITS more for each word than its letters are enough
    """
    n = np.int64(0)
    for i in range(len(order)):
        word = order[i]
        n = copy_bytes(letters, bounds[word], bounds[word + 1] - 1, out, n)
        out[n] = TAB
        count, end = counts[i], n + 2
        while count >= 10:
            count //= 10
            end += 1
        count, n = counts[i], end
        while True:
            end -= 1
            out[end] = ZERO_DIGIT + count % 10
            count //= 10
            if count == 0:
                break
        out[n] = NEWLINE
        n += 1
    return n


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
