"""Documents of a folder or a file that can be gone through more than once."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from partwise.text.document import Document
from partwise.text.documents import missing, python_warning, read_documents


class TextFiles:
    """The documents that :func:`read_documents` gives, anew each time; what is amiss is told the first time only."""

    def __init__(
        self, path: str | os.PathLike[str], *, warn: Callable[[str], None] | None = None, **reading: Any
    ) -> None:
        if str(path) == "-":
            raise ValueError("What comes from stdin can be read once only; put it in a file first.")
        self.path, self._reading = Path(path), reading
        self._warn = warn or python_warning

    def __iter__(self) -> Iterator[Document]:
        warn, self._warn = self._warn, lambda sentence: None
        return read_documents(self.path, warn=warn, **self._reading)

    @property
    def mark(self) -> str:
        """What these texts are known by: names, sizes and times of the files, and how they are read."""
        if not self.path.exists():
            raise FileNotFoundError(missing(self.path))
        found = hashlib.blake2b(repr(sorted(self._reading.items())).encode(), digest_size=16)
        paths = sorted(self.path.rglob("*")) if self.path.is_dir() else [self.path]
        for path in paths:
            told = path.stat()
            found.update(f"{path}, {told.st_size}, {told.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
        return f"{self.path.name}, {len(paths)} files, {found.hexdigest()}"
