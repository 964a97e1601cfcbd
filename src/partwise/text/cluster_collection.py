"""Documents in Parquet files, read, counted and weighted by the workers of a cluster; the matrix stays there.

Pass 1 counts in how many documents each term is, part by part, and the counts are added in a tree; they give the
vocabulary by the rules that hold in memory. Pass 2 weights the documents of each part with it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.text.collection import Collection, CollectionBuilder, DocumentRecord, precision
from partwise.text.document import Document
from partwise.text.read_documents import missing, python_warning
from partwise.text.readers.parquet import SUFFIX, FileRows, ParquetFiles, parquet_paths
from partwise.text.readers.source import ENCODING, ReadProblems, TextSource
from partwise.text.readers.table_columns import TableColumns
from partwise.text.term_counts import TermCounts, count_terms, entry_count, vocabulary_from_counts
from partwise.text.vocabulary import Vocabulary
from partwise.text.weighting import Weighting

PART_BYTES = 2**25
"""About what the texts of a part take."""


def collect_parquet(
    path: str | os.PathLike[str],
    weighting: Weighting | None = None,
    *,
    client: Any,
    column: str | None = None,
    id_column: str | None = None,
    title_column: str | None = None,
    label_column: str | None = None,
    encoding: str = ENCODING,
    warn: Callable[[str], None] | None = None,
) -> Collection:
    """A Parquet file, or a folder of them, as a collection whose matrix lies on the workers of a cluster.

    ``client`` is a ``distributed.Client`` whose workers see the same files under the same names. The columns are as
    :func:`read_documents` takes them. ``TopicModel(...).fit_collection`` takes the result.
    """
    from partwise.data.dask.parts import from_blocks, placed, summed

    chosen = weighting or Weighting()
    reader = PartReader(TableColumns(column, id_column, title_column, label_column), encoding)
    files = _checked_files(Path(path).absolute(), reader)
    edges = _edges(files, sum(client.nthreads().values()))
    parts = files.cut(edges)
    first_pass = placed(client, reader.count, parts, chosen)
    counts = summed(client, client.map(_term_counts, first_pass, pure=False))
    builder = _build(client.gather(client.map(_records, first_pass, pure=False)), warn or python_warning)
    del first_pass
    vocabulary = vocabulary_from_counts(chosen, counts)
    dtype = precision(entry_count(vocabulary, counts))
    [shared] = client.scatter([vocabulary], broadcast=True, hash=False)
    data = from_blocks(client, placed(client, reader.weight, parts, shared), edges, len(vocabulary), dtype)
    return builder.collection(vocabulary, data, data.T.row_norms2 == 0)


@dataclass(frozen=True)
class PartCounts:
    """The results of pass 1 for a part."""

    terms: TermCounts
    records: list[DocumentRecord]
    problems: ReadProblems


@dataclass(frozen=True)
class PartReader:
    """Reads the documents of a part, on any machine."""

    columns: TableColumns
    encoding: str

    def count(self, part: tuple[FileRows, ...], weighting: Weighting) -> PartCounts:
        """Pass 1."""
        source, records = TextSource.of(None, self.encoding), []

        def texts() -> Iterator[str]:
            for document in self._documents(part, source):
                records.append(DocumentRecord.of(document))
                yield document.text

        return PartCounts(count_terms(weighting, texts()), records, source.problems)

    def weight(self, part: tuple[FileRows, ...], vocabulary: Vocabulary) -> sp.csr_array:
        """Pass 2: terms × documents."""
        source = TextSource.of(None, self.encoding)
        return vocabulary.transform(document.text for document in self._documents(part, source))

    def _documents(self, part: tuple[FileRows, ...], source: TextSource) -> Iterator[Document]:
        for rows in part:
            try:
                yield from rows.documents(source, self.columns)
            except FileNotFoundError:
                raise FileNotFoundError(
                    f"A worker does not find {rows.path}; the files must be on storage that all workers see."
                ) from None


def _term_counts(part: PartCounts) -> TermCounts:
    return part.terms


def _records(part: PartCounts) -> tuple[list[DocumentRecord], ReadProblems]:
    return part.records, part.problems


def _checked_files(path: Path, reader: PartReader) -> ParquetFiles:
    """The files; refused where there are none, where they are empty or lack the columns."""
    if not path.exists():
        raise FileNotFoundError(missing(path))
    if not path.is_dir() and path.suffix != SUFFIX:
        raise ValueError(f"{path} is not Parquet, which is what a cluster reads; leave the scheduler out.")
    if not any(True for _ in parquet_paths(path)):
        raise ValueError(f"There is no file in {path} that ends in {SUFFIX}.")
    files = ParquetFiles.at(TextSource.of(path, reader.encoding), reader.columns)
    if not files.edges[-1]:
        raise ValueError(f"There is no document in {path}.")
    return files


def _edges(files: ParquetFiles, threads: int) -> list[int]:
    """Where the parts begin: at least one for every thread, none much larger than ``PART_BYTES``."""
    documents = files.edges[-1]
    parts = min(documents, max(threads, -(-files.nbytes // PART_BYTES)))
    return [int(edge) for edge in np.linspace(0, documents, parts + 1).round()]


def _build(
    parts: Iterable[tuple[list[DocumentRecord], ReadProblems]], warn: Callable[[str], None]
) -> CollectionBuilder:
    """The records of all parts in order; problems with single documents are passed to ``warn``."""
    builder, problems = CollectionBuilder(), ReadProblems()
    for records, part_problems in parts:
        problems.add(part_problems)
        for record in records:
            builder.add(record)
    for sentence in problems.sentences():
        warn(sentence)
    return builder
