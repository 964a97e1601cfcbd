"""``partwise factorize``: factor a bare matrix into W and H, and print the certificate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from partwise.arguments import check_seed
from partwise.cli import options
from partwise.cli.fitting import keeping, save_fit, show_fit
from partwise.cli.matrix_input import MATRIX_HELP, matrix_from
from partwise.cli.output import check_checkpoint, check_output, note, working
from partwise.cli.plugins import load_plugins
from partwise.data.as_data import as_data
from partwise.engine.default_stop import default_stop
from partwise.engine.plan import plan
from partwise.engine.stopping import MaxIterations
from partwise.factorize import factorize as factorize_matrix
from partwise.inits.table import as_init
from partwise.losses.table import algorithm_for, suited


@options.grouped()
def factorize(
    matrix: Annotated[str, typer.Argument(metavar="MATRIX", help=MATRIX_HELP)],
    k: Annotated[int, typer.Option("-k", "--rank", help="How many parts.")] = 10,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Save W, H, history and certificate in this file.")
    ] = None,
    svd: Annotated[bool, typer.Option("--svd", help="Compare the error with the SVD's.")] = False,
    as_json: options.Json = False,
    algorithm: options.AlgorithmName = None,
    loss: options.LossName = None,
    init: options.InitName = None,
    plugin: options.Plugins = None,
    polish: Annotated[str | None, options.fitting(help="An algorithm that goes on from the result.")] = None,
    most: Annotated[int, options.fitting("--max-iterations", help="The most iterations.")] = 1000,
    *,
    penalties: options.PenaltyOptions,
    unknown: options.UnknownOptions,
    fitting: options.FittingOptions,
    memory_limit: Annotated[str | None, options.fitting(help="Refuse a run that would take more, e.g. 1GB.")] = None,
) -> None:
    """Factor a nonnegative matrix, A ≈ W H, and print what the result is worth.

    Example: partwise factorize matrix.npz -k 20 -o fit.partwise --svd

    Example: partwise factorize ratings.mtx -k 10 --missing zeros
    """
    load_plugins(plugin)
    chosen, _, limit = algorithm_for(penalties.algorithm(algorithm, loss), loss), as_init(init), MaxIterations(most)
    check_seed(fitting.seed)
    output = check_output(output, matrix)
    check_checkpoint(fitting.checkpoint, matrix)
    with working("reading"):
        data = as_data(unknown.observed(matrix_from(matrix)))
    chosen = suited(chosen, data)
    if sys.stderr.isatty() or memory_limit is not None:
        note(str(plan(data, k, algorithm=chosen, init=init, restarts=fitting.restarts, threads=fitting.threads)))
    with keeping(fitting.checkpoint), working(f"factorising {data.shape[0]:,} × {data.shape[1]:,}"):
        fit = factorize_matrix(
            data,
            k,
            algorithm=chosen,
            init=init,
            stop=[default_stop(chosen), limit],
            polish=polish,
            svd=svd,
            memory_limit=memory_limit,
            **vars(fitting),
        )
        save_fit(fit, output)
    show_fit(fit, output, as_json)
