"""``fit.plot``: figures of a factorisation by plotly, which is imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from partwise.linalg.measures import topic_cosines
from partwise.types import Array

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["Plots"]


@dataclass(frozen=True)
class Plots:
    """The figures of one factorisation: ``error``, ``angles``, ``topics``, ``sparsity``, ``parts``."""

    fit: Any = field(repr=False)
    names: Sequence[str] = ()
    shares: Callable[[], Array] | None = field(default=None, repr=False)

    def error(self) -> Figure:
        """The relative error by iteration, with the SVD's where that is known."""
        certificate = self.fit.certificate
        svd = None if not certificate.svd_ratio else certificate.relative_error / certificate.svd_ratio
        return _figures().error(self.fit.history, svd)

    def angles(self) -> Figure:
        """The largest angle by which a topic turned, by iteration."""
        return _figures().angles(self.fit.history)

    def topics(self) -> Figure:
        """A map of the topics: near where they share rows, large where they hold much of the data."""
        from partwise.plot.layout import part_shares

        shares = self.shares() if self.shares is not None else part_shares(self.fit.w, self.fit.h)
        return _figures().topic_map(topic_cosines(self.fit.w), shares, self._names())

    def sparsity(self) -> Figure:
        """W and H as heat maps, rows ordered by their strongest topic; blank is zero."""
        return _figures().sparsity(self.fit.w, self.fit.h, self._names())

    def parts(self, shape: tuple[int, int]) -> Figure:
        """The columns of W as images of ``shape`` (rows, columns)."""
        from partwise.plot.layout import check_picture

        return _figures().parts(self.fit.w, check_picture(shape, len(self.fit.w)))

    def _names(self) -> list[str]:
        return list(self.names) or [f"part {c}" for c in range(self.fit.rank)]


def _figures() -> Any:
    try:
        import plotly  # noqa: F401
    except ImportError:
        raise ImportError("Pictures need the package plotly: pip install 'partwise[report]'.") from None
    from partwise.plot import figures

    return figures
