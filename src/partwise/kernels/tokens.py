"""Words of UTF-8 texts as numbers: scanning into a hash table, merging tables, counting words document by document.

A table is four arrays: ``slots`` (open addressing: 1 + number of a word, 0 where free; a power of two), ``hashes`` and
``starts`` by the number of a word (a word is ``pool[starts[i]:starts[i + 1]]``), and ``pool``, the bytes of all words.
``size`` holds the number of words. :mod:`partwise.text.characters` has the kinds of characters, and
:class:`partwise.text.tokenizer.Words` says the same rules as a regular expression.
"""

import numpy as np

from partwise.kernels.jit import jit

SEPARATOR, LETTER, MARK, DIGIT, JOINER, APOSTROPHE, HYPHEN, PLUS, SHARP, HAN, HIRAGANA, KATAKANA, CLUSTER = range(13)
SEED = np.uint64(0xCBF29CE484222325)
PRIME = np.uint64(0x100000001B3)
S, SPACE = np.uint8(ord("s")), np.uint8(ord(" "))


@jit
def scan(text, ends, first, kinds, numbers, slots, hashes, starts, pool, size, ids, id_ends):
    """The numbers of the words of texts, from the text ``first`` on; text i ends at ``ends[i]``, where the next begins.

    The numbers of text i go to ``ids[id_ends[i]:id_ends[i + 1]]``. Returns the first text that was not scanned: less
    than all where the table became too full, which the caller enlarges before going on from there.
    """
    room = len(slots) // 2
    for document in range(first, len(ends)):
        lo = ends[document - 1] if document else 0
        count = _scan_text(
            text, lo, ends[document], kinds, numbers, slots, hashes, starts, pool, size, room, ids, id_ends[document]
        )
        if count < 0:
            return document
        id_ends[document + 1] = count
    return len(ends)


@jit
def _scan_text(text, lo, hi, kinds, numbers, slots, hashes, starts, pool, size, room, ids, count):
    """Scan one text; returns where its last number is, or −1 where the table is too full."""
    at = lo
    mask = np.uint64(len(slots) - 1)
    while at < hi:
        byte = text[at]
        if byte < 0x80 and kinds[byte] == SEPARATOR:
            at += 1
            continue
        begin, value = at, SEED
        while byte < 0x80 and kinds[byte] == LETTER:
            value = (value ^ np.uint64(byte)) * PRIME
            at += 1
            byte = text[at] if at < hi else SPACE
        if byte < 0x80 and kinds[byte] == SEPARATOR:  # a word of ASCII letters alone, as most are
            length = at - begin
            if length >= 2:
                value ^= value >> np.uint64(32)
                slot = value & mask
                number = -1
                while slots[slot]:
                    other = slots[slot] - 1
                    if hashes[other] == value and starts[other + 1] - starts[other] == length:
                        start = starts[other]
                        offset = 0
                        while offset < length and pool[start + offset] == text[begin + offset]:
                            offset += 1
                        if offset == length:
                            number = other
                            break
                    slot = (slot + np.uint64(1)) & mask
                if number < 0:
                    number = _number(text, begin, at, slots, hashes, starts, pool, size, room)
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
                number = _number(text, at, shown, slots, hashes, starts, pool, size, room)
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
                    number = _number(text, begin, end, slots, hashes, starts, pool, size, room)
                    if number < 0:
                        return -1
                    ids[count] = number
                    count += 1
                begin, at = at, end
            if (single and kind == HAN) or (not single and kind == KATAKANA):
                number = _number(text, first, at, slots, hashes, starts, pool, size, room)
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
def _number(text, lo, hi, slots, hashes, starts, pool, size, room):
    """The number of the word text[lo:hi], a new one where it is not in the table; −1 where there is no room for it."""
    value = SEED
    for at in range(lo, hi):
        value = (value ^ np.uint64(text[at])) * PRIME
    value ^= value >> np.uint64(32)
    mask = len(slots) - 1
    slot = np.int64(value & np.uint64(mask))
    while slots[slot]:
        number = slots[slot] - 1
        if hashes[number] == value:
            start = starts[number]
            if starts[number + 1] - start == hi - lo:
                same = True
                for offset in range(hi - lo):
                    if pool[start + offset] != text[lo + offset]:
                        same = False
                        break
                if same:
                    return number
        slot = (slot + 1) & mask
    number = size[0]
    start = starts[number]
    if number >= room or start + hi - lo > len(pool):
        return -1
    for offset in range(hi - lo):
        pool[start + offset] = text[lo + offset]
    hashes[number] = value
    starts[number + 1] = start + hi - lo
    slots[slot] = number + 1
    size[0] = number + 1
    return number


@jit
def rehash(hashes, size, slots):
    """Fill empty, larger slots."""
    mask = len(slots) - 1
    for number in range(size[0]):
        slot = np.int64(hashes[number] & np.uint64(mask))
        while slots[slot]:
            slot = (slot + 1) & mask
        slots[slot] = number + 1


@jit
def merge(words, word_starts, count, slots, hashes, starts, pool, size, numbers):
    """Look the words of one table up in another, adding those it has not; ``numbers`` gets their numbers there."""
    for word in range(count):
        lo, hi = word_starts[word], word_starts[word + 1]
        numbers[word] = _number(words, lo, hi, slots, hashes, starts, pool, size, len(slots))


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
