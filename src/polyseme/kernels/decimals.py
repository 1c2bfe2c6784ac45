"""Decimal numbers in text: reading and writing the lines of a vector file. The tests compare it with `float`.

    read     m * 10^e, where m has the first 19 significant digits, is computed in float64 and rounded to float32
    write    d * 10^e with the fewest digits d, 7 to 9 of them, that give the same float32 when they are read

float64 is off by a few units in the last place here. This changes the float32 only if the value is next to the middle
of two float32: then reading leaves the line to the caller, and writing takes one more digit.
"""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import exact_internal, exact_kernel

NEWLINE, SPACE, PLUS, MINUS, POINT, ZERO, UPPER_E, LOWER_E = (np.uint8(ord(c)) for c in "\n +-.0Ee")
TAB, CARRIAGE_RETURN = np.uint8(9), np.uint8(13)
BASE, TEN_18 = np.uint64(10), np.uint64(10**18)
MAX_MANTISSA_DIGITS = 19
MAX_POWER = 80
POWERS = np.array([float(f"1e{i}") for i in range(MAX_POWER + 1)])  # correctly rounded
MAX_EXPONENT = 9999  # of a number in a text; larger ones are left to the caller
MIN_NORMAL, MAX_FINITE = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)

MANTISSA_BITS, EXPONENT_BIAS, EXPONENT_MASK = np.uint64(52), 1023, np.uint64(0x7FF)
ROUNDED_BITS, MIDDLE, MARGIN = np.uint64((1 << 29) - 1), 1 << 28, 16  # the bits of a float64 that a float32 lacks

MIN_DIGITS, MAX_DIGITS = 7, 9
MIN_PLAIN, MAX_PLAIN = -5, 9  # powers of ten of the first digit that are written without an exponent
MAX_NUMBER_BYTES = 18  # with its separator: -0.0000123456789 or -1.23456789e-38


@exact_internal
def is_space(c):
    """Whether a byte is white space, as for bytes.split."""
    return c == SPACE or (c >= TAB and c <= CARRIAGE_RETURN)


@exact_internal
def is_digit(c):
    return np.uint8(c - ZERO) < 10


@exact_internal
def first_digits(text, start, end):
    """The first 19 significant digits of a number as an integer m, and the exponent e of m * 10^e.

    text[start:end]  IN  digits, and a decimal point or not
    """
    mantissa, exponent, after_point = np.uint64(0), 0, False
    for i in range(start, end):
        if text[i] == POINT:
            after_point = True
            continue
        if mantissa < TEN_18:
            mantissa = mantissa * BASE + np.uint64(text[i] - ZERO)
            exponent -= 1 if after_point else 0
        else:
            exponent += 0 if after_point else 1
    return mantissa, exponent


@exact_internal
def power_of_ten(value, exponent):
    """value * 10^exponent, off by at most 2 units in the last place.  -MAX_POWER <= exponent <= MAX_POWER"""
    return value / POWERS[-exponent] if exponent < 0 else value * POWERS[exponent]


@exact_internal
def near_middle(bits):
    """Whether a float64, given as bits, is so close to the middle of two float32 that its error could matter."""
    return abs(np.int64(bits & ROUNDED_BITS) - MIDDLE) <= MARGIN


@exact_internal
def parse_number(text, i, end, value, value_bits):
    """Read the number that starts at text[i] and ends at white space or `end`.

    value, value_bits  OUT  float64 (1,), and the same memory as uint64
    Returns the index after the number, or -1 if it is not a number that can be read here.
    """
    negative = text[i] == MINUS
    if negative or text[i] == PLUS:
        i += 1
    mantissa, exponent, start = np.uint64(0), 0, i
    while i < end and is_digit(text[i]):
        mantissa = mantissa * BASE + np.uint64(text[i] - ZERO)
        i += 1
    num_digits = i - start
    if i < end and text[i] == POINT:
        i += 1
        first = i
        while i < end and is_digit(text[i]):
            mantissa = mantissa * BASE + np.uint64(text[i] - ZERO)
            i += 1
        exponent = first - i
        num_digits += i - first
    if num_digits == 0:
        return -1
    if num_digits > MAX_MANTISSA_DIGITS:  # the mantissa has overflowed, unless the number starts with zeros
        mantissa, exponent = first_digits(text, start, i)
    if i < end and (text[i] == LOWER_E or text[i] == UPPER_E):
        i += 1
        minus = i < end and text[i] == MINUS
        if i < end and (minus or text[i] == PLUS):
            i += 1
        first, written = i, 0
        while i < end and is_digit(text[i]):
            written = min(written * 10 + int(text[i] - ZERO), MAX_EXPONENT)
            i += 1
        if i == first:
            return -1
        exponent += -written if minus else written
    if i < end and not is_space(text[i]):
        return -1
    if mantissa == 0:
        value[0] = -0.0 if negative else 0.0
        return i
    if not -MAX_POWER <= exponent <= MAX_POWER:
        return -1
    value[0] = power_of_ten(np.float64(mantissa), exponent)
    if not MIN_NORMAL <= value[0] <= MAX_FINITE or near_middle(value_bits[0]):
        return -1
    if negative:
        value[0] = -value[0]
    return i


