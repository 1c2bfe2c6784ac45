"""Writing example sentences as JSON (see `polyseme.examples.store` for the format)."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import internal, kernel
from polyseme.kernels.simd.prefetch import BYTES_PER_LINE, prefetch_item
from polyseme.kernels.text import NEWLINE, copy_bytes

QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, END = (ord(c) for c in '"\\,[]}')
FRAME = 10  # bytes of ["","",""], more than any other frame has


@kernel
def quote_words(text, begins, starts, ends, stops, out, bounds):
    """Write ["left","word","right"] for each of a number of words.

    text          IN   uint8 (n,)      UTF-8 without control characters
    begins        IN   int64 (k,)      where the quotation begins, ...
    starts, ends  IN   int64 (k,)      ... where its word begins and ends, ...
    stops         IN   int64 (k,)      ... and where the quotation ends
    out           OUT  uint8 (m,)      FRAME bytes for each, and two for each byte that is quoted, are enough
    bounds        OUT  int64 (k + 1,)  the i-th is out[bounds[i] : bounds[i + 1]]
    """
    n = bounds[0] = 0
    for i in range(len(begins)):
        out[n] = OPEN
        n = write_string(text, begins[i], starts[i], out, n + 1)
        out[n] = COMMA
        n = write_string(text, starts[i], ends[i], out, n + 1)
        out[n] = COMMA
        n = write_string(text, ends[i], stops[i], out, n + 1)
        out[n] = CLOSE
        n += 1
        bounds[i + 1] = n


@kernel
def sort_quotations(text, bounds, order, out):
    """Copy snippets in another order.

    text    IN   uint8 (n,), with bounds int64 (k + 1,)  the i-th is text[bounds[i] : bounds[i + 1]]
    order   IN   int64 (k,)                              the number of the one that comes first, second, ...
    out     OUT  uint8 (n,)
    """
    n = np.int64(0)
    for i in order:
        n = copy_bytes(text, bounds[i], bounds[i + 1], out, n)


@internal
def write_string(text, start, end, out, n):
    """Write text[start:end] as a JSON string to out[n:]; returns the place behind it."""
    out[n] = QUOTE
    n += 1
    for i in range(start, end):
        if text[i] == QUOTE or text[i] == BACKSLASH:
            out[n] = BACKSLASH
            n += 1
        out[n] = text[i]
        n += 1
    out[n] = QUOTE
    return n + 1


@kernel
def write_lines(beginnings, beginning_bounds, offsets, shown, numbers, snippets, bounds, lines, line_bounds):
    """Write the line of each word: its beginning, and for each sense a list of its snippets, none of them twice.

    beginnings   IN   uint8, with beginning_bounds int64 (V + 1,)  how the line of each word begins
    offsets      IN   int64 (V + 1,)   senses of word w are rows offsets[w] to ...
    shown        IN   int32 (V,)       ... offsets[w] + shown[w]
    numbers      IN   int64 (R, each)  of the snippets of each sense; -1 for none
    snippets   IN   uint8, with bounds int64 (k + 1,)
    lines        OUT  uint8            enough for all of these, a comma for each number, and FRAME for each row and word
    line_bounds  OUT  int64 (V + 1,)   the line of word w is lines[line_bounds[w] : line_bounds[w + 1]], or nothing
    """
    n = line_bounds[0] = np.int64(0)
    for word in range(len(shown)):
        written = 0
        n = copy_bytes(beginnings, beginning_bounds[word], beginning_bounds[word + 1], lines, n)
        for row in range(offsets[word], offsets[word] + shown[word]):
            fetch_quotations(numbers, row + 1, snippets, bounds)
            lines[n] = OPEN
            n += 1
            for j in range(numbers.shape[1]):
                if is_new(numbers, row, j, snippets, bounds):
                    n = copy_bytes(snippets, bounds[numbers[row, j]], bounds[numbers[row, j] + 1], lines, n)
                    lines[n] = COMMA
                    n += 1
                    written += 1
            if lines[n - 1] == COMMA:
                n -= 1
            lines[n] = CLOSE
            lines[n + 1] = COMMA
            n += 2
        lines[n - 1] = CLOSE
        lines[n] = END
        lines[n + 1] = NEWLINE
        n = n + 2 if written else line_bounds[word]
        line_bounds[word + 1] = n


@internal
def fetch_quotations(numbers, row, snippets, bounds):
    """Fetch the snippets of a row from memory: they lie in the order of the text, and are asked for by words."""
    if row < len(numbers):
        for number in numbers[row]:
            if number >= 0:
                for i in range(bounds[number], bounds[number + 1], BYTES_PER_LINE):
                    prefetch_item(snippets, i)


@internal
def is_new(numbers, row, j, snippets, bounds):
    """Whether there is a quotation numbers[row, j], and none before it in the row is the same."""
    number = numbers[row, j]
    if number < 0:
        return False
    for i in range(j):
        other = numbers[row, i]
        if other >= 0 and same_quotation(snippets, bounds, number, other):
            return False
    return True


@internal
def same_quotation(snippets, bounds, a, b):
    length = bounds[a + 1] - bounds[a]
    if bounds[b + 1] - bounds[b] != length:
        return False
    for i in range(length):  # noqa: SIM110 - a loop, since Numba compiles all() with a generator slowly
        if snippets[bounds[a] + i] != snippets[bounds[b] + i]:
            return False
    return True
