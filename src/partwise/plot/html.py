"""HTML for notebooks: a heading and a table; every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def rows_html(heading: str, rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    """A table; the first cell of each row is its heading."""
    top = "".join(f'<th style="text-align:left">{escape(cell)}</th>' for cell in head)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    return (
        f'<div class="partwise"><p><strong>{escape(heading)}</strong></p>'
        f"<table>{f'<thead><tr>{top}</tr></thead>' if top else ''}<tbody>{body}</tbody></table></div>"
    )


def _cells(row: Sequence[str]) -> str:
    first, *rest = (escape(str(cell)) for cell in row)
    others = "".join(f'<td style="text-align:left">{cell}</td>' for cell in rest)
    return f'<th style="text-align:left">{first}</th>{others}'
