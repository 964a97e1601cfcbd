"""Table 3 of the paper: the ten topics of its best run and what it calls them."""

from __future__ import annotations

from collections.abc import Sequence

PAPERS_BEST: tuple[tuple[str, ...], ...] = (
    ("tonne", "wheat", "grain", "crop", "corn", "agricul."),
    ("billion", "year", "earn", "qrtr", "rise", "pct"),
    ("share", "offer", "company", "stock", "sharehol.", "common"),
    ("stg", "bank", "money", "bill", "market", "england"),
    ("mln-mln", "cts", "mln", "shr", "net", "avg"),
    ("gulf", "iran", "attack", "iranian", "ship", "tanker"),
    ("dollar", "rate", "curr.", "bank", "yen", "monetary"),
    ("oil", "opec", "barrel", "bpd", "crude", "price"),
    ("loss", "profit", "oper", "exclude", "net", "dlrs"),
    ("trade", "japan", "japanese", "tariff", "import", "reagan"),
)
LABELS = ("wheat", "earn", "acquisition", "none", "interest", "ship", "frgn-exch.", "oil", "none", "trade")


def likeness(terms: Sequence[str]) -> tuple[int, int]:
    """(the paper's topic that shares most terms, how many); its terms are stemmed or cut short, ours are not."""
    counts = [sum(any(_same(term, ours) for ours in terms) for term in topic) for topic in PAPERS_BEST]
    best = max(range(len(counts)), key=lambda place: counts[place])
    return best, counts[best]


def _same(theirs: str, ours: str) -> bool:
    stem = theirs.rstrip(".")
    return ours == stem or (ours.startswith(stem) and (theirs.endswith(".") or len(ours) <= len(stem) + 2))
