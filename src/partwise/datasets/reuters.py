"""Reader of Reuters-21578 (Distribution 1.0), straight from the archive or from a folder of .sgm files."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from .archive_members import read_texts
from .locate import find, roots

_ARCHIVE = "reuters21578.tar.gz"
TOP_TEN = ("earn", "acq", "money-fx", "grain", "crude", "trade", "interest", "wheat", "ship", "corn")

# A record ends at its closing tag; an end at the next record or at the end of the file is damage.
_RECORD = re.compile(r"<REUTERS\b([^>]*)>(.*?)(</REUTERS>|(?=<REUTERS\b)|\Z)", re.DOTALL)
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_ITEM = re.compile(r"<D>(.*?)</D>", re.DOTALL)
_ENTITY = re.compile(r"&(?:(lt|gt|amp)|#(\d{1,6}));")
_SIGNS = {"lt": "<", "gt": ">", "amp": "&"}
# One record says 605:12:19 for its time: the time is then left out, the day kept.
_DATE = re.compile(r"(\d{1,2})-([A-Z]{3})-(\d{4})(?:\s+(\d\d):(\d\d):(\d\d))?")
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")

Split = Literal["train", "test", "unused"]


@dataclass(frozen=True, slots=True)
class Article:
    """One newswire story; `unprocessed` is the text of the stories that were never divided into parts."""

    id: int
    old_id: int
    topics_attribute: str
    lewis_split: str
    cgi_split: str
    date: datetime | None
    topics: tuple[str, ...]
    places: tuple[str, ...]
    people: tuple[str, ...]
    orgs: tuple[str, ...]
    exchanges: tuple[str, ...]
    title: str
    dateline: str
    body: str
    unprocessed: str

    @property
    def split(self) -> Split:
        """The part of the ModApte split that the article belongs to."""
        if self.topics_attribute != "YES" or self.lewis_split not in ("TRAIN", "TEST"):
            return "unused"
        return "train" if self.lewis_split == "TRAIN" else "test"

    @property
    def text(self) -> str:
        """Title and body, or the unprocessed text where there is no body."""
        return "\n".join(part for part in (self.title, self.body or self.unprocessed) if part)


def load_reuters(path: Path | None = None, *, data: Path | None = None) -> tuple[Article, ...]:
    """All 21,578 articles in the order of their ids, from `path` or from the folders that `find` searches."""
    return tuple(sorted(read_reuters(path or _locate(data)), key=lambda article: article.id))


def reuters10(articles: Iterable[Article], split: Literal["train", "test", "both"] = "train") -> tuple[Article, ...]:
    """The articles of the ModApte split in at least one of its ten most frequent categories."""
    if split not in ("train", "test", "both"):
        raise ValueError(f"split={split!r} is not known: choose 'train', 'test' or 'both'.")
    parts = ("train", "test") if split == "both" else (split,)
    top = frozenset(TOP_TEN)
    return tuple(article for article in articles if article.split in parts and top.intersection(article.topics))


def read_reuters(path: Path) -> Iterator[Article]:
    """The articles one by one, from a tar archive or a folder of .sgm files, in the order of the files."""
    for name, text in read_texts(Path(path), ".sgm"):
        yield from _articles(name, text)


def _locate(data: Path | None) -> Path:
    """The archive or the folder that it was unpacked into, from the first place that has either."""
    for root in roots(data):
        place = root / "reuters-21578"
        if (place / _ARCHIVE).exists():
            return place / _ARCHIVE
        if any(place.glob("*.sgm")):
            return place
    return find("reuters-21578", _ARCHIVE, data=data)


def _articles(name: str, text: str) -> Iterator[Article]:
    """The articles in the text of one .sgm file."""
    if not _RECORD.search(text):
        raise ValueError(f"{name}, line 1: the file holds no <REUTERS> record.")
    for record in _RECORD.finditer(text):
        try:
            if not record[3]:
                raise ValueError("the record is not closed by </REUTERS>")
            article = _article(dict(_ATTRIBUTE.findall(record[1])), record[2])
        except ValueError as error:
            line = text.count("\n", 0, record.start()) + 1
            raise ValueError(f"{name}, line {line}: {error}.") from None
        yield article


def _article(attributes: dict[str, str], record: str) -> Article:
    """The article written in one record."""
    unprocessed = _between(record, '<TEXT TYPE="UNPROC">', "</TEXT>")
    return Article(
        id=_number(attributes, "NEWID"),
        old_id=_number(attributes, "OLDID"),
        topics_attribute=attributes.get("TOPICS", ""),
        lewis_split=attributes.get("LEWISSPLIT", ""),
        cgi_split=attributes.get("CGISPLIT", ""),
        date=_date(_field(record, "DATE")),
        topics=_items(record, "TOPICS"),
        places=_items(record, "PLACES"),
        people=_items(record, "PEOPLE"),
        orgs=_items(record, "ORGS"),
        exchanges=_items(record, "EXCHANGES"),
        title=" ".join(_plain(_field(record, "TITLE")).split()),
        dateline=" ".join(_plain(_field(record, "DATELINE")).split()),
        body=_plain(_field(record, "BODY")),
        unprocessed=_plain(unprocessed),
    )


def _number(attributes: dict[str, str], name: str) -> int:
    """The value of a numeric attribute."""
    if not (value := attributes.get(name, "")).isdecimal():
        raise ValueError(f"the record has no number in {name}")
    return int(value)


def _field(record: str, tag: str) -> str:
    """The text between <tag> and </tag>, empty when the record has no such tag."""
    return _between(record, f"<{tag}>", f"</{tag}>")


def _between(record: str, opening: str, closing: str) -> str:
    """The text between two tags; an opening tag alone is an error."""
    start = record.find(opening)
    if start < 0:
        return ""
    end = record.find(closing, start)
    if end < 0:
        raise ValueError(f"{opening} is not closed by {closing}")
    return record[start + len(opening) : end]


def _items(record: str, tag: str) -> tuple[str, ...]:
    """The <D> items of a list such as TOPICS, each once though a few records repeat one."""
    return tuple(dict.fromkeys(_plain(item) for item in _ITEM.findall(_field(record, tag))))


def _date(field: str) -> datetime | None:
    """The time stamp of the wire, without a zone; None where no day can be read."""
    if (match := _DATE.search(field)) is None:
        return None
    day, year, hour, minute, second = (int(part or 0) for part in match.group(1, 3, 4, 5, 6))
    try:
        return datetime(year, _MONTHS.index(match[2]) + 1, day, hour, minute, second)
    except ValueError:
        return None


def _plain(text: str) -> str:
    """Text with its entities resolved, without control characters and without space around it."""
    return _ENTITY.sub(_resolve, text).strip()


def _resolve(entity: re.Match[str]) -> str:
    """The character of one entity, nothing for the control characters of the wire."""
    if entity[1]:
        return _SIGNS[entity[1]]
    character = chr(int(entity[2]))
    return character if character.isprintable() or character in "\t\n" else ""