@exact_kernel
def parse_lines(text, has_words, words, rows, irregular, value, value_bits):
    """Read lines of a word and d numbers, or of d numbers alone, separated by white space. Blank lines are skipped.

    text              IN   uint8   (n,)    whole lines
    has_words         IN   bool            whether a line starts with a word
    words             OUT  uint8   (n + 1,)  the words, each followed by a newline
    rows              OUT  float32 (m, d)  m > n / (2 d), and so more than there can be valid lines
    irregular         OUT  int64   (k, 4)  lines that the caller must read: number of the line from 0, row, first byte,
                           and the byte after the last; their word is empty in `words`
    value, value_bits OUT  float64 (1,), and the same memory as uint64: scratch
    Returns the number of rows, of bytes of the words, and of irregular lines, or -1 if there are more than k of them.
    If there are m rows and more lines follow, one of the irregular lines is invalid.
    """
    n, dim = len(text), rows.shape[1]
    start, line, num_rows, num_letters, num_irregular = 0, 0, 0, 0, 0
    while start < n:
        i = start
        while i < n and is_space(text[i]) and text[i] != NEWLINE:
            i += 1
        if i == n or text[i] == NEWLINE:
            start = i + 1
            line += 1
            continue
        if num_rows == len(rows):
            break
        first_letter = num_letters
        if has_words:
            while i < n and not is_space(text[i]):
                words[num_letters] = text[i]
                num_letters += 1
                i += 1
        j = 0
        while True:
            while i < n and is_space(text[i]) and text[i] != NEWLINE:
                i += 1
            if i == n or text[i] == NEWLINE:
                break
            if j < dim:
                i = parse_number(text, i, n, value, value_bits)
            if i < 0 or j == dim:
                j = -1
                break
            rows[num_rows, j] = np.float32(value[0])
            j += 1
        if j != dim:
            i = start
            while i < n and text[i] != NEWLINE:
                i += 1
            if num_irregular == len(irregular):
                return 0, 0, -1
            found = irregular[num_irregular]
            found[0], found[1], found[2], found[3] = line, num_rows, start, i
            num_irregular += 1
            num_letters = first_letter
        words[num_letters] = NEWLINE
        num_letters += 1
        num_rows += 1
        start = i + 1
        line += 1
    return num_rows, num_letters, num_irregular


@exact_internal
def shortest_digits(x, value, value_bits):
    """The digits d of a positive number and the power of ten of the first one: x = d[0].d[1]d[2]... * 10^power.

    x  IN  float32, as float64
    Returns d as an integer without trailing zeros, the number of its digits, and the power.
    """
    value[0] = x
    power = ((np.int64(value_bits[0] >> MANTISSA_BITS & EXPONENT_MASK) - EXPONENT_BIAS) * 78913) >> 18  # log10(2)
    if x >= power_of_ten(1.0, power + 1):
        power += 1
    digits, num_digits = np.int64(0), MIN_DIGITS
    while True:
        exponent = num_digits - 1 - power
        digits = np.int64(power_of_ten(x, exponent) + 0.5)
        value[0] = power_of_ten(np.float64(digits), -exponent)
        same = np.float64(np.float32(value[0])) == x and not near_middle(value_bits[0])
        if same or num_digits == MAX_DIGITS:
            break
        num_digits += 1
    if digits == np.int64(POWERS[num_digits]):  # rounded up to a power of ten
        digits //= 10
        power += 1
    while digits % 10 == 0:
        digits //= 10
        num_digits -= 1
    return digits, num_digits, power


@exact_internal
def write_digits(digits, num_digits, point, out, n):
    """Write digits, with a decimal point after the first `point` of them; returns the next index of `out`."""
    end = n + num_digits + (1 if point < num_digits else 0)
    i = end
    for k in range(num_digits, 0, -1):
        i -= 1
        out[i] = ZERO + np.uint8(digits % 10)
        digits //= 10
        if k - 1 == point:
            i -= 1
            out[i] = POINT
    return end


@exact_internal
def write_number(x, negative, out, n, value, value_bits):
    """Write a number so that reading it gives the same float32; returns the next index of `out`."""
    if negative:
        out[n] = MINUS
        n += 1
    if x == 0:
        out[n] = ZERO
        return n + 1
    digits, num_digits, power = shortest_digits(np.float64(abs(x)), value, value_bits)
    if power < MIN_PLAIN or power >= MAX_PLAIN:
        n = write_digits(digits, num_digits, 1, out, n)
        out[n] = LOWER_E
        out[n + 1] = MINUS if power < 0 else PLUS
        out[n + 2], out[n + 3] = ZERO + np.uint8(abs(power) // 10), ZERO + np.uint8(abs(power) % 10)
        return n + 4
    if power < 0:
        out[n], out[n + 1] = ZERO, POINT
        n += 2
        for _ in range(-power - 1):
            out[n] = ZERO
            n += 1
        return write_digits(digits, num_digits, num_digits, out, n)
    n = write_digits(digits, num_digits, power + 1, out, n)
    for _ in range(power + 1 - num_digits):
        out[n] = ZERO
        n += 1
    return n


@exact_kernel
def format_lines(prefixes, bounds, rows, row_bits, separator, out, value, value_bits):
    """Write a line for each row: its prefix, then its numbers with a separator between them.

    prefixes, bounds  IN   uint8 (k,), int64 (n + 1,)  prefix i is prefixes[bounds[i] : bounds[i + 1]]
    rows, row_bits    IN   float32 (n, d), and the same memory as uint32
    separator         IN   uint8
    out               OUT  uint8   must hold the prefixes and, for each row, d * MAX_NUMBER_BYTES + 1 bytes
    value, value_bits OUT  float64 (1,), and the same memory as uint64: scratch
    Returns the number of bytes written.
    """
    n = 0
    for row in range(len(rows)):
        for i in range(bounds[row], bounds[row + 1]):
            out[n] = prefixes[i]
            n += 1
        for j in range(rows.shape[1]):
            if j > 0:
                out[n] = separator
                n += 1
            negative = row_bits[row, j] >> np.uint32(31) != 0
            n = write_number(rows[row, j], negative, out, n, value, value_bits)
        out[n] = NEWLINE
        n += 1
    return n
