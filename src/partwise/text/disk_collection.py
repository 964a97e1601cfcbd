"""Texts stored as a matrix on disk with its vocabulary and document names, in two passes within a memory limit."""

from __future__ import annotations

import hashlib
import os
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
import scipy.sparse as sp

from partwise.data.disk import open_matrix
from partwise.data.manifest import MANIFEST, Stored
from partwise.data.write import PART_BYTES, full_disk_as_sentence, new_folder, write_matrix
from partwise.text.collection import Collection, CollectionBuilder, DocumentRecord, precision
from partwise.text.document import Document, as_documents
from partwise.text.json_arrays import array_to_json, json_to_array
from partwise.text.term_counts import TermCounts, check_two_passes, entry_count, vocabulary_from_counts
from partwise.text.vocabulary import CANDIDATES, Vocabulary
from partwise.text.weighting import Weighting
from partwise.text.word_stream import batches
from partwise.types import Array

LEAST_LIMIT = 2**24
KEY_BYTES = 350
"""About what a key takes in the counts of the first pass."""
CHUNK = 2000
"""Documents whose records are stored together."""
VOCABULARY_FILES, DOCUMENT_FILES = "vocabulary", "documents"


def store_texts(
    target: str | os.PathLike[str],
    documents: Iterable[str | Document],
    weighting: Weighting | None = None,
    *,
    memory_limit: int = 2**30,
    source: str = "",
) -> Stored:
    """Store the matrix of texts as a folder, as :func:`write_matrix` does, with vocabulary and names beside it.

    ``documents`` are iterated twice, so an iterator will not do; :class:`TextFiles` is for files. Beside the
    interpreter about ``memory_limit`` bytes are used; a vocabulary that takes more than half of them is refused, and
    ``Weighting(hashing=...)`` bounds it. ``source`` says what the texts are, so that an interrupted call is continued.
    """
    if isinstance(documents, Iterator):
        raise TypeError("The texts are read twice, so give a list or a partwise.text.TextFiles, no iterator.")
    if memory_limit < LEAST_LIMIT:
        raise ValueError(f"memory_limit must be at least {LEAST_LIMIT:,} bytes, not {memory_limit:,}.")
    path, chosen = new_folder(target), weighting or Weighting()
    with full_disk_as_sentence(path, ""), RecordFile(path.parent) as records:
        counts = _count_terms(as_documents(documents), chosen, records, memory_limit)
        records.refuse_same_ids()
        vocabulary = vocabulary_from_counts(chosen, counts)
        dtype = precision(entry_count(vocabulary, counts))
        del counts
        blocks = _blocks(as_documents(documents), vocabulary, dtype, len(records), memory_limit // 64)
        return write_matrix(
            path,
            blocks,
            part_bytes=min(PART_BYTES, memory_limit // 16),
            source=source and f"{source}, {asdict(chosen)}",
            beside=_extra_files(vocabulary, records),
        )


def _extra_files(vocabulary: Vocabulary, records: RecordFile) -> Iterator[tuple[str, Array]]:
    """(file name, array) of the vocabulary and of the records."""
    for name, values in vocabulary.as_arrays().items():
        yield f"{VOCABULARY_FILES}.{name}.npy", values
    for number, values in enumerate(records.chunks()):
        yield f"{DOCUMENT_FILES}.{number:06d}.npy", values


def _count_terms(
    documents: Iterable[Document], weighting: Weighting, records: RecordFile, memory_limit: int
) -> TermCounts:
    """Pass 1: the counts; the records go to their file."""
    check_two_passes(weighting)
    counts, analyzer = TermCounts(), weighting.analyzer()
    most = memory_limit // 2 // KEY_BYTES
    most_candidates = max(most // 4, 2 * CANDIDATES * (weighting.hashing or 0))
    for batch in batches(records.texts(documents), memory_limit // 64):
        counts.add(analyzer, batch)
        if len(counts.df) > most:
            raise ValueError(
                f"After {len(records):,} documents there are {most:,} terms, which take half of {memory_limit:,} "
                "bytes; raise the memory limit, or count in a table of hashes (hashing, e.g. 2**18)."
            )
        if len(counts.tokens.terms) > most_candidates:
            counts.prune(analyzer)
    return counts


def _blocks(
    documents: Iterable[Document], vocabulary: Vocabulary, dtype: np.dtype[Any], count: int, size: int
) -> Iterator[sp.csr_array]:
    """Pass 2: terms × documents, about ``size`` characters of text at a time."""
    total = 0
    for batch in batches((document.text for document in documents), size):
        total += len(batch)
        yield vocabulary.transform(batch).astype(dtype, copy=False)
    if total != count:
        raise ValueError(f"The texts changed while they were read: {count:,} documents at first, then {total:,}.")


class RecordFile:
    """The records of documents in a temporary file, written one by one and read in chunks: they would fill memory."""

    def __init__(self, folder: Path) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by __exit__
        self._sizes: list[int] = []
        self._buffer: list[DocumentRecord] = []
        self._id_hashes = array("q")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._id_hashes)

    def add(self, record: DocumentRecord) -> None:
        """Append the record of one document."""
        digest = hashlib.blake2b(record.id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        self._id_hashes.append(int.from_bytes(digest, "little", signed=True))
        self._buffer.append(record)
        if len(self._buffer) == CHUNK:
            self._flush()

    def texts(self, documents: Iterable[Document]) -> Iterator[str]:
        """The texts of documents, whose records are added on the way."""
        for document in documents:
            self.add(DocumentRecord.of(document))
            yield document.text

    def _flush(self) -> None:
        if self._buffer:
            self._sizes.append(self._file.write(json_to_array(self._buffer).tobytes()))
            self._buffer = []

    def refuse_same_ids(self) -> None:
        """Refuse two documents with the same id."""
        hashes = np.array(self._id_hashes)
        order = np.argsort(hashes, kind="stable")
        same = np.flatnonzero(np.diff(hashes[order]) == 0)
        if len(same):
            at = same[order[same + 1].argmin()]
            first, second = int(order[at]), int(order[at + 1])
            raise ValueError(
                f"Documents {first + 1} and {second + 1} have the same id {self._record(second).id!r}; "
                "choose another column for the ids, or none."
            )

    def _record(self, number: int) -> DocumentRecord:
        for index, chunk in enumerate(self.chunks()):
            if index == number // CHUNK:
                return DocumentRecord(*array_to_json(chunk)[number % CHUNK])
        raise IndexError(number)

    def chunks(self) -> Iterator[Array]:
        """All records as arrays of bytes, ``CHUNK`` documents each."""
        self._flush()
        self._file.seek(0)
        for size in self._sizes:
            yield np.frombuffer(self._file.read(size), np.uint8)


def holds_texts(path: str | os.PathLike[str]) -> bool:
    """Whether a folder is a stored matrix, and not a folder of texts, which may have a file of the manifest's name."""
    return all(Path(path, name).is_file() for name in (MANIFEST, "rows.norms2.npy"))


def open_collection(path: str | os.PathLike[str], *, client: Any = None) -> Collection:
    """The collection that :func:`store_texts` or ``partwise convert`` stored; its matrix stays on disk.

    With a ``distributed.Client`` the workers read it. ``TopicModel(...).fit_collection`` takes the result.
    """
    stored = Stored.at(path)
    terms = {name.split(".")[1]: name for name in stored.files if name.startswith(f"{VOCABULARY_FILES}.")}
    if not terms:
        raise ValueError(f"{path} holds a matrix without words; `partwise factorize` takes it.")
    try:
        vocabulary = Vocabulary.from_arrays({name: stored.read(file) for name, file in terms.items()})
        builder = CollectionBuilder()
        for name in sorted(name for name in stored.files if name.startswith(f"{DOCUMENT_FILES}.")):
            for fields in array_to_json(stored.read(name)):
                builder.add(DocumentRecord(*fields))
        data = open_matrix(path, client=client)
        return builder.collection(vocabulary, data, data.T.row_norms2 == 0)
    except (KeyError, IndexError, UnicodeError, TypeError):
        raise ValueError(f"The words in {path} do not fit together; convert the texts again.") from None
