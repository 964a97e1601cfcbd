"""Two models for the page: topics matched side by side, and what moved."""

from __future__ import annotations

from typing import Any

from partwise.report.payload import clipped, number
from partwise.report.subject import Subject
from partwise.text.comparison import Comparison, assigned

MOVED = 200


def check_pair(first: Subject, second: Subject) -> None:
    """Only models of a kind, and factorisations of the same rows, can be compared."""
    if (first.model is None) != (second.model is None):
        raise ValueError("A topic model and a bare factorisation cannot be compared; give two of a kind.")
    if first.model is None and len(first.fit.w) != len(second.fit.w):
        raise ValueError(
            f"The two factorisations have {len(first.fit.w):,} and {len(second.fit.w):,} rows; "
            "only those of the same rows can be compared."
        )


def comparison_payload(first: Subject, second: Subject, other: str) -> dict[str, Any]:
    """Pairs, what has no partner, and documents that changed their topic."""
    if first.model is None or second.model is None:
        return {"other": clipped(other)} | _bare(first, second)
    return {"other": clipped(other)} | _models(first.model.compare(second.model), second)


def _models(found: Comparison, second: Subject) -> dict[str, Any]:
    return {
        "matches": [
            {
                "topic": match.topic,
                "otherName": clipped(match.other_name, 120),
                "cosine": number(match.cosine, 4),
                "share": number(match.share, 4),
                "otherShare": number(match.other_share, 4),
                "gained": [clipped(term, 60) for term in match.gained],
                "lost": [clipped(term, 60) for term in match.lost],
            }
            for match in found.matches
        ],
        "onlyFirst": [clipped(name, 120) for _, name in found.only_first],
        "onlySecond": [clipped(name, 120) for _, name in found.only_second],
        "moved": [_moved(one, second) for one in found.moved[:MOVED]],
        "movedTotal": len(found.moved),
        "sharedDocuments": found.shared_documents,
        "sharedTerms": found.shared_terms,
        "terms": list(found.terms),
    }


def _moved(one: Any, second: Subject) -> dict[str, Any]:
    to = None if one.other is None else clipped(second.names[one.other], 120)
    return {"id": clipped(one.id), "title": clipped(one.title), "topic": one.topic, "to": to}


def _bare(first: Subject, second: Subject) -> dict[str, Any]:
    """Parts matched by cosine; columns have no names to follow."""
    pairs = assigned(first.fit.w, second.fit.w)
    ours, theirs = {a for a, _, _ in pairs}, {b for _, b, _ in pairs}
    return {
        "matches": [
            {
                "topic": a,
                "otherName": clipped(second.names[b], 120),
                "cosine": number(cosine, 4),
                "share": number(first.shares[a], 4),
                "otherShare": number(second.shares[b], 4),
                "gained": [],
                "lost": [],
            }
            for a, b, cosine in pairs
        ],
        "onlyFirst": [clipped(name, 120) for c, name in enumerate(first.names) if c not in ours],
        "onlySecond": [clipped(name, 120) for c, name in enumerate(second.names) if c not in theirs],
        "moved": [],
        "movedTotal": 0,
        "sharedDocuments": 0,
        "sharedTerms": len(first.fit.w),
        "terms": [len(first.fit.w), len(second.fit.w)],
    }
