"""The topic mixtures of documents: weights for topics of length 1, degrees that add to 1, and the strongest topic.

They do not change under W → WD, H → D⁻¹H; the topics of a model are put in the order of their mean degree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from partwise.result.factorization import Factorization
from partwise.types import Array


def unit_weights(w: Array, h: Array) -> Array:
    """The weights of the documents (rows of ``h``) for columns of W scaled to length 1: h_dc ‖w_c‖."""
    weights: Array = h.astype(np.float64, copy=False) * np.linalg.norm(w.astype(np.float64, copy=False), axis=0)
    return weights


def degrees(weights: Array) -> Array:
    """Each document's weights divided by their sum; zeros for a document without any weight."""
    total = weights.sum(axis=1, keepdims=True)
    shares: Array = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return shares


@dataclass(frozen=True, eq=False)
class Strongest:
    """For each document its strongest topic (−1: none), that topic's degree, and its lead over the second."""

    topic: Array
    degree: Array
    margin: Array

    @classmethod
    def of(cls, degrees: Array) -> Strongest:
        """From degrees, documents × topics; the first of two equal topics is the strongest."""
        topic = np.where(degrees.any(axis=1), degrees.argmax(axis=1), -1)
        ascending = np.sort(degrees, axis=1)
        second = ascending[:, -2] if degrees.shape[1] > 1 else np.zeros(len(degrees))
        return cls(topic, ascending[:, -1], ascending[:, -1] - second)

    def sizes(self, topics: int) -> tuple[int, ...]:
        """How many documents have each of ``topics`` topics as their strongest."""
        return tuple(map(int, np.bincount(self.topic[self.topic >= 0], minlength=topics)))


def order_by_share(fit: Factorization) -> Factorization:
    """The same factorisation with its topics in descending order of their mean degree, the certificate included."""
    share = degrees(unit_weights(fit.w, fit.h)).mean(axis=0)
    return reorder_topics(fit, np.argsort(-share, kind="stable"))


def reorder_topics(fit: Factorization, order: Array) -> Factorization:
    """The topics ``order[0], order[1], …`` as topics 0, 1, …"""
    position = {int(old): new for new, old in enumerate(order)}
    before = fit.certificate
    pairs = sorted(sorted((position[a], position[b])) for a, b in before.duplicate_topics)
    certificate = replace(
        before,
        angles=None if before.angles is None else tuple(before.angles[c] for c in order),
        dead_topics=tuple(sorted(position[c] for c in before.dead_topics)),
        duplicate_topics=tuple((a, b) for a, b in pairs),
    )
    w, h = (np.ascontiguousarray(factor[:, order]) for factor in (fit.w, fit.h))
    return replace(fit, w=w, h=h, certificate=certificate)
