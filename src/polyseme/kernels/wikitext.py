"""Removing wiki markup from UTF-8 text, in one pass and in time linear in its length, whatever it contains.

Text is written as if every open element were never closed. Closing an element that is not shown (a template, a table,
an image) shortens the output to its length when the element was opened. So an element that is never closed costs
nothing and loses no text, and templates a million deep are removed in one pass.

    stack  SHARED  int32 (k, 3)  open elements, outermost first: kind, length of the output when the element was opened,
                                 and index of the enclosing element of the same kind (templates and tables only)
    state  SHARED  int64 (10,)   the values below
    out    SHARED  uint8         the text so far; never longer than the markup that has been read

The length of the output never falls below that of the innermost open element: that could split a character later.
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import internal, kernel
from polyseme.kernels.wikitext_names import HIDDEN, LINK_NAME, find_name, hash_name
from polyseme.kernels.wikitext_output import (
    APOSTROPHE_AT,
    APOSTROPHE_RANK,
    BOLD,
    HEADING,
    HEIGHT,
    ITALIC,
    LENGTH,
    LIST_ITEM,
    NEWLINE,
    SPACE,
    STATE_SIZE,
    TABLE,
    TEMPLATE,
    at_line_start,
    emit,
    emit_newline,
    emit_space,
    erase,
    opened_at,
)
from polyseme.kernels.wikitext_tags import BLOCK_TAG, TABLE_TAG, read_entity, read_tag

OPEN_TEMPLATE, OPEN_TABLE, OPEN_LINK, OPEN_LABEL, OPEN_HIDDEN_LINK, OPEN_EXTERNAL_LINK = 0, 1, 2, 3, 4, 5
PLAIN, WHITESPACE, MARKUP = 0, 1, 2  # classes of bytes
MAX_PREFIX = 80  # bytes of a namespace's name
MAX_SCHEME = 10  # letters before the colon of a URL
MAX_MAGIC_WORD = 60  # bytes between the underscores of __NOTOC__


@kernel
def strip_wikitext(text, classes, keys, values, unclosed, stack, out):
    """Write the plain text of a page to `out`; returns its length in bytes.

    text          IN      uint8 (n,)        wikitext, valid UTF-8
    classes       IN      uint8 (256,)      PLAIN, WHITESPACE or MARKUP for each byte
    keys, values  IN      as in `wikitext_names`
    unclosed      SHARED  uint8 (128,)      zeros; set for tags that are not closed in the rest of the text
    stack         OUT     int32 (n // 2 + 1, 3)
    out           OUT     uint8 (n + 8,)
    """
    state = np.zeros(STATE_SIZE, np.int64)
    state[TEMPLATE] = state[TABLE] = state[APOSTROPHE_AT] = -1
    n, i = np.int64(len(text)), np.int64(0)
    while True:
        i = copy_plain(text, i, classes, out, state)
        if i >= n:
            break
        c = text[i]
        if c == NEWLINE:
            i = end_line(text, i, out, stack, state)
        elif c == ord("["):
            i = open_link(text, i, keys, values, out, stack, state)
        elif c == ord("]"):
            i = close_link(text, i, out, stack, state)
        elif c == ord("'"):
            i = read_quotes(text, i, out, state)
        elif c == ord("{") or c == ord("}") or c == ord("|"):
            i = read_brace_or_pipe(text, i, out, stack, state)
        elif c == ord("&"):
            i = read_entity(text, i, keys, values, out, state)
        elif c == ord("<"):
            i, kind, closing = read_tag(text, i, keys, values, unclosed, out, state)
            if kind == BLOCK_TAG:
                emit_newline(out, stack, state)
            elif kind == TABLE_TAG and closing:
                close_table(stack, state)
            elif kind == TABLE_TAG:
                open_table(stack, state)
        else:
            i = read_punctuation(text, i, out, stack, state)
    finish_line(out, stack, state)
    return state[LENGTH]


@internal
def copy_plain(text, i, classes, out, state):
    """Copy text up to the next byte that may be markup, with one space for each run of whitespace."""
    m = state[LENGTH]
    while i < len(text):
        c = text[i]
        if classes[c] == PLAIN:
            out[m] = c
            m += 1
        elif classes[c] == MARKUP:
            break
        elif m > 0 and out[m - 1] > SPACE and out[m - 1] != ord("("):
            out[m] = SPACE
            m += 1
        i += 1
    state[LENGTH] = m
    return i


@internal
def end_line(text, i, out, stack, state):
    """End a line at text[i]. One newline between two lines of a paragraph becomes a space."""
    while state[HEIGHT] > 0:  # the target of a link is on one line
        kind = stack[state[HEIGHT] - 1, 0]
        if kind != OPEN_LINK and kind != OPEN_EXTERNAL_LINK:
            break
        state[HEIGHT] -= 1
    in_paragraph = not (state[LIST_ITEM] or state[HEADING])
    finish_line(out, stack, state)
    c = text[i + 1] if i + 1 < len(text) else NEWLINE
    if c == ord("-") and i + 2 < len(text) and text[i + 2] == c:  # a rule
        in_paragraph = False
    starts_block = c <= SPACE or c == ord("*") or c == ord("#") or c == ord(":") or c == ord(";") or c == ord("=")
    if in_paragraph and not (starts_block or c == ord("|") or c == ord("!") or c == ord("{")):
        emit_space(out, state)
    else:
        emit_newline(out, stack, state)
    return i + 1


@internal
def finish_line(out, stack, state):
    """Remove what ends a heading, restore an apostrophe before italics, and remove a space at the end of the line."""
    if state[HEADING]:
        m = state[LENGTH]
        while m > 0 and (out[m - 1] == ord("=") or out[m - 1] == SPACE):
            m -= 1
        erase(stack, state, m)
    at = state[APOSTROPHE_AT]
    # Bold and italics that are both open at the end of a line: l'''Iliade'' means an apostrophe and italics.
    if at >= opened_at(stack, state) and state[BOLD] % 2 == 1 and state[ITALIC] % 2 == 1:
        for k in range(state[LENGTH], at, -1):
            out[k] = out[k - 1]
        out[at] = ord("'")
        state[LENGTH] += 1
    state[BOLD] = state[ITALIC] = state[APOSTROPHE_RANK] = state[HEADING] = state[LIST_ITEM] = 0
    state[APOSTROPHE_AT] = -1
    if state[LENGTH] > 0 and out[state[LENGTH] - 1] == SPACE:
        erase(stack, state, state[LENGTH] - 1)


@internal
def read_quotes(text, i, out, state):
    """Remove the quotes of bold and italics; an apostrophe stays."""
    end = i
    while end < len(text) and text[end] == ord("'"):
        end += 1
    count = end - i
    kept = 1 if count == 1 or count == 4 else max(count - 5, 0)
    for _ in range(kept):
        emit(out, state, ord("'"))
    if count == 2 or count >= 5:
        state[ITALIC] += 1
    if count >= 3:
        state[BOLD] += 1
    m = state[LENGTH]
    if count == 3 and m > 0 and out[m - 1] > SPACE:
        rank = 2 if m == 1 or out[m - 2] <= SPACE else 1  # a word of one letter, as in MediaWiki, comes first
        if rank > state[APOSTROPHE_RANK]:
            state[APOSTROPHE_RANK] = rank
            state[APOSTROPHE_AT] = m
    return end


@internal
def push(stack, state, kind, previous):
    """Open an element."""
    height = state[HEIGHT]
    stack[height, 0] = kind
    stack[height, 1] = state[LENGTH]
    stack[height, 2] = previous
    state[HEIGHT] = height + 1


@internal
def remove_from(stack, state, index):
    """Close all elements from this one on, and remove their text."""
    state[HEIGHT] = index
    erase(stack, state, np.int64(stack[index, 1]))


@internal
def open_table(stack, state):
    push(stack, state, OPEN_TABLE, state[TABLE])
    state[TABLE] = state[HEIGHT] - 1


@internal
def close_table(stack, state):
    """Close the innermost table, unless a template was opened in it."""
    table = state[TABLE]
    if table > state[TEMPLATE]:
        state[TABLE] = stack[table, 2]
        remove_from(stack, state, table)


@internal
def read_brace_or_pipe(text, i, out, stack, state):
    """Open or close a template or a table, or end the target of a link: {{ }} {| |} |."""
    c = text[i]
    following = text[i + 1] if i + 1 < len(text) else NEWLINE
    height = state[HEIGHT]
    if c == ord("{") and following == ord("{"):
        push(stack, state, OPEN_TEMPLATE, state[TEMPLATE])
        state[TEMPLATE] = height
        return i + 2
    if c == ord("{") and following == ord("|") and at_line_start(out, state):
        open_table(stack, state)
        return i + 2
    if c == ord("}") and following == ord("}"):
        template = state[TEMPLATE]
        if template >= 0:
            while state[TABLE] > template:
                state[TABLE] = stack[state[TABLE], 2]
            state[TEMPLATE] = stack[template, 2]
            remove_from(stack, state, template)
        return i + 2
    if c == ord("|") and following == ord("}") and at_line_start(out, state) and state[TABLE] > state[TEMPLATE]:
        close_table(stack, state)
        return i + 2
    if c == ord("|") and height > 0 and stack[height - 1, 0] == OPEN_LINK:
        erase(stack, state, np.int64(stack[height - 1, 1]))
        stack[height - 1, 0] = OPEN_LABEL
        return i + 1
    emit(out, state, c)
    return i + 1


@internal
def open_link(text, i, keys, values, out, stack, state):
    """Open [[a link]] or [http://example.org a label]; a URL is skipped."""
    if i + 1 < len(text) and text[i + 1] == ord("["):
        hidden = is_hidden(text, i + 2, keys, values)
        push(stack, state, OPEN_HIDDEN_LINK if hidden else OPEN_LINK, -1)
        return i + 3 if i + 2 < len(text) and text[i + 2] == ord(":") else i + 2
    j = i + 1
    while j < len(text) and j - i <= MAX_SCHEME and ord("a") <= text[j] | 0x20 <= ord("z"):
        j += 1
    mail = j - i == 7 and j < len(text) and text[j] == ord(":") and text[i + 1] | 0x20 == ord("m")  # [mailto:
    if j < len(text) and text[j] == ord(":") and j > i + 1:
        j += 1
    if mail or (j + 1 < len(text) and text[j] == ord("/") and text[j + 1] == ord("/")):
        push(stack, state, OPEN_EXTERNAL_LINK, -1)
        return skip_url(text, j)
    emit(out, state, text[i])
    return i + 1


@internal
def is_hidden(text, i, keys, values):
    """Whether a link to text[i:] is not shown: an image, a category, or the same article in another language."""
    while i < len(text) and text[i] == SPACE:
        i += 1
    end, lower_case, first_part = i, True, 0
    while end < len(text) and end - i < MAX_PREFIX:
        c = text[end]
        if c == ord(":"):
            break
        if c == NEWLINE or c == ord("|") or c == ord("[") or c == ord("]") or c == ord("{"):
            return False
        if c == ord("-") and first_part == 0:
            first_part = end - i
        lower_case &= ord("a") <= c <= ord("z") or c == ord("-")
        end += 1
    if end == i or end == len(text) or text[end] != ord(":"):
        return False
    slot = find_name(keys, hash_name(text, i, end, LINK_NAME))
    if slot >= 0:
        return values[slot] == HIDDEN
    letters = first_part if first_part > 0 else end - i
    return lower_case and 2 <= letters <= 3  # a language code: de, zh-yue


@internal
def close_link(text, i, out, stack, state):
    kind = stack[state[HEIGHT] - 1, 0] if state[HEIGHT] > 0 else OPEN_TEMPLATE
    if kind == OPEN_EXTERNAL_LINK:
        state[HEIGHT] -= 1
        return i + 1
    if i + 1 < len(text) and text[i + 1] == ord("]"):
        if kind == OPEN_HIDDEN_LINK:
            remove_from(stack, state, state[HEIGHT] - 1)
            return i + 2
        if kind in (OPEN_LINK, OPEN_LABEL):
            state[HEIGHT] -= 1
            return i + 2
    emit(out, state, text[i])
    return i + 1


@internal
def skip_url(text, i):
    """Index of the first byte from text[i] on that does not belong to a URL."""
    while i < len(text):
        c = text[i]
        if c <= SPACE or c == ord("<") or c == ord(">") or c == ord('"') or c == ord("|"):
            break
        if c == ord("[") or c == ord("]") or c == ord("{") or c == ord("}"):
            break
        i += 1
    return i


@internal
def read_punctuation(text, i, out, stack, state):
    """Remove list markers, headings, rules, URLs, magic words, and punctuation around what was removed."""
    c = text[i]
    following = text[i + 1] if i + 1 < len(text) else NEWLINE
    m = state[LENGTH]
    if at_line_start(out, state) and c != ord("_") and c != ord(")"):
        if c == ord("-"):
            end = i
            while end < len(text) and text[end] == c:
                end += 1
            if end == i + 1:
                emit(out, state, c)
            return end
        if c == ord("="):
            state[HEADING] = 1
        elif c == ord("*") or c == ord("#") or c == ord(":") or c == ord(";"):
            state[LIST_ITEM] = 1
        return i + 1
    if c == ord(":") and following == ord("/") and i + 2 < len(text) and text[i + 2] == following:
        scheme = length_of_scheme(out, m)
        if scheme > 0:
            erase(stack, state, m - scheme)
            return skip_url(text, i)
    elif c == ord("_") and following == c:
        end = end_of_magic_word(text, i)
        if end > 0:
            return end
    elif c == ord(")") or c == ord(",") or c == ord(";"):
        last = m - 1 if m > 0 and out[m - 1] == SPACE else m
        if last > 0 and out[last - 1] == ord("(") and (last == 1 or out[last - 2] <= SPACE):
            if c == ord(")"):  # ( ) is left of a template in parentheses
                erase(stack, state, last - 1)
            return i + 1
        if c == ord(",") or (c == ord(")") and last < m and last > 0 and out[last - 1] == ord(",")):
            erase(stack, state, last if c == ord(",") else last - 1)
    emit(out, state, c)
    return i + 1


@internal
def length_of_scheme(out, m):
    """Length of http, https or ftp at the end of out[:m], or 0."""
    for length in (5, 4, 3):
        if m >= length and (m == length or not ord("a") <= out[m - length - 1] | 0x20 <= ord("z")):
            first, last = out[m - length] | 0x20, out[m - 1] | 0x20
            second = out[m - length + 1] | 0x20
            if length == 3 and first == ord("f") and second == ord("t") and last == ord("p"):
                return length
            if length > 3 and first == ord("h") and second == ord("t") and last == ord("s" if length == 5 else "p"):
                return length
    return 0


@internal
def end_of_magic_word(text, i):
    """Index after the word in double underscores at text[i], as __NOTOC__, or 0. Names in lower case are text."""
    end = i + 2
    while end + 1 < len(text) and end - i < MAX_MAGIC_WORD:
        c = text[end]
        if c == ord("_") and text[end + 1] == c:
            return end + 2 if end > i + 2 else 0
        if c <= SPACE or ord("a") <= c <= ord("z") or c == ord("<") or c == ord("[") or c == ord("{"):
            return 0
        end += 1
    return 0
