"""Texts to a matrix on disk with its words and the names of its documents, in two passes within a limit of memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from partwise.data.disk import open_matrix
from partwise.data.manifest import MANIFEST, Stored
from partwise.data.write import PART_BYTES, new_folder, write_matrix
from partwise.text.base import as_documents
from partwise.text.collection import Collection, Intake, noted
from partwise.text.document import Document
from partwise.text.names_file import NamesFile
from partwise.text.packed import unpack
from partwise.text.tally import Tally, vocabulary_of
from partwise.text.weighting import Vocabulary, Weighting
from partwise.text.words import CANDIDATES
from partwise.types import Array

LEAST_LIMIT = 2**24
KEY_BYTES = 350
"""About what a key takes in the counts of the first pass."""
WORDS, NAMES = "vocabulary", "documents"


def store_texts(
    target: str | os.PathLike[str],
    documents: Iterable[str | Document],
    weighting: Weighting | None = None,
    *,
    memory_limit: int = 2**30,
    source: str = "",
) -> Stored:
    """Store the matrix of texts as a folder, as :func:`write_matrix` does, with all that a topic model needs beside it.

    ``documents`` are gone through twice, so an iterator will not do; :class:`TextFiles` is for files. Beside the
    interpreter about ``memory_limit`` bytes are used; a vocabulary that takes more than half of them is refused, and
    ``Weighting(hashing=...)`` bounds it. ``source`` says what the texts are, so that an interrupted call goes on.
    """
    if isinstance(documents, Iterator):
        raise TypeError("The texts are gone through twice, so give a list or a partwise.text.TextFiles, no iterator.")
    if memory_limit < LEAST_LIMIT:
        raise ValueError(f"memory_limit must be at least {LEAST_LIMIT:,} bytes, not {memory_limit:,}.")
    path, chosen = new_folder(target), weighting or Weighting()
    with NamesFile(path.parent) as names:
        tally = _counted(as_documents(documents), chosen, names, memory_limit)
        names.refuse_same_ids()
        vocabulary = vocabulary_of(chosen, tally)
        del tally
        blocks = _blocks(as_documents(documents), vocabulary, len(names), memory_limit // 64)
        mark = source and f"{source}, {chosen.as_dict()}"
        size = min(PART_BYTES, memory_limit // 16)
        return write_matrix(path, blocks, part_bytes=size, source=mark, beside=_beside(vocabulary, names))


def _beside(vocabulary: Vocabulary, names: NamesFile) -> Iterator[tuple[str, Array]]:
    """The words and the names, as arrays in files of their own."""
    for name, values in vocabulary.as_arrays().items():
        yield f"{WORDS}.{name}.npy", values
    for number, values in enumerate(names.chunks()):
        yield f"{NAMES}.{number:06d}.npy", values


def _counted(documents: Iterable[Document], weighting: Weighting, names: NamesFile, memory_limit: int) -> Tally:
    """Pass 1: the counts; the names go to their file."""
    tally = Tally()
    words = weighting.words(tally.seen)
    most = memory_limit // 2 // KEY_BYTES
    spare = max(most // 4, 2 * CANDIDATES * (weighting.hashing or 0))
    for document in documents:
        names.add(noted(document))
        tally.note(words(document.text))
        if len(tally.df) > most:
            raise ValueError(
                f"After {len(names):,} documents there are {most:,} terms, which take half of {memory_limit:,} bytes; "
                "raise the memory limit, or count in a table of hashes (hashing, e.g. 2**18)."
            )
        if len(tally.seen.terms) > spare:
            words.prune()
    return tally


def _blocks(documents: Iterable[Document], vocabulary: Vocabulary, count: int, size: int) -> Iterator[sp.csr_array]:
    """Pass 2: terms × documents, about ``size`` characters of text at a time."""
    texts: list[str] = []
    length = seen = 0
    for document in documents:
        texts.append(document.text)
        length, seen = length + len(document.text) + 50, seen + 1
        if length >= size:
            yield vocabulary.transform(texts)
            texts, length = [], 0
    if texts:
        yield vocabulary.transform(texts)
    if seen != count:
        raise ValueError(f"The texts changed while they were read: {count:,} documents at first, then {seen:,}.")


def holds_texts(path: str | os.PathLike[str]) -> bool:
    """Whether a folder is a stored matrix, and not a folder of texts, which may have a file of the manifest's name."""
    return all(Path(path, name).is_file() for name in (MANIFEST, "rows.norms2.npy"))


def open_collection(path: str | os.PathLike[str], *, client: Any = None) -> Collection:
    """The collection that :func:`store_texts` or ``partwise convert`` stored; its matrix stays on disk.

    With a ``distributed.Client`` the workers read it. ``TopicModel(...).fit_collection`` takes the result.
    """
    stored = Stored.at(path)
    words = {name.split(".")[1]: name for name in stored.files if name.startswith(f"{WORDS}.")}
    if not words:
        raise ValueError(f"{path} holds a matrix without words; `partwise factorize` takes it.")
    try:
        vocabulary = Vocabulary.from_arrays({name: stored.read(file) for name, file in words.items()})
        intake = _names(stored.read(name) for name in sorted(stored.files) if name.startswith(f"{NAMES}."))
        data = open_matrix(path, client=client)
        return intake.collection(vocabulary, data, data.T.row_norms2 == 0)
    except (KeyError, IndexError, UnicodeError):
        raise ValueError(f"The words in {path} do not fit together; convert the texts again.") from None


def _names(chunks: Iterable[Array]) -> Intake:
    intake = Intake()
    for chunk in chunks:
        for row in unpack(chunk):
            intake.add(tuple(row))
    return intake
