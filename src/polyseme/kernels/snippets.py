"""Snippets of a text as JSON, `["left","word","right"]`, and the lines that they make up.

The text is UTF-8 without control characters, so that only quotes and backslashes are escaped.
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import inline, kernel_without_refcounts

QUOTE, BACKSLASH, COMMA, OPEN, CLOSE = (np.uint8(ord(c)) for c in '"\\,[]')
LINE_START, LINE_MIDDLE, LINE_END = (np.frombuffer(b, np.uint8) for b in (b'{"word":', b',"senses":[', b"]}\n"))
PUNCTUATION = 10  # bytes of a snippet beside its text, with the comma after it
SENSE_PUNCTUATION = 3
LINE_PUNCTUATION = len(LINE_START) + len(LINE_MIDDLE) + len(LINE_END)


@kernel_without_refcounts
def write_snippets(text, lefts, starts, ends, rights, out, sizes):
    """Write the snippets of words, one after the other; returns their bytes.

    text           IN   uint8 (n,)
    lefts, starts  IN   int64 (k,)  where the text before each word, and the word, begin
    ends, rights   IN   int64 (k,)  where the word, and the text after it, end
    out            OUT  uint8       at least twice the text of all snippets, and PUNCTUATION each
    sizes          OUT  int32 (k,)
    """
    size = 0
    for i in range(len(starts)):
        first = size
        out[size] = OPEN
        size = write_string(text, lefts[i], starts[i], out, size + 1)
        out[size] = COMMA
        size = write_string(text, starts[i], ends[i], out, size + 1)
        out[size] = COMMA
        size = write_string(text, ends[i], rights[i], out, size + 1)
        out[size] = CLOSE
        size += 1
        sizes[i] = size - first
    return size


@inline
def write_string(text, start, end, out, size):
    """Write text[start:end] to out[size:] as a JSON string; returns the index after it."""
    out[size] = QUOTE
    size += 1
    for i in range(start, end):
        if text[i] == QUOTE or text[i] == BACKSLASH:
            out[size] = BACKSLASH
            size += 1
        out[size] = text[i]
        size += 1
    out[size] = QUOTE
    return size + 1


@inline
def copy_bytes(data, start, end, out, size):
    """Copy data[start:end] to out[size:]; returns the index after it."""
    for i in range(start, end):
        out[size] = data[i]
        size += 1
    return size


@kernel_without_refcounts
def gather_snippets(data, starts, sizes, out):
    """Copy data[starts[i] : starts[i] + sizes[i]] of each i to out, one after the other.

    data    IN   uint8
    starts  IN   int64 (k,)
    sizes   IN   int32 (k,)
    out     OUT  uint8 (sum of sizes,)
    """
    size = 0
    for i in range(len(starts)):
        size = copy_bytes(data, starts[i], starts[i] + sizes[i], out, size)


@kernel_without_refcounts
def write_lines(data, starts, sizes, per_row, first_slots, num_senses, names, name_ends, out, line_ends):
    """Write the lines of words, `{"word":"bank","senses":[[snippet,...],...]}`; none for a word without snippets.

    data           IN   uint8       snippets; that in slot i is data[starts[i] : starts[i] + sizes[i]]
    starts, sizes  IN   int64, int32 (slots,)
    per_row        IN   int64       slots per sense; empty ones, and repetitions of one before, are skipped
    first_slots    IN   int64 (k,)  the first slot of each word
    num_senses     IN   int32 (k,)  number of senses of each word
    names          IN   uint8       the words as JSON strings, one after the other
    name_ends      IN   int64 (k,)
    out            OUT  uint8
    line_ends      OUT  int64 (k,)  where the line of each word ends in `out`
    """
    end, name_start = 0, 0
    for word in range(len(first_slots)):
        start, is_empty = end, True
        end = copy_bytes(LINE_START, 0, len(LINE_START), out, end)
        end = copy_bytes(names, name_start, name_ends[word], out, end)
        name_start = name_ends[word]
        end = copy_bytes(LINE_MIDDLE, 0, len(LINE_MIDDLE), out, end)
        for sense in range(num_senses[word]):
            if sense > 0:
                out[end] = COMMA
                end += 1
            out[end] = OPEN
            end += 1
            first = first_slots[word] + sense * per_row
            is_first = True
            for slot in range(first, first + per_row):
                if sizes[slot] == 0 or is_repetition(data, starts, sizes, first, slot):
                    continue
                if not is_first:
                    out[end] = COMMA
                    end += 1
                end = copy_bytes(data, starts[slot], starts[slot] + sizes[slot], out, end)
                is_first = is_empty = False
            out[end] = CLOSE
            end += 1
        end = start if is_empty else copy_bytes(LINE_END, 0, len(LINE_END), out, end)
        line_ends[word] = end


@inline
def is_repetition(data, starts, sizes, first, slot):
    """Whether a slot from `first` on has the same snippet as this one."""
    for other in range(first, slot):
        if sizes[other] != sizes[slot]:
            continue
        i = 0
        while i < sizes[slot] and data[starts[other] + i] == data[starts[slot] + i]:
            i += 1
        if i == sizes[slot]:
            return True
    return False
