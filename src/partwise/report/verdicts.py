"""The certificate for a reader without background: each line with a verdict, its meaning and advice."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from partwise.engine.stationarity import NEARLY, STATIONARY
from partwise.report.diagnostics import Diagnostics
from partwise.report.labelled_fit import LabelledFit
from partwise.result.certificate import Certificate
from partwise.result.factorization import Factorization

GOOD, FAIR, BAD, PLAIN = "good", "fair", "bad", "plain"


@dataclass(frozen=True)
class VerdictLine:
    """One line of the certificate."""

    name: str
    value: str
    verdict: str
    """good, fair, bad; plain where there is nothing to judge."""
    meaning: str
    advice: str

    def as_dict(self) -> dict[str, str]:
        """For JSON."""
        return asdict(self)


def verdict_lines(labelled: LabelledFit, diagnostics: Diagnostics, coherence: float | None) -> list[VerdictLine]:
    """The lines that apply, the most important first."""
    certificate, nouns = labelled.fit.certificate, labelled.nouns
    candidates = [
        _explained(certificate, nouns),
        _svd(certificate, diagnostics),
        _stationary(certificate),
        _turned(certificate, nouns),
        _reliable(diagnostics, nouns),
        _coherent(coherence, nouns) if labelled.model is not None else None,
        _dead(certificate, nouns),
        _double(certificate, nouns),
        _locked(labelled.fit),
        _sparse("W", certificate.w.sparsity_by_topic, f"few {nouns['row']}s make up a {nouns['part']}"),
        _sparse("H", certificate.h.sparsity_by_row, f"a {nouns['column']} has few {nouns['part']}s"),
        VerdictLine("How it ended", _effort(certificate), PLAIN, certificate.reason, ""),
    ]  # fmt: skip
    return [line for line in candidates if line is not None]


def _effort(certificate: Certificate) -> str:
    return f"{certificate.iterations} iterations, {certificate.duration}"


def _level(value: float, good: float, fair: float) -> str:
    """The verdict on a value for which larger is better."""
    return GOOD if value >= good else FAIR if value >= fair else BAD


def _explained(certificate: Certificate, nouns: dict[str, str]) -> VerdictLine:
    meaning = f"{certificate.rank} {nouns['part']}s together: {certificate.explained:.1%} {certificate.units[1]}. "
    if certificate.comparable:
        meaning += "For texts 5 to 40% is usual, since most words are noise; for pictures 90% and more."
    else:
        meaning += f"The error is {certificate.relative_error:.4g} {certificate.units[0]}."
    return VerdictLine("Explained", f"{certificate.explained:.1%}", PLAIN, meaning, "")


def _svd(certificate: Certificate, diagnostics: Diagnostics) -> VerdictLine:
    ratio = certificate.svd_ratio
    if not certificate.comparable:
        return VerdictLine(
            "Against the best possible", "not compared", PLAIN,
            f"The SVD has the least squared error on complete data; this fit has the {certificate.loss} loss"
            + (" on the known entries." if certificate.known is not None else "."), "",
        )  # fmt: skip
    if ratio is None and diagnostics.svd is not None and diagnostics.svd.error > 1e-9:
        ratio = certificate.relative_error / diagnostics.svd.error
    if ratio is None:
        return VerdictLine(
            "Against the best possible", "not measured", PLAIN,
            "The SVD has the least error that any factorisation of this rank can have.",
            "Give the data with the report, or fit with svd=True, to see how near this one comes.",
        )  # fmt: skip
    over = max(ratio - 1, 0)
    verdict = GOOD if over <= 0.03 else FAIR if over <= 0.1 else BAD
    advice = {
        GOOD: "Parts that only add up cost next to nothing here.",
        FAIR: "Try restarts=10, or a few more parts.",
        BAD: "Try another start, restarts=10, less penalty, or more parts.",
    }[verdict]
    meaning = f"The error is {over:.1%} above that of the SVD, which no factorisation of this rank can beat."
    return VerdictLine("Against the best possible", f"+{over:.1%}", verdict, meaning, advice)


def _stationary(certificate: Certificate) -> VerdictLine:
    name = "Settled"
    if certificate.kkt is None:
        return VerdictLine(name, "not defined", PLAIN, f"The check says: {certificate.verdict}.", "")
    verdict = GOOD if certificate.kkt <= STATIONARY else FAIR if certificate.kkt <= NEARLY else BAD
    meaning = {
        GOOD: "No small change of any number would lower the error: this is a minimum as far as anyone can see nearby.",
        FAIR: "Small changes would lower the error by very little.",
        BAD: "Small changes would still lower the error: the run ended before it had settled.",
    }[verdict]
    advice = {
        GOOD: "Nothing to do.",
        FAIR: "Good enough to read; stop=Stationarity(1e-4) goes on to the end.",
        BAD: "Allow more iterations, or polish='hals'.",
    }[verdict]
    return VerdictLine(name, f"{certificate.verdict} ({certificate.kkt:.0e})", verdict, meaning, advice)


def _turned(certificate: Certificate, nouns: dict[str, str]) -> VerdictLine | None:
    if not certificate.angles:
        return None
    most = float(np.max(certificate.angles))
    verdict = GOOD if most <= 1 else FAIR if most <= 10 else BAD
    advice = (
        "Nothing to do." if verdict == GOOD else f"The {nouns['part']}s were still changing; allow more iterations."
    )
    meaning = f"In the last iteration the {nouns['part']} that changed most turned by {most:.2g} degrees."
    return VerdictLine("Standing still", f"{most:.2g}°", verdict, meaning, advice)


def _reliable(diagnostics: Diagnostics, nouns: dict[str, str]) -> VerdictLine:
    part = nouns["part"]
    if diagnostics.reliability is None:
        return VerdictLine(
            "Reliable", "not measured", PLAIN,
            f"Whether the same {part}s are found again from another start was not measured: "
            "there are no data at hand, or they are large.",
            "Give the data, or runs=5, when the report is written.",
        )  # fmt: skip
    mean, weak = float(np.mean(diagnostics.reliability)), int((diagnostics.reliability < 0.7).sum())
    verdict = _level(mean, 0.9, 0.7)
    advice = (
        "Nothing to do."
        if verdict == GOOD
        else f"Trust the {part}s with a reliability near 1; for the others try a smaller k or restarts=10."
    )
    meaning = (
        f"{diagnostics.runs} more runs from other starts found {part}s with a mean cosine of {mean:.2f} to these; "
        f"{weak} of {len(diagnostics.reliability)} were not found again (below 0.7)."
    )
    return VerdictLine("Reliable", f"{mean:.2f}", verdict, meaning, advice)


def _coherent(coherence: float | None, nouns: dict[str, str]) -> VerdictLine | None:
    if coherence is None:
        return None
    verdict = _level(coherence, 0.15, 0.05)
    advice = "Nothing to do." if verdict == GOOD else "Try stop words of your own, a higher min_df, or fewer topics."
    meaning = f"The strongest terms of a {nouns['part']} stand in the same documents (NPMI: 0 by chance, 1 always)."
    return VerdictLine("Coherent", f"{coherence:.2f}", verdict, meaning, advice)


def _dead(certificate: Certificate, nouns: dict[str, str]) -> VerdictLine:
    count = len(certificate.dead_topics)
    advice = "Nothing to do." if not count else "Choose a smaller k, or less penalty."
    value = "none" if not count else ", ".join(map(str, certificate.dead_topics))
    meaning = f"A dead {nouns['part']} plays no part in any {nouns['column']}."
    return VerdictLine(f"Dead {nouns['part']}s", value, GOOD if not count else BAD, meaning, advice)


def _double(certificate: Certificate, nouns: dict[str, str]) -> VerdictLine:
    pairs = certificate.duplicate_topics
    value = "none" if not pairs else "; ".join(f"{a} and {b}" for a, b in pairs[:5])
    advice = "Nothing to do." if not pairs else "Choose a smaller k."
    meaning = f"Two {nouns['part']}s that point the same way say the same thing twice."
    return VerdictLine(f"The same {nouns['part']} twice", value, GOOD if not pairs else FAIR, meaning, advice)


def _locked(fit: Factorization) -> VerdictLine:
    certificate = fit.certificate
    locked = certificate.w.locked + certificate.h.locked
    keeps = fit.algorithm is not None and any(side.update.zero_floor for side in fit.algorithm.sides)
    few = locked <= 0.01 * certificate.rank * sum(certificate.shape)
    nothing = locked == 0 or (few and not keeps and certificate.kkt is not None and certificate.kkt <= STATIONARY)
    verdict = GOOD if nothing else FAIR if few else BAD
    undo = "polish='hals' can undo a zero." if keeps else "This algorithm can undo them: allow more iterations."
    meaning = (
        "Zeros that would lower the error if they could grow, at a settled point by next to nothing; some algorithms "
        "can never undo a zero."
    )
    return VerdictLine("Wrongly locked zeros", f"{locked:,}", verdict, meaning, "Nothing to do." if nothing else undo)


SHARPER = {
    "W": "For sharper parts ask for them: sparse_parts(w=.8), or --sparse-w .8.",
    "H": "For fewer parts in each, try hoyer_target(sparsity_w=None, sparsity_h=.5).",
}


def _sparse(name: str, value: float, means: str) -> VerdictLine | None:
    if not np.isfinite(value):
        return None
    verdict = _level(value, 0.5, 0.3)
    advice = "Nothing to do." if verdict == GOOD else SHARPER[name]
    meaning = f"Hoyer's sparsity from 0 (all alike) to 1 (a single one): the higher, the more it holds that {means}."
    return VerdictLine(f"Sparsity of {name}", f"{value:.2f}", verdict, meaning, advice)
