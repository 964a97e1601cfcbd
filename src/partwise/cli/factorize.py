"""``partwise factorize``: a bare matrix into W and H, and what they are worth."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from partwise.algorithms import as_algorithm
from partwise.cli import options
from partwise.cli.matrices import MATRIX_HELP, matrix_from
from partwise.cli.output import check_output, keeping, note, pairs, print_json, say, show, working
from partwise.inits import as_init
from partwise.loop import DEFAULT_ALGORITHM, check_seed
from partwise.planning import plan
from partwise.run import default_stop
from partwise.solve import factorize as run
from partwise.stopping import MaxIterations, Reason


def factorize(
    matrix: Annotated[str, typer.Argument(metavar="MATRIX", help=MATRIX_HELP)],
    k: Annotated[int, typer.Option("-k", "--rank", help="How many parts.")] = 10,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Save W, H, history and certificate in this file.")
    ] = None,
    svd: Annotated[bool, typer.Option("--svd", help="Compare the error with the SVD's.")] = False,
    as_json: options.Json = False,
    algorithm: options.AlgorithmName = DEFAULT_ALGORITHM,
    init: options.InitName = None,
    polish: Annotated[
        str | None, typer.Option(help="An algorithm that goes on from the result.", rich_help_panel=options.FITTING)
    ] = None,
    most: Annotated[
        int, typer.Option("--max-iterations", help="The most iterations.", rich_help_panel=options.FITTING)
    ] = 1000,
    restarts: options.Restarts = 1,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    checkpoint: options.Checkpoint = None,
    every: options.Every = None,
    memory_limit: options.MemoryLimit = None,
) -> None:
    """Factor a nonnegative matrix, A ≈ W H, and print what the result is worth.

    Example: partwise factorize matrix.npz -k 20 -o fit.partwise --svd
    """
    chosen, _, limit = as_algorithm(algorithm), as_init(init), MaxIterations(most)
    check_seed(seed)
    check_output(output, matrix)
    with working("reading"):
        data = matrix_from(matrix)
    if sys.stderr.isatty() or memory_limit is not None:
        note(str(plan(data, k, algorithm=chosen, init=init, restarts=restarts, threads=threads)))
    with keeping(checkpoint), working(f"factorising {data.shape[0]:,} × {data.shape[1]:,}"):
        fit = run(
            data,
            k,
            algorithm=chosen,
            init=init,
            stop=[default_stop(chosen), limit],
            polish=polish,
            restarts=restarts,
            seed=seed,
            threads=threads,
            svd=svd,
            checkpoint=checkpoint,
            every=every,
            memory_limit=memory_limit,
        )
        if fit.reason is Reason.INTERRUPTED:
            raise KeyboardInterrupt
        if output is not None:
            fit.save(output)
    if as_json:
        print_json({"output": None if output is None else str(output), "certificate": fit.certificate.as_dict()})
        return
    show(pairs(fit.certificate.rows()))
    say("", f"Saved in {output}." if output else "Not saved; -o FILE keeps W and H for partwise.load.")
