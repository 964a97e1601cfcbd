"""Documents in Parquet files read, counted and weighed by the workers of a cluster; the matrix stays there.

Pass 1 counts in how many documents each term is, part by part, and the counts are added up in a tree; the vocabulary is
made of them by the rules that hold in memory. Pass 2 weighs the documents of each part with it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.text.collection import Collection, Intake, Row, noted
from partwise.text.columns import Columns
from partwise.text.document import Document
from partwise.text.documents import missing, python_warning
from partwise.text.encodings import Decoder
from partwise.text.problems import Problems
from partwise.text.readers.parquet_files import SUFFIX, ParquetFiles, Piece, parquet_paths
from partwise.text.source import Source
from partwise.text.tally import Tally, tally_of, vocabulary_of
from partwise.text.weighting import Vocabulary, Weighting

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
    encoding: str = "utf-8",
    warn: Callable[[str], None] | None = None,
) -> Collection:
    """A Parquet file, or a folder of them, as a collection whose matrix lies on the workers of a cluster.

    ``client`` is a ``distributed.Client`` whose workers see the same files under the same names. The columns are as
    :func:`read_documents` takes them. ``TopicModel(...).fit_collection`` takes the result.
    """
    from partwise.data.dask import from_blocks, placed, summed

    chosen, counting = (
        weighting or Weighting(),
        Reading(Columns(column, id_column, title_column, label_column), encoding),
    )
    files = _looked_at(Path(path).absolute(), counting)
    edges = _edges(files, sum(client.nthreads().values()))
    parts = files.cut(edges)
    first = placed(client, counting.noted, parts, chosen)
    tally = summed(client, client.map(_tally, first, pure=False))
    intake = _taken_in(client.gather(client.map(_names, first, pure=False)), warn or python_warning)
    del first
    vocabulary = vocabulary_of(chosen, tally)
    [sent] = client.scatter([vocabulary], broadcast=True, hash=False)
    data = from_blocks(client, placed(client, counting.weighed, parts, sent), edges, len(vocabulary))
    return intake.collection(vocabulary, data, data.T.row_norms2 == 0)


@dataclass(frozen=True)
class Noted:
    """What pass 1 finds in a part."""

    tally: Tally
    rows: list[Row]
    problems: Problems


@dataclass(frozen=True)
class Reading:
    """How a part is read, on any machine."""

    columns: Columns
    encoding: str

    def source(self, path: Path | None = None) -> Source:
        """Files in this encoding."""
        problems = Problems()
        return Source(path, Decoder(self.encoding, problems), problems)

    def noted(self, part: tuple[Piece, ...], weighting: Weighting) -> Noted:
        """Pass 1."""
        source, rows = self.source(), []

        def texts() -> Iterator[str]:
            for document in self._documents(part, source):
                rows.append(noted(document))
                yield document.text

        return Noted(tally_of(weighting, texts()), rows, source.problems)

    def weighed(self, part: tuple[Piece, ...], vocabulary: Vocabulary) -> sp.csr_array:
        """Pass 2: terms × documents."""
        return vocabulary.transform(document.text for document in self._documents(part, self.source()))

    def _documents(self, part: tuple[Piece, ...], source: Source) -> Iterator[Document]:
        for piece in part:
            try:
                yield from piece.documents(source, self.columns)
            except FileNotFoundError:
                raise FileNotFoundError(
                    f"A worker does not find {piece.path}; the files must be on storage that all workers see."
                ) from None


def _tally(found: Noted) -> Tally:
    return found.tally


def _names(found: Noted) -> tuple[list[Row], Problems]:
    return found.rows, found.problems


def _looked_at(path: Path, reading: Reading) -> ParquetFiles:
    """The files, refused where they are none, empty or without the columns."""
    if not path.exists():
        raise FileNotFoundError(missing(path))
    if not path.is_dir() and path.suffix != SUFFIX:
        raise ValueError(f"{path} is not Parquet, which is what a cluster reads; leave the scheduler out.")
    if not any(True for _ in parquet_paths(path)):
        raise ValueError(f"There is no file in {path} that ends in {SUFFIX}.")
    files = ParquetFiles.at(reading.source(path), reading.columns)
    if not files.edges[-1]:
        raise ValueError(f"There is no document in {path}.")
    return files


def _edges(files: ParquetFiles, threads: int) -> list[int]:
    """Where the parts begin: at least one for every thread, none much larger than ``PART_BYTES``."""
    documents = files.edges[-1]
    parts = min(documents, max(threads, -(-files.nbytes // PART_BYTES)))
    return [int(edge) for edge in np.linspace(0, documents, parts + 1).round()]


def _taken_in(found: Iterable[tuple[list[Row], Problems]], warn: Callable[[str], None]) -> Intake:
    """The names of all documents, and what was amiss with some."""
    intake, problems = Intake(), Problems()
    for rows, met in found:
        problems.add(met)
        for row in rows:
            intake.add(row)
    for sentence in problems.sentences():
        warn(sentence)
    return intake
