"""Options that several verbs share, one by one and in groups; a ``grouped`` verb takes a group as one parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from partwise.algorithms.base import Algorithm
from partwise.algorithms.table import ALGORITHMS, sparse_parts
from partwise.data.unknown import observed
from partwise.io.read_matrix import read_matrix
from partwise.losses.table import algorithm_for, as_loss
from partwise.text.readers.source import ENCODING
from partwise.text.readers.table_columns import AUTO as AUTO_TITLE
from partwise.text.readers.table_columns import NONE as NO_TITLE
from partwise.text.readers.table_columns import TITLES
from partwise.text.stop_words import AUTO, ENGLISH, LANGUAGE, language_names, read_stop_words
from partwise.text.weighting import Weighting

Verb = Callable[..., None]

reading, words, fitting = (partial(typer.Option, rich_help_panel=panel) for panel in ("Reading", "Words", "Fitting"))

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of tables.")]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file, as `topics -o` writes it.")]
Texts = Annotated[
    str,
    typer.Argument(
        metavar="PATH",
        help="A folder, a file (txt, csv, tsv, json, jsonl, parquet, zip, or .gz), a pattern such as 'news/*.csv', "
        "what convert made of them, or - for stdin.",
    ),
]

AlgorithmName = Annotated[
    str | None, fitting("--algorithm", help="A name in partwise.ALGORITHMS; else the loss's own, als-hals for squared.")
]
LossName = Annotated[
    str | None, fitting("--loss", help="What is minimised, squared, poisson for counts, itakura-saito, beta=1.5, …")
]
InitName = Annotated[str | None, fitting("--init", help="A name in partwise.INITS; else the algorithm's own.")]
Plugins = Annotated[
    list[str] | None,
    fitting(
        "--plugin",
        metavar="MODULE",
        help="Import this module first, so that its algorithms, starts, rules and penalties can be named; repeatable.",
    ),
]
Restarts = Annotated[int, fitting(help="How many seeds to try; the best is kept.")]
Seed = Annotated[int, fitting(help="The same seed gives the same result.")]
Threads = Annotated[int | None, fitting(help="How many threads; all cores unless given.")]
Checkpoint = Annotated[Path | None, fitting(help="Keep the run in this file; the same command goes on from it.")]


@dataclass(frozen=True)
class ReadingOptions:
    """How texts are read."""

    format: Annotated[
        str | None, reading(help="lines, csv, tsv, json, jsonl or parquet; by the file's name unless given.")
    ] = None
    column: Annotated[str | None, reading(help="The column with the text.")] = None
    id_column: Annotated[str | None, reading(help="The column with the ids.")] = None
    title_column: Annotated[
        str | None,
        reading(help=f"The column with the titles; auto: without --id-column one called {', '.join(TITLES)}; none."),
    ] = AUTO_TITLE
    label_column: Annotated[str | None, reading(help="The column with labels to compare clusters with.")] = None
    encoding: Annotated[str, reading(help="The encoding, or several to try in turn.")] = ENCODING
    strip: Annotated[
        str | None, reading(help="Strip mail (headers, quoted lines, signatures), html (tags), or mail,html.")
    ] = None
    unique: Annotated[bool, reading("--unique", help="Leave out exact copies of earlier texts.")] = False

    def __post_init__(self) -> None:
        if self.title_column == NO_TITLE:
            object.__setattr__(self, "title_column", None)


@dataclass(frozen=True)
class WordOptions:
    """Which words count, and how much."""

    weight: Annotated[str, words(help="log-entropy, tfidf or counts.")] = "log-entropy"
    language: Annotated[
        str, words(help="The language of the texts, for stop words and --stem language; auto recognises it.")
    ] = ENGLISH
    stop_words: Annotated[
        str,
        words(help="language, none, a language, a file of words, or auto: also the words that stand in most topics."),
    ] = LANGUAGE
    pattern: Annotated[str | None, words(help="A regular expression of a word; else the words of every script.")] = None
    numbers: Annotated[bool, words("--numbers", help="Count numbers as words.")] = False
    ngrams: Annotated[str, words(help="Runs of words that are terms, e.g. 1-2.")] = "1"
    phrases: Annotated[bool, words("--phrases", help="Make terms of neighbours that belong together.")] = False
    phrase_npmi: Annotated[float, words(help="The least NPMI of a phrase, from -1 to 1.")] = 0.5
    phrase_count: Annotated[int, words(help="How often a phrase must occur.")] = 10
    min_df: Annotated[str, words(help="In how many documents a term must be: a count, or a share as 0.01.")] = "2"
    max_df: Annotated[str, words(help="In how many documents a term may be: a count, or a share as 0.5.")] = "1.0"
    max_terms: Annotated[int | None, words(help="Keep only so many of the commonest terms.")] = None
    stem: Annotated[str | None, words(help="A Snowball stemmer, e.g. english; language: that of --language.")] = None
    hashing: Annotated[
        str | None,
        words(help="Count places in a table of so many hashes, e.g. 2**18, where the vocabulary is too large."),
    ] = None

    def weighting(self) -> Weighting:
        """The weighting that the options describe; a wrong value is refused."""
        return Weighting(
            weight=self.weight,
            stop_words=_stop_words(self.stop_words),
            ngrams=_ngrams(self.ngrams),
            min_df=_count_or_share("--min-df", self.min_df),
            max_df=_count_or_share("--max-df", self.max_df),
            max_terms=self.max_terms,
            stem=self.stem,
            pattern=self.pattern,
            language=self.language,
            numbers=self.numbers,
            phrases=self.phrase_npmi if self.phrases else None,
            phrase_count=self.phrase_count,
            hashing=None if self.hashing is None else _table_size(self.hashing),
        )


@dataclass(frozen=True)
class FittingOptions:
    """How a run is made, whatever the algorithm."""

    restarts: Restarts = 1
    seed: Seed = 0
    threads: Threads = None
    checkpoint: Checkpoint = None
    every: Annotated[int | None, fitting(help="Iterations between two checkpoints.")] = None


@dataclass(frozen=True)
class PenaltyOptions:
    """Penalties on the factors."""

    l1_w: Annotated[float, fitting(help="Add this times the sum of W to the loss; it makes terms of parts zero.")] = 0.0
    l1_h: Annotated[float, fitting(help="Add this times the sum of H; --l1-w or --l1-h alone would be void.")] = 0.0

    sparse_w: Annotated[
        float | None, fitting(help="Hoyer sparsity of each part, e.g. .8: few terms a topic, few pixels a part.")
    ] = None
    sparse_h: Annotated[float | None, fitting(help="The same for each part's weights: few documents a topic.")] = None

    def algorithm(self, name: str | None, loss: str | None) -> str | Algorithm | None:
        """The algorithm of this name, or the loss's own, with these penalties; the name where there are none."""
        if self.sparse_w is not None or self.sparse_h is not None:
            if self.l1_w or self.l1_h:
                raise ValueError("--sparse-w and --sparse-h find their own L1; leave out --l1-w and --l1-h.")
            return sparse_parts(algorithm_for(name, loss), w=self.sparse_w, h=self.sparse_h)
        if not self.l1_w and not self.l1_h:
            return name
        chosen = algorithm_for(name, loss)
        if "l1_w" not in signature(ALGORITHMS[chosen.name]).parameters:
            raise ValueError(f"{chosen.name} takes no --l1-w and --l1-h; use hals, als-hals, anls or kl-sweeps.")
        return ALGORITHMS[chosen.name](l1_w=self.l1_w, l1_h=self.l1_h, **as_loss(chosen.loss).settings)


