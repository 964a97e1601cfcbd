"""``partwise lsi``: the SVD baseline of ``topics``, to search with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partwise.cli import options
from partwise.cli.fitting import fit_texts
from partwise.cli.output import destination, print_json, say
from partwise.cli.text_input import collection_from
from partwise.text.lsi import LSI


@options.grouped("label_column", "hashing")
def lsi(
    path: options.Texts,
    output: Annotated[Path, typer.Option("-o", "--output", help="Save the model in this file.")],
    k: Annotated[int, typer.Option("-k", "--rank", help="How many dimensions.")] = 100,
    as_json: options.Json = False,
    *,
    reading: options.ReadingOptions,
    words: options.WordOptions,
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
    collection = collection_from(path, weighting, reading)
    fit_texts(model, collection)
    model.save(output)
    terms, documents = collection.A.shape
    summary = {"output": str(output), "documents": documents, "terms": terms, "rank": k, "error": model.svd.error}
    if as_json:
        print_json(summary)
    else:
        say(
            f"{documents:,} documents, {terms:,} terms, {k} dimensions: {1 - model.svd.error**2:.1%} of the squares.",
            f"Saved in {output}.",
        )
