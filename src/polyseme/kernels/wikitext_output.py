"""The output of `wikitext`: writing and removing text while elements are open."""

from __future__ import annotations

from polyseme.kernels.jit import internal

NEWLINE, SPACE = 10, 32

# Items of the array `state`.
LENGTH = 0  # bytes of output
HEIGHT = 1  # number of open elements
TEMPLATE, TABLE = 2, 3  # index of the innermost open template and table, or -1
BOLD, ITALIC = 4, 5  # number of quotes of each kind in this line
APOSTROPHE_AT, APOSTROPHE_RANK = 6, 7  # where ''' may be an apostrophe and italics (-1: nowhere), and how likely
LIST_ITEM, HEADING = 8, 9  # whether this line is one
STATE_SIZE = 10


@internal
def opened_at(stack, state):
    """Length of the output when the innermost open element was opened."""
    return stack[state[HEIGHT] - 1, 1] if state[HEIGHT] > 0 else 0


@internal
def erase(stack, state, length):
    """Shorten the output to `length`, or to where the innermost open element was opened if that is more."""
    length = max(length, opened_at(stack, state))
    state[LENGTH] = min(length, state[LENGTH])
    if state[APOSTROPHE_AT] > length:
        state[APOSTROPHE_AT] = -1
        state[APOSTROPHE_RANK] = 0


@internal
def at_line_start(out, state):
    return state[LENGTH] == 0 or out[state[LENGTH] - 1] == NEWLINE


@internal
def emit(out, state, byte):
    out[state[LENGTH]] = byte
    state[LENGTH] += 1


@internal
def emit_space(out, state):
    """Write a space, unless there is one already, or the line is empty, or a parenthesis has just been opened."""
    if state[LENGTH] > 0 and out[state[LENGTH] - 1] > SPACE and out[state[LENGTH] - 1] != ord("("):
        emit(out, state, SPACE)


@internal
def emit_newline(out, stack, state):
    """End the line, unless it is empty."""
    m = state[LENGTH]
    if m > 0 and out[m - 1] == SPACE:
        erase(stack, state, m - 1)
    if not at_line_start(out, state):
        emit(out, state, NEWLINE)
