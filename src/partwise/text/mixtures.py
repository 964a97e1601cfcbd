"""How much of each topic a document holds, for topics of length 1: W → WD, H → D⁻¹H changes nothing here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partwise.types import Array


def unit_weights(w: Array, h: Array) -> Array:
    """The weights of the documents (rows of ``h``) for columns of W scaled to length 1: h_dc ‖w_c‖."""
    weights: Array = h.astype(np.float64, copy=False) * np.linalg.norm(w.astype(np.float64, copy=False), axis=0)
    return weights


def degrees(weights: Array) -> Array:
    """Each document's weights as parts of 1; a document without any weight keeps zeros."""
    total = weights.sum(axis=1, keepdims=True)
    parts: Array = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return parts


@dataclass(frozen=True, eq=False)
class Strongest:
    """For each document its strongest topic (−1: none), that topic's degree, and its lead over the second."""

    topic: Array
    degree: Array
    margin: Array

    @classmethod
    def of(cls, parts: Array) -> Strongest:
        """From degrees, documents × topics; the first of two equal topics is the strongest."""
        topic = np.where(parts.any(axis=1), parts.argmax(axis=1), -1)
        ordered = np.sort(parts, axis=1)
        second = ordered[:, -2] if parts.shape[1] > 1 else np.zeros(len(parts))
        return cls(topic, ordered[:, -1], ordered[:, -1] - second)