@dataclass(frozen=True)
class UnknownOptions:
    """Entries that are unknown, and weights of the others."""

    missing: Annotated[
        str | None,
        fitting(help="What is unknown: nan (NaN and empty cells), or zeros (what a sparse matrix does not store)."),
    ] = None
    weights: Annotated[
        str | None, fitting(metavar="FILE", help="A matrix of weights ≥ 0; what weighs 0 or is not stored is unknown.")
    ] = None
    unstored: Annotated[
        float | None, fitting(help="The weight of what --weights does not store, for implicit feedback.")
    ] = None

    def observed(self, matrix: Any) -> Any:
        """The matrix with these unknown entries and weights."""
        weights = None if self.weights is None else read_matrix(self.weights)
        return observed(matrix, missing=self.missing, weights=weights, unstored=self.unstored)


def grouped(*left_out: str) -> Callable[[Verb], Verb]:
    """Decorate a verb whose parameters include option groups: the command line sees the fields of each group.

    ``left_out`` names fields that the verb does not offer; they keep their defaults.
    """

    def decorate(verb: Verb) -> Verb:
        parameters = _parameters(verb)
        groups: dict[str, Any] = {p.name: p.annotation for p in parameters if is_dataclass(p.annotation)}
        flat = [option for p in parameters for option in (_parameters(groups[p.name]) if p.name in groups else [p])]
        offered = [option.replace(kind=Parameter.KEYWORD_ONLY) for option in flat if option.name not in left_out]

        @wraps(verb)
        def run(**values: Any) -> None:
            for name, group in groups.items():
                values[name] = group(**{f.name: values.pop(f.name) for f in fields(group) if f.name in values})
            verb(**values)

        run.__signature__ = Signature(offered)  # type: ignore[attr-defined]
        run.__annotations__ = {option.name: option.annotation for option in offered}
        return run

    return decorate


def _parameters(function: Callable[..., object]) -> list[Parameter]:
    return list(signature(function, eval_str=True).parameters.values())


def _table_size(text: str) -> int:
    base, _, power = text.replace("^", "**").partition("**")
    try:
        return int(int(base) ** min(max(int(power or 1), 0), 62))
    except ValueError:
        raise ValueError(f"--hashing must be a whole number such as 262144 or 2**18, not {text!r}.") from None


def _stop_words(text: str) -> str | tuple[str, ...] | None:
    name = text.lower()
    if name in (LANGUAGE, AUTO) or name in language_names():
        return name
    return None if name == "none" else read_stop_words(text)


def _ngrams(text: str) -> tuple[int, int]:
    least, _, most = text.partition("-")
    try:
        return int(least), int(most or least)
    except ValueError:
        raise ValueError(f"--ngrams must be a number or a range such as 1-2, not {text!r}.") from None


def _count_or_share(name: str, text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} must be a count such as 2 or a share such as 0.5, not {text!r}.") from None
