"""Words of UTF-8 texts as numbers: scanning into a hash table, merging tables, counting words document by document.

A table is three arrays: ``slots``, a power of two of pairs (key, 1 + number of the word, 0 where free) with open
addressing; ``starts`` by the number of a word; and ``pool``, the bytes of all words: word i is
``pool[starts[i]:starts[i + 1]]``. ``size`` holds the number of words. The key of a word of up to eight bytes is these
bytes, so that equal keys are equal words; of a longer one it is a hash below a byte 0xFF, which no text in UTF-8 has.
:mod:`partwise.text.characters` has the kinds of characters, :func:`partwise.text.tokenizer.default_pattern` the same
rules as a regular expression.
"""

import numpy as np

from partwise.kernels.character_kinds import (
    APOSTROPHE,
    DIGIT,
    HAN,
    HYPHEN,
    JOINER,
    KATAKANA,
    LETTER,
    MARK,
    PLUS,
    SEPARATOR,
    SHARP,
)
from partwise.kernels.jit import jit

SEED, PRIME, SPREAD = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3), np.uint64(0x9E3779B97F4A7C15)
BYTE, HALF, LONG = np.uint64(8), np.uint64(32), np.uint64(0xFF << 56)
S, SPACE = np.uint8(ord("s")), np.uint8(ord(" "))


@jit
def scan(text, ends, first, kinds, numbers, slots, starts, pool, size, ids, id_ends):
    """The numbers of the words of texts, from the text ``first`` on; text i ends at ``ends[i]``, where the next begins.

    The numbers of text i go to ``ids[id_ends[i]:id_ends[i + 1]]``. Returns the first text that was not scanned: less
    than all where the table became too full, which the caller enlarges before going on from there.
    """
    room = len(slots) // 4
    for document in range(first, len(ends)):
        lo = ends[document - 1] if document else 0
        count = _scan_text(
            text, lo, ends[document], kinds, numbers, slots, starts, pool, size, room, ids, id_ends[document]
        )
        if count < 0:
            return document
        id_ends[document + 1] = count
    return len(ends)


@jit
def _scan_text(text, lo, hi, kinds, numbers, slots, starts, pool, size, room, ids, count):
    """Scan one text; returns where its last number is, or −1 where the table is too full."""
    at = lo
    mask = len(slots) - 1
    while at < hi:
        byte = text[at]
        if byte < 0x80 and kinds[byte] == SEPARATOR:
            at += 1
            continue
        begin, key = at, np.uint64(0)
        while byte < 0x80 and kinds[byte] == LETTER:
            key = (key << BYTE) | np.uint64(byte)
            at += 1
            byte = text[at] if at < hi else SPACE
        if byte < 0x80 and kinds[byte] == SEPARATOR:  # a word of ASCII letters alone, as most are
            if at - begin >= 2:
                number = np.int64(-1)
                if at - begin <= 8:
                    slot = _first_slot(key, mask)
                    while slots[slot + 1]:
                        if slots[slot] == key:
                            number = np.int64(slots[slot + 1]) - 1
                            break
                        slot = (slot + 2) & mask
                if number < 0:
                    number = _number(text, begin, at, slots, starts, pool, size, room)
                    if number < 0:
                        return -1
                ids[count] = number
                count += 1
            continue
        at = begin
        kind, after = _kind(text, at, hi, kinds)
        if kind in (LETTER, DIGIT):
            end, shown = _word(text, at, hi, kinds, numbers)
            if shown > at:
                number = _number(text, at, shown, slots, starts, pool, size, room)
                if number < 0:
                    return -1
                ids[count] = number
                count += 1
            at = end
        elif kind >= HAN:
            single = True
            begin, at = at, _cluster_end(text, after, hi, kinds)
            first = begin
            while at < hi:
                other, after = _kind(text, at, hi, kinds)
                if other != kind:
                    break
                single = False
                end = _cluster_end(text, after, hi, kinds)
                if kind != KATAKANA:
                    number = _number(text, begin, end, slots, starts, pool, size, room)
                    if number < 0:
                        return -1
                    ids[count] = number
                    count += 1
                begin, at = at, end
            if (single and kind == HAN) or (not single and kind == KATAKANA):
                number = _number(text, first, at, slots, starts, pool, size, room)
                if number < 0:
                    return -1
                ids[count] = number
                count += 1
        else:
            at = after
    return count


@jit
def _kind(text, at, hi, kinds):
    """(kind of the character at a position, the position after it); SEPARATOR and ``hi`` at the end."""
    if at >= hi:
        return np.uint8(SEPARATOR), hi
    byte = text[at]
    if byte < 0x80:
        return kinds[byte], at + 1
    if byte < 0xE0:
        return kinds[((byte & 0x1F) << 6) | (text[at + 1] & 0x3F)], at + 2
    if byte < 0xF0:
        return kinds[((byte & 0x0F) << 12) | ((text[at + 1] & 0x3F) << 6) | (text[at + 2] & 0x3F)], at + 3
    point = ((byte & 0x07) << 18) | ((text[at + 1] & 0x3F) << 12) | ((text[at + 2] & 0x3F) << 6) | (text[at + 3] & 0x3F)
    return kinds[point], at + 4


