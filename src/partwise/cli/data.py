"""``partwise data``: the public data sets, where they are on this machine, and how to fetch them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from partwise.arguments import choose
from partwise.datasets.fetch import fetch
from partwise.datasets.locate import roots
from partwise.datasets.registry import DATASETS, folder_of

data = typer.Typer(help="The public data sets: list them, see where they are, fetch them.", no_args_is_help=True)

Folder = Annotated[
    Path | None, typer.Option("--data", help="look here first, then in PARTWISE_DATA, then in the cache")
]
Name = Annotated[str, typer.Argument(help="a name that `partwise data list` shows")]


@data.command("list")
def list_(data_folder: Folder = None) -> None:
    """Every data set, whether it is here, and on what terms it may be used.

    Example: partwise data list
    """
    out = Console(highlight=False, soft_wrap=True)
    for name, dataset in DATASETS.items():
        location = folder_of(name, data_folder)
        out.print(f"[bold]{name}[/bold]  {dataset.title}: {dataset.wanted}")
        out.print(f"    {location or f'not here; partwise data fetch {name} brings it'}")
        out.print(f"    {dataset.terms}")


@data.command()
def where(name: Name, data_folder: Folder = None) -> None:
    """The folder of a data set on this machine.

    Example: partwise data where medlars
    """
    choose("data set", name, DATASETS)
    location = folder_of(name, data_folder)
    if location is None:
        looked = ", ".join(str(root) for root in roots(data_folder))
        raise ValueError(f"{name} is in none of {looked}; partwise data fetch {name} brings it.")
    sys.stdout.write(f"{location}\n")


@data.command("fetch")
def fetch_(name: Name, data_folder: Folder = None) -> None:
    """Bring a data set from its public home into --data or the cache, and check what came.

    A transfer that broke off is resumed. Example: partwise data fetch reuters-21578
    """
    dataset = choose("data set", name, DATASETS)
    errors = Console(stderr=True, highlight=False, soft_wrap=True)
    errors.print(f"{name}: {dataset.terms}.")
    columns = (TextColumn(name), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=errors, disable=not sys.stderr.isatty(), transient=True) as bar:
        task = bar.add_task(name, total=None)
        folder = fetch(name, lambda have, total: bar.update(task, completed=have, total=total), root=data_folder)
    checked = f"the checksum {dataset.checksum} and " if dataset.checksum else ""
    errors.print(f"Checked: {checked}the counts ({dataset.wanted}).")
    sys.stdout.write(f"{folder}\n")
