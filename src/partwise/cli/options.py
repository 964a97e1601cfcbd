"""Options that several verbs share, and what they become."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from partwise.text.stop_words import read_stop_words
from partwise.text.weighting import Weighting

READING, WORDS, FITTING = "Reading", "Words", "Fitting"

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of tables.")]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file, as `topics -o` writes it.")]
Texts = Annotated[
    str,
    typer.Argument(
        metavar="PATH",
        help="A folder, a file (txt, csv, tsv, jsonl, parquet, or .gz), what convert made of them, or - for stdin.",
    ),
]

Format = Annotated[
    str | None,
    typer.Option(help="lines, csv, tsv, jsonl or parquet; by the file's name unless given.", rich_help_panel=READING),
]
Column = Annotated[str | None, typer.Option(help="The column with the text.", rich_help_panel=READING)]
IdColumn = Annotated[str | None, typer.Option(help="The column with the ids.", rich_help_panel=READING)]
TitleColumn = Annotated[str | None, typer.Option(help="The column with the titles.", rich_help_panel=READING)]
LabelColumn = Annotated[
    str | None, typer.Option(help="The column with labels to compare clusters with.", rich_help_panel=READING)
]
Encoding = Annotated[
    str, typer.Option(help="The encoding, or several to try, e.g. utf-8,latin-1.", rich_help_panel=READING)
]

Weight = Annotated[str, typer.Option(help="tfidf, counts or log-entropy.", rich_help_panel=WORDS)]
StopWords = Annotated[str, typer.Option(help="english, none, or a file of words.", rich_help_panel=WORDS)]
Ngrams = Annotated[str, typer.Option(help="Runs of words that are terms, e.g. 1-2.", rich_help_panel=WORDS)]
MinDf = Annotated[
    str, typer.Option(help="In how many documents a term must be: a count, or a share as 0.01.", rich_help_panel=WORDS)
]
MaxDf = Annotated[
    str, typer.Option(help="In how many documents a term may be: a count, or a share as 0.5.", rich_help_panel=WORDS)
]
MaxTerms = Annotated[int | None, typer.Option(help="Keep only so many of the commonest terms.", rich_help_panel=WORDS)]
Hashing = Annotated[
    str | None,
    typer.Option(
        help="Count places in a table of so many hashes, e.g. 2**18, where the vocabulary is too large.",
        rich_help_panel=WORDS,
    ),
]
Stem = Annotated[str | None, typer.Option(help="A Snowball language, e.g. english.", rich_help_panel=WORDS)]

AlgorithmName = Annotated[
    str, typer.Option("--algorithm", help="A name in partwise.ALGORITHMS.", rich_help_panel=FITTING)
]
InitName = Annotated[
    str | None,
    typer.Option("--init", help="A name in partwise.INITS; else the algorithm's own.", rich_help_panel=FITTING),
]
Restarts = Annotated[int, typer.Option(help="How many seeds to try; the best is kept.", rich_help_panel=FITTING)]
Seed = Annotated[int, typer.Option(help="The same seed gives the same result.", rich_help_panel=FITTING)]
Threads = Annotated[int | None, typer.Option(help="How many threads; all cores unless given.", rich_help_panel=FITTING)]
Checkpoint = Annotated[
    Path | None,
    typer.Option(help="Keep the run in this file; the same command goes on from it.", rich_help_panel=FITTING),
]
Every = Annotated[int | None, typer.Option(help="Iterations between two checkpoints.", rich_help_panel=FITTING)]
Scheduler = Annotated[
    str | None,
    typer.Option(help="Work on the Dask cluster of this scheduler, e.g. tcp://host:8786.", rich_help_panel=FITTING),
]
MemoryLimit = Annotated[
    str | None, typer.Option(help="Refuse a run that would take more, e.g. 1GB.", rich_help_panel=FITTING)
]


def as_weighting(
    weight: str,
    stop_words: str,
    ngrams: str,
    min_df: str,
    max_df: str,
    max_terms: int | None,
    stem: str | None,
    hashing: str | None = None,
) -> Weighting:
    """The options about words, checked."""
    return Weighting(
        weight=weight,
        stop_words=_stop_words(stop_words),
        ngrams=_ngrams(ngrams),
        min_df=_count_or_share("--min-df", min_df),
        max_df=_count_or_share("--max-df", max_df),
        max_terms=max_terms,
        stem=stem,
        hashing=None if hashing is None else _table_size(hashing),
    )


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
