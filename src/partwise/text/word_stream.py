"""``WordStream``: the words of many texts as numbers, read on all cores where a compiled scanner covers their rule."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, count
from queue import SimpleQueue
from typing import Any

import numpy as np

from partwise import kernels
from partwise.text.analyzer import check_text
from partwise.text.tokenizer import WordRule
from partwise.threads.pool import thread_count
from partwise.types import Array

READY, UNREADY = 2_000_000, 12_000_000
"""From so many characters on the scanner is used, where it lies in the cache and where it must be compiled first."""
CHUNK = 2**20
"""About the characters that are scanned at a time."""
LEAST_SLOTS = 2**17
FEW, NO_TABLE = 0.1, np.empty(0, np.int32)
"""Up to this share of texts that are not ASCII is folded one by one, since the table takes a while to make."""


class Words(Sequence[str]):
    """Words by their numbers, pieces of one text that are cut out when they are asked for."""

    def __init__(self, text: str, starts: Array) -> None:
        self._text, self._starts = text, starts

    @classmethod
    def of(cls, words: Sequence[str]) -> Words:
        """The words of a list."""
        return cls("".join(words), np.cumsum([0, *map(len, words)]))

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, number: int) -> str:  # type: ignore[override]
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self._text[self._starts[number] : self._starts[number + 1]]

    def some(self, numbers: Array) -> list[str]:
        """The words of some numbers."""
        text, starts = self._text, self._starts
        return [text[lo:hi] for lo, hi in zip(starts[numbers].tolist(), starts[numbers + 1].tolist(), strict=True)]

    def all(self) -> list[str]:
        """All words."""
        return self.some(np.arange(len(self)))


@dataclass(frozen=True, eq=False)
class WordStream:
    """The words of texts in their order: text i is ``ids[edges[i]:edges[i + 1]]``, numbers of ``words``."""

    words: Words
    """Each word once, in no particular order, and perhaps stop words that are in no text."""
    ids: Array
    edges: Array
    stopped: Array
    """The numbers of the stop words."""

    @property
    def frequencies(self) -> Array:
        """How often each word occurs."""
        return np.bincount(self.ids, minlength=len(self.words))


def read_words(
    rule: WordRule, texts: Iterable[str], threads: int | None = None, stop: frozenset[str] = frozenset()
) -> WordStream:
    """The words of texts; the result is the same on any number of threads but for the numbers of the words."""
    texts = iter(texts)
    if rule.kinds is None:
        return _read_by_rule(rule, texts, stop)
    least, length, head = READY if kernels.jit.is_ready(kernels.tokens.scan) else UNREADY, 0, []
    for text in texts:
        check_text(text)
        head.append(text)
        length += len(text)
        if length >= least:
            return _read_compiled(rule, chain(head, texts), thread_count(threads), stop)
    return _read_by_rule(rule, head, stop)


def _read_by_rule(rule: WordRule, texts: Iterable[str], stop: frozenset[str] = frozenset()) -> WordStream:
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    chunks, edges = [np.empty(0, np.int32)], [0]
    for text in texts:
        check_text(text)
        words = rule.words(text)
        chunks.append(np.array([numbers[word] for word in words], np.int32))
        edges.append(edges[-1] + len(words))
    stopped = np.array([number for word, number in numbers.items() if word in stop], np.int64)
    return WordStream(Words.of(list(numbers)), np.concatenate(chunks), np.array(edges), stopped)


def _read_compiled(
    rule: WordRule, texts: Iterable[str], threads: int, stop: frozenset[str] = frozenset()
) -> WordStream:
    """Chunks of texts on threads, a table of words for each, merged at the end; stop words have the first numbers.

    The caller's thread, which reads the texts, scans where the others have enough to do: more threads than cores would
    take turns with it, and nothing is scanned that has not been read.
    """
    assert rule.kinds is not None
    kinds, tables = rule.kinds(), [_Table() for _ in range(threads)]
    stop_words = sorted(filter(None, stop))
    waiting: SimpleQueue[tuple[int, list[str]] | None] = SimpleQueue()
    results: dict[int, tuple[int, Array, Array]] = {}

    def scan(number: int) -> bool:
        """Scan the next chunk into a table; False after the last one."""
        if (piece := waiting.get()) is None:
            return False
        index, chunk = piece
        results[index] = number, *tables[number].scan(rule, kinds, chunk)
        return True

    def begin(number: int) -> None:
        if number == 0:
            tables[0].add(stop_words)

    def help_out(number: int) -> None:
        begin(number)
        while scan(number):
            pass

    own = threads - 1
    with ThreadPoolExecutor(threads, "partwise-words") as pool:
        helpers = [pool.submit(help_out, number) for number in range(own)]
        try:
            begin(own)
            for piece in enumerate(batches(texts, CHUNK)):
                waiting.put(piece)
                if waiting.qsize() > 2 * threads:
                    scan(own)
        finally:
            for _ in range(threads):
                waiting.put(None)
        while scan(own):
            pass
        for helper in helpers:
            helper.result()
    numbers = [table.merged_into(tables[0]) for table in tables]
    scanned = [results[index] for index in range(len(results))]
    counts = [ends[1:] - ends[:-1] for _, _, ends in scanned]
    ids = np.concatenate([numbers[table][ids] if table else ids for table, ids, _ in scanned])
    edges = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    return WordStream(tables[0].words(), ids, edges, np.arange(len(stop_words)))


def batches(texts: Iterable[str], characters: int) -> Iterator[list[str]]:
    """Texts of about so many characters at a time; a text, as an object, counts as fifty more."""
    batch, length = [], 0
    for text in texts:
        if not isinstance(text, str):
            check_text(text)
        batch.append(text)
        length += len(text) + 50
        if length >= characters:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


def _folded(rule: WordRule, texts: list[str]) -> tuple[Array, Array]:
    """(texts as the scanner reads them, in UTF-8, their ends)"""
    if rule.folding is None:
        return _joined([_utf8(rule.fold(text)) for text in texts])
    text, ends = _joined([_utf8(text) for text in texts])
    covered, ascii = np.empty(len(texts), np.bool_), sum(map(str.isascii, texts))
    kernels.tokens.fold(text, ends, rule.folding() if len(texts) - ascii > FEW * len(texts) else NO_TABLE, covered)
    if covered.all():
        return text, ends
    spans = zip(texts, [0, *ends.tolist()], ends.tolist(), covered.tolist(), strict=False)
    return _joined([text[lo:hi] if whole else _utf8(rule.fold(one)) for one, lo, hi, whole in spans])


def _joined(pieces: list[Any]) -> tuple[Array, Array]:
    """(pieces of bytes one after the other, their ends)"""
    ends = np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces)))
    return np.frombuffer(bytearray().join(pieces), np.uint8), ends


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class _Table:
    """A growing table of words for the compiled scanner."""

    def __init__(self) -> None:
        self._slots = np.zeros((LEAST_SLOTS, 3), np.uint64)
        self._starts = np.zeros(LEAST_SLOTS + 1, np.int64)
        self._pool = np.empty(8 * LEAST_SLOTS, np.uint8)
        self._size = np.zeros(1, np.int64)
        self._batch = np.empty((kernels.tokens.BATCH, 4), np.uint64)

    def scan(self, rule: WordRule, kinds: Array, texts: list[str]) -> tuple[Array, Array]:
        """(ids of all words, their ends by text, the first being 0)"""
        text, ends = _folded(rule, texts)
        ids, id_ends = np.empty(len(text) // 2 + len(texts), np.int32), np.zeros(len(texts) + 1, np.int64)
        done = 0
        while (done := self._scan(text, ends, done, kinds, rule.numbers, ids, id_ends)) < len(texts):
            self._grow()
        return ids[: id_ends[-1]].copy(), id_ends

    def _scan(self, text: Array, ends: Array, first: int, kinds: Array, numbers: bool, ids: Array, out: Array) -> int:
        return int(kernels.tokens.scan(text, ends, first, kinds, numbers, *self._arrays(), ids, out, self._batch))

    def _arrays(self) -> tuple[Array, ...]:
        return self._slots, self._starts, self._pool, self._size

    def _grow(self) -> None:
        """Make room for twice as many words."""
        slots, starts, pool = self._slots, self._starts, self._pool
        self._slots, self._starts = np.zeros((2 * len(slots), 3), np.uint64), np.zeros(2 * len(slots) + 1, np.int64)
        self._pool = np.empty(2 * len(pool), np.uint8)
        self._starts[: len(starts)], self._pool[: len(pool)] = starts, pool
        kernels.word_table.rehash(slots, self._slots)

    def add(self, words: Iterable[str]) -> None:
        """Number some words."""
        text, ends = _joined([_utf8(word) for word in words])
        self._look_up(text, np.concatenate([[0], ends]), len(ends))

    def merged_into(self, other: _Table) -> Array:
        """The numbers that these words have in another table, to which they are added."""
        count = int(self._size[0])
        return np.arange(count, dtype=np.int32) if self is other else other._look_up(self._pool, self._starts, count)

    def _look_up(self, words: Array, starts: Array, count: int) -> Array:
        """The numbers of the first words of a pool, which are added where they are new."""
        numbers, done = np.empty(count, np.int32), 0
        while (done := int(kernels.word_table.merge(words, starts, done, count, *self._arrays(), numbers))) < count:
            self._grow()
        return numbers

    def words(self) -> Words:
        """The words in the order of their numbers."""
        starts = self._starts[: int(self._size[0]) + 1]
        pool = self._pool[: int(starts[-1])]
        text = pool.tobytes().decode("utf-8", "surrogatepass")
        if len(text) < len(pool):  # the starts in characters, of which there is one for each byte that begins one
            lengths = np.add.reduceat((pool & 0xC0) != 0x80, starts[:-1], dtype=np.int64)
            starts = np.concatenate([[0], np.cumsum(lengths)])
        return Words(text, starts)
