"""Words of UTF-8 texts as numbers of :mod:`partwise.kernels.word_table`: folding, scanning, counting by documents.

:mod:`partwise.text.characters` has the kinds of characters, :func:`partwise.text.tokenizer.default_pattern` the same
rules as a regular expression.
"""

import numpy as np

from partwise.kernels.character_kinds import (
    APOSTROPHE,
    CLASS,
    DIGIT,
    DROPPED,
    HAN,
    HYPHEN,
    JOINER,
    KATAKANA,
    LETTER,
    MARK,
    PLUS,
    SEPARATOR,
    SHARP,
    UNCOVERED,
)
from partwise.kernels.jit import jit
from partwise.kernels.word_table import NOTHING, WHOLE, hashed_key, look_up, shifted_key, word_key

BATCH = 1024
"""Words that are cut out of a text before they are looked up: look-ups in a row wait for the memory together."""
S, SPACE = np.uint8(ord("s")), np.uint8(ord(" "))
A, Z, LOWER = np.uint8(ord("A")), np.uint8(ord("Z")), np.uint8(0x20)
POINT = (1 << CLASS) - 1


@jit
def fold(text, ends, table, covered):
    """Fold texts in place by a table as of :func:`partwise.text.characters.folding`; blanks fill what is left over.

    ``covered`` says of each text whether the table covers it; of one that is not covered nothing remains as it was.
    """
    for document in range(len(ends)):
        at = end = ends[document - 1] if document else 0
        hi, last = ends[document], 0
        covered[document] = True
        while at < hi:
            byte = text[at]
            if byte < 0x80:
                text[end] = byte | LOWER if A <= byte <= Z else byte
                at, end, last = at + 1, end + 1, 0
                continue
            point, after = _point(text, at)
            value = table[point] if point < len(table) else UNCOVERED
            if value == DROPPED:
                at, last = after, 0
                continue
            order = value >> CLASS
            if value == UNCOVERED or 0 < order < last:
                covered[document] = False
                break
            last = order
            end = _put(text, end, value & POINT) if value & POINT != point or end != at else after
            at = after
        while end < hi:
            text[end] = SPACE
            end += 1


@jit
def _put(text, at, point):
    """Write a character; the position after it."""
    if point < 0x80:
        text[at] = point
        return at + 1
    if point < 0x800:
        text[at], text[at + 1] = 0xC0 | point >> 6, 0x80 | point & 0x3F
        return at + 2
    if point < 0x10000:
        text[at], text[at + 1], text[at + 2] = 0xE0 | point >> 12, 0x80 | point >> 6 & 0x3F, 0x80 | point & 0x3F
        return at + 3
    text[at], text[at + 1] = 0xF0 | point >> 18, 0x80 | point >> 12 & 0x3F
    text[at + 2], text[at + 3] = 0x80 | point >> 6 & 0x3F, 0x80 | point & 0x3F
    return at + 4


@jit
def scan(text, ends, first, kinds, numbers, slots, starts, pool, size, ids, id_ends, words):
    """The numbers of the words of texts, from the text ``first`` on; text i ends at ``ends[i]``, where the next begins.

    The numbers of text i go to ``ids[id_ends[i]:id_ends[i + 1]]``; ``words`` is memory for some words, four columns.
    Returns the first text that was not scanned: less
    than all where the table became too full, which the caller enlarges before going on from there.
    """
    for document in range(first, len(ends)):
        at = ends[document - 1] if document else 0
        count = id_ends[document]
        while at < ends[document]:
            at, batch = _words(text, at, ends[document], kinds, numbers, words)
            if not look_up(text, words, batch, slots, starts, pool, size, ids, count):
                return document
            count += batch
        id_ends[document + 1] = count
    return len(ends)


@jit
def _words(text, at, hi, kinds, numbers, words):
    """Fill ``words`` with rows (start, end, two halves of the key); (where to go on, how many there are)."""
    count = 0
    while at < hi and count < len(words):
        byte = text[at]
        if byte < 0x80 and kinds[byte] == SEPARATOR:
            at += 1
            continue
        begin, upper, lower = at, NOTHING, NOTHING
        while byte < 0x80 and kinds[byte] == LETTER:
            upper, lower = shifted_key(upper, lower, byte)
            at += 1
            byte = text[at] if at < hi else SPACE
        length = at - begin
        kind, after = _kind(text, at, hi, kinds)
        while kind == LETTER or (kind == MARK and length):
            while at < after:
                upper, lower = shifted_key(upper, lower, text[at])
                at += 1
            length += 1
            kind, after = _kind(text, at, hi, kinds)
        if kind == SEPARATOR:  # a word of letters alone, as most are
            if length >= 2:
                if at - begin > WHOLE:
                    upper, lower = hashed_key(text, begin, at)
                count = _append(words, count, begin, at, upper, lower)
            at = after
        elif length or kind == DIGIT:
            at, shown = _word(text, begin, hi, kinds, numbers)
            if shown > begin:
                upper, lower = word_key(text, begin, shown)
                count = _append(words, count, begin, shown, upper, lower)
        elif kind == KATAKANA:
            at, other, after = _cluster(text, after, hi, kinds)
            single = other != KATAKANA
            while other == KATAKANA:
                at, other, after = _cluster(text, after, hi, kinds)
            if not single:
                upper, lower = word_key(text, begin, at)
                count = _append(words, count, begin, at, upper, lower)
        elif kind >= HAN:
            at, other, after = _cluster(text, after, hi, kinds)
            if kind == HAN and other != HAN:
                upper, lower = word_key(text, begin, at)
                count = _append(words, count, begin, at, upper, lower)
            while other == kind:
                if count == len(words):  # the pair that begins here is the next word
                    at = begin
                    break
                end, other, after = _cluster(text, after, hi, kinds)
                upper, lower = word_key(text, begin, end)
                count = _append(words, count, begin, end, upper, lower)
                begin, at = at, end
        else:
            at = after
    return at, count


@jit
def _append(words, count, lo, hi, upper, lower):
    """Write one more word."""
    words[count, 0], words[count, 1], words[count, 2], words[count, 3] = lo, hi, upper, lower
    return count + 1


@jit
def _kind(text, at, hi, kinds):
    """(kind of the character at a position, the position after it); SEPARATOR and ``hi`` at the end."""
    if at >= hi:
        return np.uint8(SEPARATOR), hi
    if text[at] < 0x80:
        return kinds[text[at]], at + 1
    point, after = _point(text, at)
    return kinds[point], after


@jit
def _point(text, at):
    """(the character at a position that is not ASCII, the position after it)"""
    byte = text[at]
    if byte < 0xE0:
        return ((byte & 0x1F) << 6) | (text[at + 1] & 0x3F), at + 2
    if byte < 0xF0:
        return ((byte & 0x0F) << 12) | ((text[at + 1] & 0x3F) << 6) | (text[at + 2] & 0x3F), at + 3
    point = ((byte & 0x07) << 18) | ((text[at + 1] & 0x3F) << 12) | ((text[at + 2] & 0x3F) << 6) | (text[at + 3] & 0x3F)
    return point, at + 4


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
def _cluster(text, at, hi, kinds):
    """(the position after the marks that follow a letter, kind of the character there, the position after it)"""
    kind, after = _kind(text, at, hi, kinds)
    while kind == MARK:
        at = after
        kind, after = _kind(text, at, hi, kinds)
    return at, kind, after


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
