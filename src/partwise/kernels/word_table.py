"""A hash table of words, filled by :mod:`partwise.kernels.tokens`.

It is three arrays: ``slots``, a power of two of rows (upper half of a key, lower half, 1 + number of the word or 0
where free) with open addressing; ``starts`` by the number of a word; and ``pool``, the bytes of all words: word i is
``pool[starts[i]:starts[i + 1]]``. ``size`` holds the number of words. The key of a word of up to 16 bytes is these
bytes as a number, so that equal keys are equal words; of a longer one it is a hash below a byte 0xFF, which no text in
UTF-8 has, and the length.
"""

import numpy as np

from partwise.kernels.jit import jit

SEED, PRIME, SPREAD = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3), np.uint64(0x9E3779B97F4A7C15)
NOTHING, BYTE, HALF, TOP, LONG = np.uint64(0), np.uint64(8), np.uint64(32), np.uint64(56), np.uint64(0xFF << 56)
WHOLE = 16
"""The most bytes of a word that is its own key."""
FULL = 5
"""Eighths of the slots that are taken before the table must be enlarged."""


@jit
def shifted_key(upper, lower, byte):
    """The key of a word with one byte more."""
    return (upper << BYTE) | (lower >> TOP), (lower << BYTE) | np.uint64(byte)


@jit
def word_key(text, lo, hi):
    """The two halves of the key of a word."""
    if hi - lo > WHOLE:
        return hashed_key(text, lo, hi)
    upper = lower = NOTHING
    for at in range(lo, hi):
        upper, lower = shifted_key(upper, lower, text[at])
    return upper, lower


@jit
def hashed_key(text, lo, hi):
    """The key of a long word."""
    value = SEED
    for at in range(lo, hi):
        value = (value ^ np.uint64(text[at])) * PRIME
    return value | LONG, np.uint64(hi - lo)


@jit
def _first_slot(upper, lower, mask):
    """Where the search for a key begins; ``mask`` is the number of slots less 1."""
    value = (lower ^ upper * PRIME) * SPREAD
    return np.int64(value >> HALF) & mask


@jit
def look_up(text, words, count, slots, starts, pool, size, ids, place):
    """Write the numbers of words to ``ids`` from ``place`` on; whether there was room for the new ones."""
    mask, most = len(slots) - 1, len(slots) // 8 * FULL
    for word in range(count):
        upper, lower = words[word, 2], words[word, 3]
        number = np.int64(-1)
        if upper < LONG:
            slot = _first_slot(upper, lower, mask)
            while slots[slot, 2]:
                if slots[slot, 1] == lower and slots[slot, 0] == upper:
                    number = np.int64(slots[slot, 2]) - 1
                    break
                slot = (slot + 1) & mask
        if number < 0:
            lo, hi = np.int64(words[word, 0]), np.int64(words[word, 1])
            number = _number(text, lo, hi, upper, lower, slots, starts, pool, size, most)
            if number < 0:
                return False
        ids[place + word] = number
    return True


@jit
def _number(text, lo, hi, upper, lower, slots, starts, pool, size, most):
    """The number of the word text[lo:hi], a new one where it is not in the table; −1 where there is no room for it."""
    mask, length = len(slots) - 1, hi - lo
    slot = _first_slot(upper, lower, mask)
    while slots[slot, 2]:
        if slots[slot, 1] == lower and slots[slot, 0] == upper:
            number = np.int64(slots[slot, 2]) - 1
            if length <= WHOLE:
                return number
            start, offset = starts[number], 0
            while offset < length and pool[start + offset] == text[lo + offset]:
                offset += 1
            if offset == length:
                return number
        slot = (slot + 1) & mask
    number = size[0]
    start = starts[number]
    if number >= most or start + length > len(pool):
        return -1
    for offset in range(length):
        pool[start + offset] = text[lo + offset]
    starts[number + 1] = start + length
    slots[slot, 0], slots[slot, 1], slots[slot, 2] = upper, lower, np.uint64(number + 1)
    size[0] = number + 1
    return number


@jit
def rehash(old, slots):
    """Fill empty, larger slots from others."""
    mask = len(slots) - 1
    for at in range(len(old)):
        if old[at, 2]:
            slot = _first_slot(old[at, 0], old[at, 1], mask)
            while slots[slot, 2]:
                slot = (slot + 1) & mask
            for column in range(3):  # the copy of a row would load numba's array functions, a tenth of a second
                slots[slot, column] = old[at, column]


@jit
def merge(words, word_starts, first, count, slots, starts, pool, size, numbers):
    """Look the words of one table, from the word ``first`` on, up in another, adding those it has not.

    ``numbers`` gets their numbers there. Returns the first word that was not looked up: less than ``count`` where the
    table became too full, which the caller enlarges before going on from there.
    """
    most = len(slots) // 8 * FULL
    for word in range(first, count):
        lo, hi = word_starts[word], word_starts[word + 1]
        upper, lower = word_key(words, lo, hi)
        number = _number(words, lo, hi, upper, lower, slots, starts, pool, size, most)
        if number < 0:
            return word
        numbers[word] = number
    return count
