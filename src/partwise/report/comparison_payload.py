"""The comparison of two models on a page: matched topics side by side, and the documents that moved."""

from __future__ import annotations

from partwise.report.encoding import Payload, clipped, significant
from partwise.report.labelled_fit import LabelledFit
from partwise.text.comparison import Comparison, Moved, assigned

MOVED = 200


def check_pair(first: LabelledFit, second: LabelledFit) -> None:
    """Refuse a model beside a bare factorisation, and factorisations of different rows."""
    if (first.model is None) != (second.model is None):
        raise ValueError("A topic model and a bare factorisation cannot be compared; give two of a kind.")
    if first.model is None and len(first.fit.w) != len(second.fit.w):
        raise ValueError(
            f"The two factorisations have {len(first.fit.w):,} and {len(second.fit.w):,} rows; "
            "only those of the same rows can be compared."
        )


def comparison_payload(first: LabelledFit, second: LabelledFit, other: str) -> Payload:
    """Matched topics, unmatched ones, and documents that changed their topic."""
    if first.model is None or second.model is None:
        return {"other": clipped(other)} | _bare(first, second)
    return {"other": clipped(other)} | _models(first.model.compare(second.model), second)


def _models(comparison: Comparison, second: LabelledFit) -> Payload:
    return {
        "matches": [
            {
                "topic": match.topic,
                "otherName": clipped(match.other_name, 120),
                "cosine": significant(match.cosine, 4),
                "share": significant(match.share, 4),
                "otherShare": significant(match.other_share, 4),
                "gained": [clipped(term, 60) for term in match.gained],
                "lost": [clipped(term, 60) for term in match.lost],
            }
            for match in comparison.matches
        ],
        "onlyFirst": [clipped(name, 120) for _, name in comparison.only_first],
        "onlySecond": [clipped(name, 120) for _, name in comparison.only_second],
        "moved": [_moved(one, second) for one in comparison.moved[:MOVED]],
        "movedTotal": len(comparison.moved),
        "sharedDocuments": comparison.shared_documents,
        "sharedTerms": comparison.shared_terms,
        "terms": list(comparison.terms),
    }


def _moved(one: Moved, second: LabelledFit) -> Payload:
    to = None if one.other is None else clipped(second.names[one.other], 120)
    return {"id": clipped(one.id), "title": clipped(one.title), "topic": one.topic, "to": to}


def _bare(first: LabelledFit, second: LabelledFit) -> Payload:
    """Parts matched by cosine; columns have no ids, so no moves are listed."""
    pairs = assigned(first.fit.w, second.fit.w)
    ours, theirs = {a for a, _, _ in pairs}, {b for _, b, _ in pairs}
    return {
        "matches": [
            {
                "topic": a,
                "otherName": clipped(second.names[b], 120),
                "cosine": significant(cosine, 4),
                "share": significant(first.shares[a], 4),
                "otherShare": significant(second.shares[b], 4),
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
