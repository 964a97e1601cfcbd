"""``partwise search``: the documents nearest to a query, or to another document."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated

import typer

from partwise.arguments import number, whole_number
from partwise.cli import options
from partwise.cli.output import abridged, cell, note, print_json, say, show, table
from partwise.text.model_files import load_model
from partwise.text.search import Answer, Hit
from partwise.text.topic_model import TopicModel


def search(
    model: options.Model,
    query: Annotated[str | None, typer.Argument(help="What to look for; - reads it from stdin.")] = None,
    n: Annotated[int, typer.Option("-n", "--number", help="How many documents.")] = 10,
    like: Annotated[str | None, typer.Option(help="Instead of a query: the id or the title of a document.")] = None,
    blend: Annotated[
        float | None,
        typer.Option(help="The share of topics in the score: 0 is words alone, 1 topics alone; from k unless given."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Find the documents of a model that are nearest to a query, by their words and their topics.

    Example: partwise search news.partwise "oil prices and opec" -n 5
    """
    if (query is None) == (like is None):
        raise ValueError('Give either a query, as in `partwise search MODEL "some words"`, or --like ID.')
    whole_number("-n", n)
    if blend is not None:
        number("--blend", blend, 0, 1)
    fitted_model = load_model(model)
    if like is not None:
        answer = fitted_model.similar(like, n, blend)
    else:
        answer = fitted_model.search(sys.stdin.read() if query == "-" else query or "", n, blend)
    if as_json:
        print_json(answer.as_dict())
        return
    names = fitted_model.names if isinstance(fitted_model, TopicModel) else ()
    if answer.unknown:
        note(f"Not in the vocabulary: {', '.join(map(partial(_with_suggestions, answer), answer.unknown))}.")
    show_answer(answer, names)


def _with_suggestions(answer: Answer, word: str) -> str:
    near = answer.suggestions.get(word)
    return f"{word} (did you mean {' or '.join(near)}?)" if near else word


def show_answer(answer: Answer, names: tuple[str, ...]) -> None:
    """Print a row for each document, with its first words and why it was found; then the topics of the query."""
    shown = table("score", *(["topic"] if names else []), "document", left=["document"])
    for hit in answer:
        head = f"{hit.id}  {hit.title}" if hit.title and hit.title != hit.id else hit.id
        words = hit.snippet.removeprefix(hit.title).strip()
        lines = [abridged(head, 120), *filter(None, (abridged(words, 130), _why(hit, names), _copies(hit)))]
        topic = ["" if hit.topic is None else str(hit.topic)] if names else []
        shown.add_row(f"{hit.score:.3f}", *topic, cell(*lines, styles=["bold", *["dim"] * (len(lines) - 1)]))
    show(shown)
    if names:
        order = sorted(range(len(names)), key=lambda c: -answer.mixture[c])[:3]
        parts = [f"{answer.mixture[c]:.0%} topic {c} ({names[c]})" for c in order if answer.mixture[c] >= 0.05]
        say("", f"What was asked is {', '.join(parts)}." if parts else "The words of the query are in no topic.")


def _why(hit: Hit, names: tuple[str, ...]) -> str:
    """Which words of the query a document holds, and which topic carried it."""
    words = f"has {', '.join(hit.words)}" if hit.words else "has no word of the query"
    return words if hit.carrier is None else f"{words}; by topic {hit.carrier} ({names[hit.carrier]})"


def _copies(hit: Hit, most: int = 5) -> str:
    """Which documents have the same text, the first few by their ids."""
    if not hit.copies:
        return ""
    rest = f" and {len(hit.copies) - most:,} more" if len(hit.copies) > most else ""
    number = "an exact copy is" if len(hit.copies) == 1 else f"{len(hit.copies):,} exact copies are"
    return f"{number} {', '.join(hit.copies[:most])}{rest}"