@jit
def _word(text, at, hi, kinds, numbers):
    """(end of the word that starts here, end without a final 's); the latter is ``at`` where it is no term.

    A term has two characters or more and a letter, or is a number where numbers are wanted.
    """
    start, length, letter = at, 0, -1
    kind, after = _kind(text, at, hi, kinds)
    mark = -1
    while True:
        if kind == LETTER:
            if letter < 0:
                letter = at
        elif kind in (DIGIT, MARK):
            pass
        elif kind == JOINER:
            following, _ = _kind(text, after, hi, kinds)
            if following != LETTER and following != MARK:
                break
        elif kind == APOSTROPHE:
            following, _ = _kind(text, after, hi, kinds)
            if following != LETTER:
                break
            mark = at
        elif kind == HYPHEN and letter >= 0:
            following, _ = _kind(text, after, hi, kinds)
            if following != DIGIT:
                break
        else:
            break
        at, length = after, length + 1
        kind, after = _kind(text, at, hi, kinds)
    end = shown = at
    if letter >= 0 and kind == PLUS:
        second, beyond = _kind(text, after, hi, kinds)
        third, _ = _kind(text, beyond, hi, kinds)
        if second == PLUS and (third in (SEPARATOR, MARK, SHARP) or JOINER <= third <= HYPHEN):
            return beyond, beyond
    elif letter >= 0 and length == 1 and kind == SHARP:
        second, _ = _kind(text, after, hi, kinds)
        if second in (SEPARATOR, MARK) or JOINER <= second <= PLUS:
            return after, after
    if mark >= 0 and mark + 2 == end and text[mark + 1] == S:
        shown, length = mark, length - 2
    if length < 2 or (not numbers and not 0 <= letter < shown):
        shown = start
    return end, shown


@jit
def _cluster_end(text, at, hi, kinds):
    """The position after the marks that follow a letter."""
    while at < hi:
        kind, after = _kind(text, at, hi, kinds)
        if kind != MARK:
            break
        at = after
    return at


@jit
def _first_slot(key, mask):
    """Where the search for a key begins, an even place; ``mask`` is the length of the slots less 1."""
    value = key * SPREAD
    value ^= value >> HALF
    return np.int64(value << np.uint64(1)) & mask


@jit
def _key(text, lo, hi):
    """The bytes of a short word, the hash of a long one."""
    key = np.uint64(0)
    if hi - lo <= 8:
        for at in range(lo, hi):
            key = (key << BYTE) | np.uint64(text[at])
        return key
    key = SEED
    for at in range(lo, hi):
        key = (key ^ np.uint64(text[at])) * PRIME
    return key | LONG


@jit
def _number(text, lo, hi, slots, starts, pool, size, room):
    """The number of the word text[lo:hi], a new one where it is not in the table; −1 where there is no room for it."""
    key, mask, length = _key(text, lo, hi), len(slots) - 1, hi - lo
    slot = _first_slot(key, mask)
    while slots[slot + 1]:
        if slots[slot] == key:
            number = np.int64(slots[slot + 1]) - 1
            if length <= 8:
                return number
            start = starts[number]
            offset = 0 if starts[number + 1] - start == length else length + 1
            while offset < length and pool[start + offset] == text[lo + offset]:
                offset += 1
            if offset == length:
                return number
        slot = (slot + 2) & mask
    number = size[0]
    start = starts[number]
    if number >= room or start + length > len(pool):
        return -1
    for offset in range(length):
        pool[start + offset] = text[lo + offset]
    starts[number + 1] = start + length
    slots[slot], slots[slot + 1] = key, np.uint64(number + 1)
    size[0] = number + 1
    return number


@jit
def rehash(old, slots):
    """Fill empty, larger slots from others."""
    mask = len(slots) - 1
    for at in range(0, len(old), 2):
        if old[at + 1]:
            slot = _first_slot(old[at], mask)
            while slots[slot + 1]:
                slot = (slot + 2) & mask
            slots[slot], slots[slot + 1] = old[at], old[at + 1]


@jit
def merge(words, word_starts, count, slots, starts, pool, size, numbers):
    """Look the words of one table up in another, adding those it has not; ``numbers`` gets their numbers there."""
    for word in range(count):
        lo, hi = word_starts[word], word_starts[word + 1]
        numbers[word] = _number(words, lo, hi, slots, starts, pool, size, len(slots) // 2)


@jit
def count_terms(ids, id_ends, term_of, seen, place, columns, counts, column_ends):
    """Terms and their counts in each document, in the order of first occurrence.

    ``term_of`` maps a number in ``ids`` to a term, −1 to none; ``seen`` (−1 everywhere) and ``place`` have an entry for
    each term.
    """
    filled = 0
    for document in range(len(id_ends) - 1):
        for at in range(id_ends[document], id_ends[document + 1]):
            term = term_of[ids[at]]
            if term < 0:
                continue
            if seen[term] != document:
                seen[term] = document
                place[term] = filled
                columns[filled] = term
                counts[filled] = 1
                filled += 1
            else:
                counts[place[term]] += 1
        column_ends[document + 1] = filled
