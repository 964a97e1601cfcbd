"""``load``: whatever this package saved."""

from __future__ import annotations

import os
from typing import Any

from partwise.result import factorization
from partwise.storage import archive as files
from partwise.storage.targets import check_path


def load(path: str | os.PathLike[str]) -> Any:
    """Read what a ``save`` wrote, a factorisation or a model of texts, as its file says; nothing in the file is run."""
    check_path(path)
    if files.kind(path) in (None, factorization.KIND):
        return factorization.load(path)
    from partwise.text.model_files import LOADERS, load_model  # imported late: only models of texts need it

    return load_model(path) if files.kind(path) in LOADERS else factorization.load(path)
