"""``partwise lsi``: the SVD baseline of ``topics``, to search with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partwise.cli import options
from partwise.cli.grouping import grouped
from partwise.cli.intake import fitted, read_collection
from partwise.cli.output import destination, print_json, say
from partwise.text.lsi import LSI


@grouped("label_column", "hashing")
def lsi(
    path: options.Texts,
    output: Annotated[Path, typer.Option("-o", "--output", help="Save the model in this file.")],
    k: Annotated[int, typer.Option("-k", "--rank", help="How many dimensions.")] = 100,
    as_json: options.Json = False,
    *,
    reading: options.Reading,
    words: options.Words,
    seed: options.Seed = 0,
    threads: options.Threads = None,
) -> None:
    """Fit the SVD baseline (latent semantic indexing): a model for `search`, without topics.

    Example: partwise lsi news.csv --column text -k 100 -o lsi.partwise
    """
    weighting = words.weighting()
    model = LSI(k, weighting=weighting, seed=seed, threads=threads)
    model.check()
    output = destination(output, path)
    collection = read_collection(path, weighting, **vars(reading))
    fitted(model, collection)
    model.save(output)
    terms, documents = collection.A.shape
    told = {"output": str(output), "documents": documents, "terms": terms, "rank": k, "error": model.svd.error}
    if as_json:
        print_json(told)
    else:
        say(
            f"{documents:,} documents, {terms:,} terms, {k} dimensions: {1 - model.svd.error**2:.1%} of the squares.",
            f"Saved in {output}.",
        )
