"""A document, and texts as documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """One text with its name; the title is shown beside the id, the label is what clusters are compared with."""

    id: str
    text: str
    title: str = ""
    label: str = ""

    def __post_init__(self) -> None:
        if type(self.id) is type(self.text) is type(self.title) is type(self.label) is str:
            return
        for name, value in (("id", self.id), ("text", self.text), ("title", self.title), ("label", self.label)):
            if not isinstance(value, str):
                raise TypeError(f"Document({name}=...) must be a text, not {type(value).__name__}.")


def as_documents(texts: Iterable[str | Document]) -> Iterator[Document]:
    """Documents as they are, texts with their position as the id."""
    if isinstance(texts, (str, bytes, Document)):
        raise TypeError("One text was given where several are expected; put it in a list.")
    if not isinstance(texts, Iterable):
        raise TypeError(f"The texts must be a list or an iterator of texts, not {type(texts).__name__}.")
    for number, text in enumerate(texts):
        if isinstance(text, Document):
            yield text
        elif isinstance(text, str):
            yield Document(str(number), text)
        else:
            raise TypeError(f"Text {number} is {type(text).__name__}; give strings or partwise.text.Document.")


def as_labels(labels: Sequence[object], count: int) -> tuple[str, ...]:
    """One label a document as a string, None as the empty one."""
    if not isinstance(labels, Iterable) or isinstance(labels, (str, bytes)):
        raise TypeError(f"The labels must be a list with one for each document, not {type(labels).__name__}.")
    strings = tuple("" if label is None else str(label) for label in labels)
    if len(strings) != count:
        raise ValueError(f"There are {len(strings):,} labels for {count:,} documents; give one for each.")
    return strings
