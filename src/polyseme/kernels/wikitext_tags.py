"""Tags, comments and entities of wikitext."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import internal
from polyseme.kernels.wikitext_names import ENTITY_NAME, TAG_NAME, find_name, hash_name
from polyseme.kernels.wikitext_output import SPACE, emit, emit_space

# Kinds of tags: of the first two, what they enclose is not wikitext.
REMOVED_TAG, VERBATIM_TAG, BLOCK_TAG, INLINE_TAG, TABLE_TAG, NO_TAG = 0, 1, 2, 3, 4, 5
MAX_TAGS = 128
MAX_NAME = 32  # bytes of the name of a tag or an entity
DECIMAL, HEXADECIMAL = 10, 16


@internal
def read_tag(text, i, keys, values, unclosed, out, state):
    """Skip a comment, or a tag and what is not shown of its contents.

    Returns the index after it, the kind of tag (NO_TAG for others), and whether it is a closing tag.
    """
    n = np.int64(len(text))
    if i + 3 < n and text[i + 1] == ord("!") and text[i + 2] == ord("-") and text[i + 3] == ord("-"):
        return end_of_comment(text, i + 4), NO_TAG, False
    closing = i + 1 < n and text[i + 1] == ord("/")
    start = i + 2 if closing else i + 1
    end = end_of_name(text, start)
    slot = find_name(keys, hash_name(text, start, end, TAG_NAME))
    last = end_of_tag(text, end) if slot >= 0 else np.int64(-1)
    if last < 0:
        emit(out, state, text[i])
        return i + 1, NO_TAG, False
    kind, number = values[slot] // MAX_TAGS, values[slot] % MAX_TAGS
    if kind <= VERBATIM_TAG and not closing and text[last - 1] != ord("/") and not unclosed[number]:
        close = find_closing_tag(text, last + 1, start, end)
        if close < 0:
            unclosed[number] = 1
            return last + 1, kind, closing
        if kind == VERBATIM_TAG:
            copy_verbatim(text, last + 1, close, keys, values, out, state)
        last = max(end_of_tag(text, close + 2), close + end - start + 1)
    return last + 1, kind, closing


@internal
def end_of_comment(text, i):
    """Index after the next -->, or the end of the text."""
    while i + 2 < len(text):
        if text[i] == ord("-") and text[i + 1] == ord("-") and text[i + 2] == ord(">"):
            return i + 3
        i += 1
    return np.int64(len(text))


@internal
def end_of_name(text, i):
    """Index after the letters and digits at text[i], at most MAX_NAME of them."""
    end = i
    while end < len(text) and end - i < MAX_NAME:
        c = text[end]
        if not (ord("a") <= c | 0x20 <= ord("z") or ord("0") <= c <= ord("9")):
            break
        end += 1
    return end


@internal
def end_of_tag(text, i):
    """Index of the > that ends a tag, or -1 if another tag starts first."""
    while i < len(text) and text[i] != ord("<"):
        if text[i] == ord(">"):
            return i
        i += 1
    return np.int64(-1)


@internal
def find_closing_tag(text, i, start, end):
    """Index of the next closing tag with the name text[start:end], or -1."""
    length = end - start
    while i + 1 + length < len(text):
        if text[i] == ord("<") and text[i + 1] == ord("/"):
            k = np.int64(0)
            while k < length and text[i + 2 + k] | 0x20 == text[start + k] | 0x20:
                k += 1
            after = i + 2 + length
            if k == length and end_of_name(text, after) == after:
                return i
        i += 1
    return np.int64(-1)


@internal
def copy_verbatim(text, i, end, keys, values, out, state):
    """Copy text[i:end], in which only entities are markup; a line end becomes a space."""
    while i < end:
        c = text[i]
        if c == ord("&"):
            i = read_entity(text, i, keys, values, out, state)
            continue
        if c <= SPACE:
            emit_space(out, state)
        else:
            emit(out, state, c)
        i += 1


@internal
def read_entity(text, i, keys, values, out, state):
    """Write the character of an entity (&amp; &#38; &#x26;), or the & if it is none; returns the index after it."""
    numeric = i + 1 < len(text) and text[i + 1] == ord("#")
    start = i + 2 if numeric else i + 1
    end = end_of_name(text, start)
    if end == start or end == len(text) or text[end] != ord(";"):
        emit(out, state, text[i])
        return i + 1
    if numeric:
        emit_character(character_number(text, start, end), out, state)
        return end + 1
    slot = find_name(keys, hash_name(text, start, end, ENTITY_NAME))
    if slot < 0:
        emit(out, state, text[i])
        return i + 1
    packed = values[slot]
    if packed == SPACE:
        emit_space(out, state)
        return end + 1
    while packed > 0:
        emit(out, state, np.uint8(packed & 0xFF))
        packed >>= 8
    return end + 1


@internal
def character_number(text, start, end):
    """The number in text[start:end], decimal or x and hexadecimal digits; 0 if it is none, or beyond Unicode."""
    base = DECIMAL
    if text[start] | 0x20 == ord("x"):
        base, start = HEXADECIMAL, start + 1
    number = np.int64(0)
    for i in range(start, end):
        digit = np.int64(text[i]) - ord("0")
        if digit > 9:
            digit = np.int64(text[i] | 0x20) - ord("a") + 10
        if digit >= base or number > 0x10FFFF:
            return np.int64(0)
        number = number * base + digit
    return number


@internal
def emit_character(number, out, state):
    """Write a code point as UTF-8; control characters and spaces as a space, and surrogates not at all."""
    if number <= SPACE or 0x7F <= number <= 0xA0 or 0x2000 <= number <= 0x200A:
        emit_space(out, state)
    elif number < 0x80:
        emit(out, state, np.uint8(number))
    elif number < 0x800:
        emit(out, state, np.uint8(0xC0 | number >> 6))
        emit(out, state, np.uint8(0x80 | number & 0x3F))
    elif 0xD800 <= number <= 0xDFFF or number > 0x10FFFF:
        return
    elif number < 0x10000:
        emit(out, state, np.uint8(0xE0 | number >> 12))
        emit(out, state, np.uint8(0x80 | number >> 6 & 0x3F))
        emit(out, state, np.uint8(0x80 | number & 0x3F))
    else:
        emit(out, state, np.uint8(0xF0 | number >> 18))
        emit(out, state, np.uint8(0x80 | number >> 12 & 0x3F))
        emit(out, state, np.uint8(0x80 | number >> 6 & 0x3F))
        emit(out, state, np.uint8(0x80 | number & 0x3F))
