"""An experiment: settings and data in; tables, claims with verdicts and a figure out."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from partwise.engine.stopping import Reason
from partwise.factorize import factorize
from partwise.result.factorization import Factorization

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cell = str | float | int | None
Record: TypeAlias = dict[str, Any]
"""Named numbers, words and lists of them, ready for JSON."""

Item = TypeVar("Item")


class Verdict(StrEnum):
    """Whether our numbers support a claim."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    NOT = "does not hold here"


def judge(checks: Iterable[bool]) -> Verdict:
    """The verdict by whether all, some or none of the checks hold."""
    outcomes = [bool(check) for check in checks]
    if not outcomes:
        raise ValueError("A verdict needs at least one check.")
    return Verdict.HOLDS if all(outcomes) else Verdict.IN_PART if any(outcomes) else Verdict.NOT


class Wording(StrEnum):
    """Whose words a claim is in."""

    QUOTED = "quoted"
    """The paper's own, word for word; an ellipsis stands for what is left out."""
    OURS = "in our words"
    CELL = "a cell of the table"
    BRUNET = "Brunet et al. 2004, in our words"


@dataclass(frozen=True)
class Claim:
    """What the paper says, our verdict, and the numbers it rests on."""

    says: str
    verdict: Verdict
    numbers: str
    """One sentence: what was measured."""
    section: str
    """Where the paper says it."""
    wording: Wording = Wording.QUOTED


@dataclass(frozen=True)
class Table:
    """A table that becomes a CSV file and a part of the page."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Result:
    """The result of an experiment; everything in it can be written as JSON."""

    tables: tuple[Table, ...]
    claims: tuple[Claim, ...]
    notes: tuple[str, ...]
    """Sentences that state the settings and what differs from the paper."""
    series: Record = field(default_factory=dict)
    """What the figure is drawn from and the verdicts follow from."""

    def as_dict(self) -> Record:
        """Plain numbers, words, lists and dicts."""
        return asdict(self)

    @classmethod
    def from_dict(cls, known: Record) -> Result:
        """The result that gave this dict."""
        tables = tuple(
            Table(t["name"], t["title"], tuple(t["columns"]), tuple(map(tuple, t["rows"]))) for t in known["tables"]
        )
        claims = tuple(
            Claim(**c | {"verdict": Verdict(c["verdict"]), "wording": Wording(c["wording"])}) for c in known["claims"]
        )
        return cls(tables, claims, tuple(known["notes"]), known["series"])


@dataclass(frozen=True)
class Context:
    """The folder of the data, a progress callback, and a folder for finished fits."""

    data: Path | None = None
    progress: Callable[[str, int, int], None] = lambda label, done, total: None
    """Called with (label, items done, items in all)."""
    fits_folder: Path | None = None
    """A folder for the fits of an unfinished experiment; None keeps none."""
    _numbers: Iterator[int] = field(default_factory=count, repr=False, compare=False)

    def fit(self, matrix: Any, rank: int, **settings: Any) -> Factorization:
        """``factorize``, or its stored result from an earlier, interrupted call: fits come in a fixed order.

        Nothing is written during a fit, so its seconds hold no I/O. An experiment looks at how a run ended, so there
        is no need to warn of it.
        """
        kept: Record = {}
        if self.fits_folder is not None:
            self.fits_folder.mkdir(parents=True, exist_ok=True)
            kept = {"checkpoint": self.fits_folder / f"{next(self._numbers):04d}", "every": sys.maxsize}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            fit = factorize(matrix, rank, **settings, **kept)
        if fit.reason is Reason.INTERRUPTED:
            raise KeyboardInterrupt
        return fit

    def track(self, label: str, items: Sequence[Item]) -> Iterator[Item]:
        """The items one by one, with a call of ``progress`` before each."""
        for done, item in enumerate(items):
            self.progress(label, done, len(items))
            yield item
        self.progress(label, len(items), len(items))


@dataclass(frozen=True)
class Experiment:
    """One of the paper's tables or figures; ``run(context, **settings)`` measures, ``draw(result)`` draws.

    Law: ``run(...).claims == verdicts(run(...).series)``, also when the series comes from a file.
    """

    title: str
    section: str
    """What of the paper it reproduces."""
    run: Callable[..., Result]
    verdicts: Callable[[Record], tuple[Claim, ...]]
    draw: Callable[[Result], Figure]
    needs: tuple[str, ...]
    """The data sets without which it cannot run."""

    @property
    def settings(self) -> Record:
        """The settings of ``run`` with their defaults."""
        parameters = list(inspect.signature(self.run).parameters.values())[1:]
        return {p.name: p.default for p in parameters}
