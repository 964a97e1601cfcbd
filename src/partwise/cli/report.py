"""``partwise report``: one page that explains a model or a factorisation."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from partwise.cli import options
from partwise.cli.matrix_input import matrix_from
from partwise.cli.output import destination, print_json, say, working
from partwise.load import load
from partwise.result.factorization import Factorization
from partwise.storage.targets import is_device, is_stream, resolved
from partwise.text.topic_model import TopicModel

ReportFile = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Write a page that explains the result.")
]


def report(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file of `topics -o` or `factorize -o`.")],
    other: Annotated[
        Path | None, typer.Argument(metavar="[OTHER]", help="A second one, to compare with.", show_default=False)
    ] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="The page to write.")] = Path("report.html"),
    matrix: Annotated[
        str | None, typer.Option(help="The matrix that was factored, for the SVD and pictures as they were.")
    ] = None,
    shape: Annotated[str | None, typer.Option(help="Columns are pictures: ROWSxCOLUMNS, e.g. 19x19.")] = None,
    rows: Annotated[Path | None, typer.Option(help="A file with a label a line, one for each row.")] = None,
    columns: Annotated[Path | None, typer.Option(help="A file with a label a line, one for each column.")] = None,
    title: Annotated[str | None, typer.Option(help="The heading of the page.")] = None,
    runs: Annotated[
        int | None, typer.Option(help="How many more runs tell how reliable each topic is.", show_default=False)
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Write one page that explains a model: topics, documents, search, and how good it is.

    Example: partwise report news.partwise -o report.html

    Example: partwise report faces.partwise --matrix faces.npy --shape 19x19
    """
    from partwise.report import write_report  # imported late: `topics` needs the checks of this file alone

    output = report_at(output, model, other, matrix)
    size = None if shape is None else as_shape(shape)
    row_labels, column_labels = labels(rows), labels(columns)
    with working("reading"):
        first, second = model_or_fit(model), None if other is None else model_or_fit(other)
        data = None if matrix is None else matrix_from(matrix)
    with working("writing the page"):
        write_report(
            first, output, other=second, matrix=data, shape=size, title=title,
            other_title="" if other is None else other.name, runs=runs,
            rows=row_labels, columns=column_labels,
        )  # fmt: skip
    show_report(output, as_json)


def model_or_fit(path: Path) -> TopicModel | Factorization:
    """A topic model or a factorisation from a file; an LSI model has neither topics nor a certificate."""
    model = load(path)
    if isinstance(model, (TopicModel, Factorization)):
        return model
    raise ValueError(f"{path} is an LSI model, which has no topics; make a report of a model of `topics`.")


def show_report(output: Path, as_json: bool) -> None:
    """Print where the page is, and its size."""
    size = None if is_stream(output) else output.stat().st_size
    if as_json:
        print_json({"report": str(output), "bytes": size})
    elif size is None:
        say(f"The report is written to {output}.")
    else:
        say(f"The report is written to {output} ({size / 1e6:.1f} MB); open it in a browser.")


def as_shape(text: str) -> tuple[int, int]:
    """ "19x19" as (19, 19)."""
    down, _, across = text.lower().replace("×", "x").partition("x")
    try:
        return int(down), int(across)
    except ValueError:
        raise ValueError(f"--shape must be rows and columns such as 19x19, not {text!r}.") from None


def labels(path: Path | None) -> list[str] | None:
    """The lines of a file."""
    if path is None:
        return None
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file of labels {path}.") from None
    except UnicodeDecodeError:
        raise ValueError(f"The file of labels {path} is not UTF-8; save it as that.") from None


def check_report(path: Path | None, *others: str | Path | None) -> Path | None:
    """The path of an optional page, as :func:`report_at` resolves it."""
    return None if path is None else report_at(path, *others)


def report_at(path: Path, *others: str | Path | None) -> Path:
    """The path of a page; one that cannot be written, or is also an input or another output, is refused."""
    other_paths = [Path(other) for other in others if other is not None and str(other) != "-"]
    target = destination(path, *other_paths)
    if not is_device(target) and resolved(target).absolute() in [resolved(other).absolute() for other in other_paths]:
        raise ValueError(f"{path} is named twice; choose another name for the report.")
    check_plotly()
    return target


def has_plotly() -> bool:
    """Whether plotly, which pages need, is installed."""
    return find_spec("plotly") is not None


def check_plotly() -> None:
    """Refuse, in a sentence, to go on without plotly."""
    from partwise.report.page import plotly_script

    try:
        plotly_script()
    except ImportError as error:
        raise ValueError(str(error)) from None
