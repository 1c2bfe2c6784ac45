"""Splitting UTF-8 text into words and mapping words to ids. The tests compare it with `regex.findall` and a dict.

A tokenizer is a table of character classes, one per code point:

    SEPARATOR   separates words
    WORD        a run of these is a word
    JOINER      part of a word if between two WORD characters (the apostrophe of don't)
    SINGLE      a word by itself (an ideograph)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyseme.kernels.jit import inline, internal, kernel
from polyseme.kernels.simd.prefetch import prefetch_item, prefetch_to_read

SEPARATOR, WORD, JOINER, SINGLE = 0, 1, 2, 3
TAB, NEWLINE, ZERO_DIGIT = 9, 10, 48
MAX_COUNT_BYTES = 21  # a tab, the digits of an int64, and a newline
LETTER_A, LETTERS, LOWER_CASE = np.uint8(ord("A")), np.uint8(26), np.uint8(0x20)
NOT_ASCII = 0x80  # bytes from here on belong to multi-byte characters
END_OF_LINE = -1

EIGHT, SHORT = 8, 7  # bytes of a number; bytes of a word that is its own code
LONG = np.uint64(1 << 63)  # set in the codes of longer words
NO_WORD = np.uint64(0)  # the code in a free slot: words are not empty and contain no NUL
ALL_BITS = np.uint64(2**64 - 1)
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, close to 2^64 divided by the golden ratio (Fibonacci hashing)
HALF = np.uint64(32)

# Distance, in tokens, at which a hash slot and then the count it points to are prefetched.
SLOT_DISTANCE, COUNT_DISTANCE = 32, 12


class LexiconArrays(NamedTuple):
    """An open-addressing hash table from the bytes of a word to its id. Ids are in order of first occurrence.

    slots   SHARED  uint64 (a power of 2, 2)  the code of a word (see `code_words`), or NO_WORD; and its id
    bounds  SHARED  int64  (capacity + 1,)    word i is letters[bounds[i] : bounds[i + 1] - 1]
    letters SHARED  uint8  (bytes,)           the bytes of the words, each word followed by a newline
    counts  SHARED  int64  (capacity,)        occurrences of each word
    size    SHARED  int64  (1,)               number of words
    """

    slots: NDArray[np.uint64]
    bounds: NDArray[np.int64]
    letters: NDArray[np.uint8]
    counts: NDArray[np.int64]
    size: NDArray[np.int64]


@internal
def class_at(text, i, classes):
    """Class and length in bytes of the character that starts at text[i].  text IN uint8 (n,), valid UTF-8"""
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
def find_spans(text, classes, bounds):
    """Find the words of a text. A line end counts as a word of length 0.

    text     IN   uint8 (n,)         valid UTF-8
    classes  IN   uint8 (0x110000,)  class of each code point
    bounds   OUT  int32 (n + 2, 2)   first byte of each word, and the byte after its last
    Returns the number of words and line ends.
    """
    n = len(text)
    edges = bounds.reshape(-1)  # alternating starts and ends
    num_edges, i, inside = np.int64(0), np.int64(0), False
    while i < n:
        if text[i] < NOT_ASCII and text[i] != NEWLINE and classes[text[i]] <= WORD:
            # Most bytes. Storing every one as a possible edge avoids a branch that cannot be predicted.
            is_word = classes[text[i]] == WORD
            edges[num_edges] = i
            num_edges += is_word != inside
            inside = is_word
            i += 1
            continue
        kind, width = class_at(text, i, classes)
        if kind == JOINER:
            kind = WORD if inside and i + width < n and class_at(text, i + width, classes)[0] == WORD else SEPARATOR
        if (kind == WORD) != inside:
            edges[num_edges] = i
            num_edges += 1
        inside = kind == WORD
        if kind == SINGLE:
            edges[num_edges], edges[num_edges + 1] = i, i + width
            num_edges += 2
        elif text[i] == NEWLINE:
            edges[num_edges] = edges[num_edges + 1] = i
            num_edges += 2
        i += width
    edges[num_edges] = n
    num_edges += inside
    return num_edges // 2


@kernel
def lower_ascii(text):
    """Convert the letters A to Z to lower case.  text SHARED uint8 (n,)"""
    for i in range(len(text)):  # each byte is stored, so that the compiler can use vector instructions
        text[i] = text[i] | LOWER_CASE if np.uint8(text[i] - LETTER_A) < LETTERS else text[i]


@kernel
def code_words(eights, bounds, codes):
    """Code each word of a text by its bytes, if they are at most SHORT, or else by a hash of them.

    Short words have the same code only if they are the same, and never that of a long word.

    eights  IN   uint64 (n,)    the EIGHT bytes of the text from each byte on, as little-endian numbers
    bounds  IN   int32 (k, 2)   as from `find_spans`
    codes   OUT  uint64 (k,)    NO_WORD for a line end
    """
    for t in range(len(bounds)):
        start, end = np.int64(bounds[t, 0]), np.int64(bounds[t, 1])
        if end - start <= SHORT:
            codes[t] = NO_WORD if start == end else eights[start] & ALL_BITS >> np.uint64(8 * (EIGHT - (end - start)))
        else:
            code = np.uint64(end - start)
            for i in range(start, end - EIGHT, EIGHT):
                code = mixed(code ^ eights[i])
            codes[t] = mixed(code ^ eights[end - EIGHT]) | LONG


@inline
def mixed(code):
    """A number whose bits depend on those of `code`."""
    code *= SPREAD
    return code ^ code >> HALF


@inline
def first_slot(code, num_slots):
    """The slot in which the search for a code begins."""
    return np.int64(code * SPREAD >> HALF & np.uint64(num_slots - 1))


@kernel
def assign_ids(text, bounds, codes, lexicon, ids):
    """Look up the id of each word of a text, add new words to the lexicon, and count all of them.

    text, bounds  IN   as from `find_spans`, of k words
    codes         IN   uint64 (k,)  as from `code_words`
    ids           OUT  int32 (k,)   END_OF_LINE for a line end
    Returns how many words were processed: fewer than k if the lexicon is full and must grow first.
    """
    slots, word_bounds, letters, counts, size = lexicon
    num_slots = len(slots)
    for t in range(len(bounds)):
        if t + SLOT_DISTANCE < len(codes):
            prefetch_to_read(slots, first_slot(codes[t + SLOT_DISTANCE], num_slots), 0)
        if t + COUNT_DISTANCE < len(codes):
            prefetch_item(counts, np.int64(slots[first_slot(codes[t + COUNT_DISTANCE], num_slots), 1]))
        start, end, code = np.int64(bounds[t, 0]), np.int64(bounds[t, 1]), codes[t]
        if code == NO_WORD:
            ids[t] = END_OF_LINE
            continue
        slot = first_slot(code, num_slots)
        while True:
            word = np.int64(slots[slot, 1])
            if slots[slot, 0] == NO_WORD:
                word = size[0]
                if word == len(counts) or word_bounds[word] + end - start + 1 > len(letters):
                    return t
                last = copy_bytes(text, start, end, letters, word_bounds[word])
                letters[last] = NEWLINE
                word_bounds[word + 1] = last + 1
                counts[word] = 0
                slots[slot, 0], slots[slot, 1] = code, word
                size[0] += 1
                break
            if slots[slot, 0] == code and (code < LONG or same_word(text, start, end, letters, word_bounds, word)):
                break
            slot = slot + 1 & num_slots - 1
        counts[word] += 1
        ids[t] = word
    return len(bounds)


@internal
def copy_bytes(source, start, end, out, n):
    """Copy source[start:end] to out[n:]; returns the index after the copy."""
    for i in range(start, end):  # Numba compiles a slice assignment much more slowly than this loop
        out[n + i - start] = source[i]
    return n + end - start


@inline
def same_word(text, start, end, letters, bounds, word):
    """Whether text[start:end] is the word with this id."""
    first = bounds[word]
    if end - start != bounds[word + 1] - 1 - first:
        return False
    for i in range(end - start):  # noqa: SIM110 - Numba compiles all() with a generator slowly
        if text[start + i] != letters[first + i]:
            return False
    return True


@kernel
def copy_slots(slots, larger):
    """Insert all words of a hash table into an empty one.  slots IN; larger OUT, as in `LexiconArrays`"""
    num_slots = len(larger)
    for i in range(len(slots)):
        if slots[i, 0] != NO_WORD:
            slot = first_slot(slots[i, 0], num_slots)
            while larger[slot, 0] != NO_WORD:
                slot = slot + 1 & num_slots - 1
            larger[slot, 0], larger[slot, 1] = slots[i, 0], slots[i, 1]


@kernel
def write_table(letters, bounds, order, counts, out):
    """Write a line `word TAB count` for each word; returns the number of bytes written.

    letters, bounds  IN   as in `LexiconArrays`
    order            IN   int64 (k,)  ids of the words, in the order to write them
    counts           IN   int64 (k,)  count of each word, in the same order
    out              OUT  uint8       must hold the letters and MAX_COUNT_BYTES per word
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
def find_sentences(ids, bounds, offset, longest, open_length, tokens, lengths, byte_offsets):
    """Turn word ids and line ends into sentences of at most `longest` tokens.

    ids, bounds   IN   of k words, as from `assign_ids` and `find_spans`
    offset        IN   int64           byte offset of the text in its source
    open_length   IN   int64           tokens so far of the sentence that the previous text left unfinished
    tokens        OUT  int32 (k,)      the ids without line ends
    lengths       OUT  int64 (k + 1,)  length of each sentence that ends here, then of the unfinished one
    byte_offsets  OUT  int64 (k + 1,)  byte offset in the source of each sentence that starts here
    Returns the number of tokens, of sentences that end here, and of sentences that start here.
    """
    n = ended = started = 0
    length = open_length
    for t in range(len(ids)):
        if ids[t] != END_OF_LINE:
            if length == 0:
                byte_offsets[started] = offset + bounds[t, 0]
                started += 1
            tokens[n] = ids[t]
            n += 1
            length += 1
        if length == longest or (length > 0 and ids[t] == END_OF_LINE):
            lengths[ended] = length
            ended += 1
            length = 0
    lengths[ended] = length
    return n, ended, started
