"""The end of a verb that factors a bare matrix: the result saved, and what it is worth told."""

from __future__ import annotations

from pathlib import Path

from partwise.cli.output import pairs, print_json, say, show
from partwise.engine.stopping import Reason
from partwise.result.factorization import Factorization


def save(fit: Factorization, output: Path | None) -> None:
    """Save a fit; Ctrl-C ends the command here, though the library would keep what there is."""
    if fit.reason is Reason.INTERRUPTED:
        raise KeyboardInterrupt
    if output is not None:
        fit.save(output)


def tell(fit: Factorization, output: Path | None, as_json: bool) -> None:
    """The certificate, and where W and H are."""
    if as_json:
        print_json({"output": None if output is None else str(output), "certificate": fit.certificate.as_dict()})
        return
    show(pairs(fit.certificate.rows()))
    say("", f"Saved in {output}." if output else "Not saved; -o FILE keeps W and H for partwise.load.")
