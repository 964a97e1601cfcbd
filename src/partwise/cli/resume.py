"""``partwise resume``: show a run that was kept, and go on with it; ``partwise plan``: what one would take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partwise.arguments import readable_bytes
from partwise.cli import options
from partwise.cli.fitting import keeping, save_fit, show_fit
from partwise.cli.matrix_input import MATRIX_HELP, matrix_from
from partwise.cli.output import check_output, pairs, print_json, show, working
from partwise.cli.plugins import load_plugins
from partwise.engine.plan import plan as plan_run
from partwise.resume import resume as load_run


@options.grouped()
def resume(
    path: Annotated[Path, typer.Argument(metavar="CHECKPOINT", help="A file as `factorize --checkpoint` writes it.")],
    matrix: Annotated[str | None, typer.Argument(metavar="[MATRIX]", help="The matrix of that run.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save the result in this file.")] = None,
    as_json: options.Json = False,
    plugin: options.Plugins = None,
    threads: options.Threads = None,
    *,
    unknown: options.UnknownOptions,
) -> None:
    """Show a run that was kept, and with its matrix go on to the end.

    Example: partwise resume run.checkpoint matrix.npz -o fit.partwise
    """
    load_plugins(plugin)
    run = load_run(path)
    if matrix is None:
        show(pairs(run.rows()))
        return
    output = check_output(output, matrix, path)
    with working("reading"):
        data = unknown.observed(matrix_from(matrix))
    with keeping(path), working(f"going on from iteration {run.iteration}"):
        fit = run.go(data, threads=threads)
        save_fit(fit, output)
    show_fit(fit, output, as_json)


@options.grouped()
def plan(
    matrix: Annotated[str, typer.Argument(metavar="MATRIX", help=MATRIX_HELP)],
    k: Annotated[int, typer.Option("-k", "--rank", help="How many parts.")] = 10,
    as_json: options.Json = False,
    algorithm: options.AlgorithmName = None,
    loss: options.LossName = None,
    init: options.InitName = None,
    plugin: options.Plugins = None,
    restarts: options.Restarts = 1,
    threads: options.Threads = None,
    *,
    unknown: options.UnknownOptions,
) -> None:
    """Say what memory and disk a run would take.

    Example: partwise plan matrix.npz -k 50
    """
    load_plugins(plugin)
    with working("reading"):
        data = unknown.observed(matrix_from(matrix))
    estimate = plan_run(data, k, algorithm=algorithm, loss=loss, init=init, restarts=restarts, threads=threads)
    if as_json:
        print_json(vars(estimate) | {"memory": estimate.memory, "disk": estimate.disk})
        return
    rows = [(name, readable_bytes(value)) for name, value in vars(estimate).items()]
    show(
        pairs(
            [*rows, ("memory in all", readable_bytes(estimate.memory)), ("disk in all", readable_bytes(estimate.disk))]
        )
    )
