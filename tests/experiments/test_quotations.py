"""What stands in quotation marks is in the paper, word for word.

The paper's LaTeX source is no part of the project. Where it is at hand (``PARTWISE_PAPER`` names the file, or it is in
``seeds`` beside the folder ``PARTWISE_DATA``) every quotation is looked for in it. Elsewhere the digest of all
quotations must be that of those which were: a quotation can be changed only where the paper is.
"""

import hashlib
import json
import os
import re
from pathlib import Path

import pytest

from partwise.experiments import EXPERIMENTS
from partwise.experiments.experiment import Wording

DOCS = Path(__file__).parents[2] / "docs"
TITLE = "Algorithms, Initializations, and Convergence for the Nonnegative Matrix Factorization"
DIGEST = "867215894a5f94b13b9f2951657cd629"


def claims() -> list[dict]:
    """All claims of the stored results."""
    paths = [DOCS / "paper" / name / "result.json" for name in EXPERIMENTS]
    return [claim for path in paths for claim in json.loads(path.read_text(encoding="utf-8"))["result"]["claims"]]


def quotations() -> list[str]:
    """What the pages quote, piece by piece: an ellipsis parts pieces."""
    quoted = [claim["says"] for claim in claims() if claim["wording"] == Wording.QUOTED]
    return sorted({piece.strip() for text in quoted for piece in text.split("…")})


def words(text: str) -> str:
    """A text in plain letters: LaTeX commands, braces, quotation marks and line breaks are left out."""
    text = re.sub(r"(?<!\\)%.*", "", text)
    text = re.sub(r"\s*\\(?:cite|ref|label|nref)\{[^}]*\}+", "", text)
    text = re.sub(r"\\(?:b|emph|texttt|it|bf|small|mbox|sc)\b ?", "", text)
    text = re.sub("[{}$“”\"‘’`\\\\]|''", "", text)
    return " ".join(text.split())


def paper() -> Path | None:
    """The paper's source, where it is at hand."""
    if named := os.environ.get("PARTWISE_PAPER"):
        return Path(named)
    data = os.environ.get("PARTWISE_DATA")
    texts = sorted((Path(data).parent / "seeds").glob("*.txt")) if data else []
    return next((path for path in texts if TITLE in path.read_text(encoding="utf-8", errors="replace")), None)


def test_every_quotation_is_in_the_paper() -> None:
    path = paper()
    if path is None:
        pytest.skip("the paper is not at hand; PARTWISE_PAPER can name its LaTeX source")
    source = words(path.read_text(encoding="utf-8"))
    assert [piece for piece in quotations() if words(piece) not in source] == []


def test_quotations_are_those_that_were_looked_up() -> None:
    """The digest changes with every quotation; set it anew only after the test above has run with the paper."""
    text = "\n".join(quotations())
    assert hashlib.blake2b(text.encode(), digest_size=16).hexdigest() == DIGEST


def test_pages_quote_the_paper_only() -> None:
    """On the page of an experiment curly quotation marks open a claim in the paper's words, or a word of ours."""
    quoted = {claim["says"] for claim in claims() if claim["wording"] == Wording.QUOTED}
    others = {claim["says"] for claim in claims() if claim["wording"] != Wording.QUOTED}
    assert not quoted & others
    for name in EXPERIMENTS:
        page = (DOCS / "paper" / name / "README.md").read_text(encoding="utf-8")
        assert set(re.findall("“([^”]*)”", page)) <= quoted
        assert [says for says in others if f"“{says}”" in page] == []


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        (r"the \texttt{reuters10} collection", "the reuters10 collection"),
        (r"by Bro and de Jong \cite{Bro1997} is still", "by Bro and de Jong is still"),
        (r"in $\b u_i$ and" + "\n" + r"$\b v_i$", "in u_i and v_i"),
        ('8 of the 10 ``correct" reuters', "8 of the 10 correct reuters"),
        (r"do not {\it lock} elements", "do not lock elements"),
        (r"minimum is .009\%, showing", "minimum is .009%, showing"),
    ],
)
def test_latex_in_plain_words(source: str, plain: str) -> None:
    assert words(source) == plain
