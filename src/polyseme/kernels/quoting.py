"""Writing quotations from a text as JSON."""

from __future__ import annotations

from polyseme.kernels.compiling import kernel

QUOTE, BACKSLASH = 34, 92
LONGEST_FRAME = 10  # bytes of ["","",""]


@kernel
def quote_words(text, begins, starts, ends, stops, out, bounds):
    """Write ["left","word","right"] for each of a number of words.

    text          IN   uint8 (n,)      UTF-8 without control characters
    begins        IN   int64 (k,)      where the quotation begins, ...
    starts, ends  IN   int64 (k,)      ... where its word begins and ends, ...
    stops         IN   int64 (k,)      ... and where the quotation ends
    out           OUT  uint8 (m,)      m as from `room_for`
    bounds        OUT  int64 (k + 1,)  the i-th is out[bounds[i] : bounds[i + 1]]
    """
    n = bounds[0] = 0
    for i in range(len(begins)):
        out[n] = ord("[")
        n = write_string(text, begins[i], starts[i], out, n + 1)
        out[n] = ord(",")
        n = write_string(text, starts[i], ends[i], out, n + 1)
        out[n] = ord(",")
        n = write_string(text, ends[i], stops[i], out, n + 1)
        out[n] = ord("]")
        n += 1
        bounds[i + 1] = n


@kernel
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


def room_for(quotations: int, letters: int) -> int:
    """Bytes that so many quotations of so many bytes together may take."""
    return quotations * LONGEST_FRAME + 2 * letters
