"""Reader of MovieLens 100K: ratings and titles, from the zip as it is distributed or from its files."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .archive_members import read_members
from .locate import find, first


@dataclass(frozen=True, eq=False)
class Ratings:
    """Who gave which item how many stars, in the order of the file; users and items count from 0."""

    users: NDArray[np.int64]
    items: NDArray[np.int64]
    stars: NDArray[np.float64]
    titles: tuple[str, ...]
    """The title of each item."""

    @property
    def shape(self) -> tuple[int, int]:
        """(items, users)."""
        return len(self.titles), int(self.users.max()) + 1

    def matrix(self, keep: NDArray[np.bool_] | None = None) -> sp.csr_array:
        """Items × users with the ratings, or those where ``keep`` is true, and zero for the rest."""
        chosen = np.ones(len(self.stars), bool) if keep is None else keep
        return sp.csr_array((self.stars[chosen], (self.items[chosen], self.users[chosen])), shape=self.shape)


def load_movielens(data: Path | None = None) -> Ratings:
    """MovieLens 100K: 100,000 ratings of 1,682 films by 943 people."""
    path = first("movielens-100k", ("ml-100k.zip", "ml-100k", "u.data"), data=data)
    if path.name == "u.data":
        ratings, items = path.read_bytes(), find("movielens-100k", "u.item", data=data)
        return read_movielens(ratings, items.read_bytes(), (str(path), str(items)))
    (ratings_name, ratings), (items_name, titles) = (_only(path, name) for name in ("u.data", "u.item"))
    return read_movielens(ratings, titles, (ratings_name, items_name))


def _only(path: Path, name: str) -> tuple[str, bytes]:
    return next(read_members(path, f"/{name}" if path.is_file() else name))


def read_movielens(ratings: bytes, items: bytes, names: tuple[str, str] = ("u.data", "u.item")) -> Ratings:
    """From the bytes of u.data (user, item, rating, time) and of u.item (number|title|…)."""
    titles = _titles(items.decode("latin-1"), names[1])
    lines = ratings.decode("latin-1").splitlines()
    rows = [_rating(line, f"{names[0]}, line {n}", len(titles)) for n, line in enumerate(lines, 1)]
    if not rows:
        raise ValueError(f"{names[0]}, line 1: the file holds no rating.")
    table = np.array(rows, np.int64)
    return Ratings(table[:, 0] - 1, table[:, 1] - 1, table[:, 2].astype(np.float64), titles)


def _rating(line: str, where: str, items: int) -> tuple[int, int, int]:
    cells = line.split("\t")
    if len(cells) != 4 or not all(cell.isdecimal() for cell in cells):
        raise ValueError(f"{where}: expected user, item, rating and time, four whole numbers with tabs between them.")
    user, item, stars = (int(cell) for cell in cells[:3])
    if user < 1 or not 1 <= item <= items or not 1 <= stars <= 5:
        raise ValueError(f"{where}: user {user}, item {item}, rating {stars} is out of range.")
    return user, item, stars


def _titles(text: str, name: str) -> tuple[str, ...]:
    titles = []
    for number, line in enumerate(text.splitlines(), 1):
        cells = line.split("|")
        if len(cells) < 2 or cells[0] != str(number):
            raise ValueError(f"{name}, line {number}: expected '{number}|title|…'.")
        titles.append(cells[1])
    return tuple(titles)
