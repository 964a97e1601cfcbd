"""Reader of the SMART test collections (MEDLARS, CISI): documents, queries and relevance judgements."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .locate import find

_MARKER = re.compile(r"\.([A-Z])(?:\s+(\S.*?))?\s*")


@dataclass(frozen=True, slots=True)
class SmartRecord:
    """One record of a SMART file, a document or a query; several authors are joined by '; '."""

    id: int
    title: str = ""
    author: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class JudgedCollection:
    """Documents, queries, and for each judged query the ids of its relevant documents."""

    documents: tuple[SmartRecord, ...]
    queries: tuple[SmartRecord, ...]
    judgements: dict[int, frozenset[int]]


def load_medlars(data: Path | None = None) -> JudgedCollection:
    """The MEDLARS collection: 1,033 medical abstracts and 30 queries, all judged."""
    return read_smart_collection(*(find("medlars", f"MED.{part}", data=data) for part in ("ALL", "QRY", "REL")))


def load_cisi(data: Path | None = None) -> JudgedCollection:
    """The CISI collection: 1,460 information-science abstracts and 112 queries, 76 of them judged."""
    return read_smart_collection(*(find("cisi", f"CISI.{part}", data=data) for part in ("ALL", "QRY", "REL")))


def read_smart_collection(documents: Path, queries: Path, judgements: Path) -> JudgedCollection:
    """A collection from its three files; a judgement of a record that is not in them is refused."""
    collection = JudgedCollection(
        tuple(read_smart_records(documents)), tuple(read_smart_records(queries)), read_judgements(judgements)
    )
    _check_known(judgements, "query", set(collection.judgements), collection.queries)
    judged = {id for ids in collection.judgements.values() for id in ids}
    _check_known(judgements, "document", judged, collection.documents)
    return collection


def read_smart_records(path: Path) -> Iterator[SmartRecord]:
    """The records of a SMART file one by one; a section that is not title, author or text is left out."""
    seen: set[int] = set()
    current: _Record | None = None
    with Path(path).open(encoding="latin-1") as lines:
        for number, line in enumerate(lines, 1):
            where = f"{path}, line {number}"
            marker = _MARKER.fullmatch(line)
            if marker and marker[1] == "I":
                if current is not None:
                    yield current.finished()
                current = _Record.begin(marker[2], where, seen)
            elif current is None:
                if line.strip():
                    raise ValueError(f"{where}: expected '.I <number>' before anything else.")
            elif marker and marker[2] is None:
                current.section(marker[1])
            else:
                current.add(line, where)
    if current is None:
        raise ValueError(f"{path}, line 1: the file holds no '.I <number>' record.")
    yield current.finished()


class _Record:
    """A record while its lines are being read."""

    def __init__(self, id: int, where: str) -> None:
        self.id = id
        self.where = where
        self.sections: dict[str, list[str]] = {}
        self.lines: list[str] | None = None

    @classmethod
    def begin(cls, id: str | None, where: str, seen: set[int]) -> "_Record":
        number = _positive(id or "", where, "record number after '.I'")
        if number in seen:
            raise ValueError(f"{where}: record {number} appears a second time.")
        seen.add(number)
        return cls(number, where)

    def section(self, letter: str) -> None:
        self.lines = self.sections.setdefault(letter, [])

    def add(self, line: str, where: str) -> None:
        if self.lines is not None:
            self.lines.append(line.rstrip())
        elif line.strip():
            raise ValueError(f"{where}: expected a marker such as '.W' after '.I {self.id}'.")

    def finished(self) -> SmartRecord:
        if not self.sections:
            raise ValueError(f"{self.where}: record {self.id} has no sections; the file may be cut off here.")
        title, author, text = (self.sections.get(letter, []) for letter in "TAW")
        return SmartRecord(
            id=self.id,
            title=" ".join(" ".join(title).split()),
            author="; ".join(name.strip() for name in author if name.strip()),
            text="\n".join(text).strip(),
        )


def read_judgements(path: Path) -> dict[int, frozenset[int]]:
    """The relevant documents of each query, from `query 0 document 1` or `query document 0 0.000000` rows."""
    relevant: dict[int, set[int]] = {}
    with Path(path).open(encoding="latin-1") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            query, document = _judgement(line.split(), f"{path}, line {number}")
            if document is not None:
                relevant.setdefault(query, set()).add(document)
    return {query: frozenset(documents) for query, documents in relevant.items()}


def _judgement(row: list[str], where: str) -> tuple[int, int | None]:
    """The query and the document of one row, no document when the row says it is not relevant."""
    if len(row) != 4 or "0" not in row[1:3]:
        raise ValueError(f"{where}: expected 'query 0 document 1' or 'query document 0 0.000000'.")
    query = _positive(row[0], where, "query number")
    if row[1] != "0":
        return query, _positive(row[1], where, "document number")
    document = _positive(row[2], where, "document number")
    return query, None if row[3] == "0" else document


def _positive(word: str, where: str, what: str) -> int:
    """The number written in `word`, refused unless it is a whole number above zero."""
    if not (word.isdecimal() and int(word) > 0):
        raise ValueError(f"{where}: expected a {what}, found {word!r}.")
    return int(word)


def _check_known(path: Path, what: str, ids: set[int], records: tuple[SmartRecord, ...]) -> None:
    """Refuse judgements of records that the collection does not hold."""
    if unknown := ids - {record.id for record in records}:
        raise ValueError(f"{path}: {what} {min(unknown)} is judged but is not in the collection.")
