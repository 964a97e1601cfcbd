"""Options that several verbs share, one by one and in groups that a ``grouped`` verb takes whole."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from partwise.text.stop_words import read_stop_words
from partwise.text.weighting import Weighting

reading, words, fitting = (partial(typer.Option, rich_help_panel=panel) for panel in ("Reading", "Words", "Fitting"))

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of tables.")]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file, as `topics -o` writes it.")]
Texts = Annotated[
    str,
    typer.Argument(
        metavar="PATH",
        help="A folder, a file (txt, csv, tsv, jsonl, parquet, or .gz), what convert made of them, or - for stdin.",
    ),
]

AlgorithmName = Annotated[str, fitting("--algorithm", help="A name in partwise.ALGORITHMS.")]
InitName = Annotated[str | None, fitting("--init", help="A name in partwise.INITS; else the algorithm's own.")]
Restarts = Annotated[int, fitting(help="How many seeds to try; the best is kept.")]
Seed = Annotated[int, fitting(help="The same seed gives the same result.")]
Threads = Annotated[int | None, fitting(help="How many threads; all cores unless given.")]
Checkpoint = Annotated[Path | None, fitting(help="Keep the run in this file; the same command goes on from it.")]


@dataclass(frozen=True)
class Reading:
    """How texts are read."""

    format: Annotated[
        str | None, reading(help="lines, csv, tsv, jsonl or parquet; by the file's name unless given.")
    ] = None
    column: Annotated[str | None, reading(help="The column with the text.")] = None
    id_column: Annotated[str | None, reading(help="The column with the ids.")] = None
    title_column: Annotated[str | None, reading(help="The column with the titles.")] = None
    label_column: Annotated[str | None, reading(help="The column with labels to compare clusters with.")] = None
    encoding: Annotated[str, reading(help="The encoding, or several to try, e.g. utf-8,latin-1.")] = "utf-8"


@dataclass(frozen=True)
class Words:
    """Which words count, and how much."""

    weight: Annotated[str, words(help="tfidf, counts or log-entropy.")] = "tfidf"
    stop_words: Annotated[str, words(help="english, none, or a file of words.")] = "english"
    ngrams: Annotated[str, words(help="Runs of words that are terms, e.g. 1-2.")] = "1"
    min_df: Annotated[str, words(help="In how many documents a term must be: a count, or a share as 0.01.")] = "2"
    max_df: Annotated[str, words(help="In how many documents a term may be: a count, or a share as 0.5.")] = "1.0"
    max_terms: Annotated[int | None, words(help="Keep only so many of the commonest terms.")] = None
    stem: Annotated[str | None, words(help="A Snowball language, e.g. english.")] = None
    hashing: Annotated[
        str | None,
        words(help="Count places in a table of so many hashes, e.g. 2**18, where the vocabulary is too large."),
    ] = None

    def weighting(self) -> Weighting:
        """The same, checked."""
        return Weighting(
            weight=self.weight,
            stop_words=_stop_words(self.stop_words),
            ngrams=_ngrams(self.ngrams),
            min_df=_count_or_share("--min-df", self.min_df),
            max_df=_count_or_share("--max-df", self.max_df),
            max_terms=self.max_terms,
            stem=self.stem,
            hashing=None if self.hashing is None else _table_size(self.hashing),
        )


@dataclass(frozen=True)
class Fitting:
    """How a run is made, whatever the algorithm."""

    restarts: Restarts = 1
    seed: Seed = 0
    threads: Threads = None
    checkpoint: Checkpoint = None
    every: Annotated[int | None, fitting(help="Iterations between two checkpoints.")] = None


def _table_size(given: str) -> int:
    base, _, power = given.replace("^", "**").partition("**")
    try:
        return int(int(base) ** min(max(int(power or 1), 0), 62))
    except ValueError:
        raise ValueError(f"--hashing must be a whole number such as 262144 or 2**18, not {given!r}.") from None


def _stop_words(given: str) -> Any:
    if given.lower() in ("english", "none"):
        return None if given.lower() == "none" else "english"
    return read_stop_words(given)


def _ngrams(given: str) -> tuple[int, int]:
    least, _, most = given.partition("-")
    try:
        return int(least), int(most or least)
    except ValueError:
        raise ValueError(f"--ngrams must be a number or a range such as 1-2, not {given!r}.") from None


def _count_or_share(name: str, given: str) -> int | float:
    try:
        return int(given)
    except ValueError:
        pass
    try:
        return float(given)
    except ValueError:
        raise ValueError(f"{name} must be a count such as 2 or a share such as 0.5, not {given!r}.") from None
