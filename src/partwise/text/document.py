"""A document as every room sees it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """One text with its name; the title is shown beside the id, the label is what clusters are compared with."""

    id: str
    text: str
    title: str = ""
    label: str = ""
