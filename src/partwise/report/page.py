"""Assemble a page: one HTML file in which only the scripts of this package and of plotly may run."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from functools import cache
from html import escape
from importlib.resources import files

from partwise.report.encoding import Payload, to_json

SCRIPTS = (
    "data",
    "dom",
    "words",
    "solve",
    "search",
    "labels",
    "map",
    "charts",
    "topics",
    "documents",
    "quality",
    "pictures",
    "compare",
    "main",
)


def page(title: str, payload: Payload) -> str:
    """The whole page."""
    own = script()
    packed, plotly_hash = plotly_script()
    slots = {
        "title": escape(title),
        "policy": policy(_hash(own), plotly_hash),
        "style": _asset("page.css"),
        "data": to_json(payload),
        "script": own,
        "plotly": packed,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: slots[match[1]], _asset("page.html"))


def policy(*hashes: str) -> str:
    """The content security policy: only the scripts with these hashes run, and nothing is fetched."""
    allowed = " ".join(f"'sha256-{digest}'" for digest in hashes)
    rules = {
        "default-src": "'none'",
        "script-src": allowed,
        "style-src": "'unsafe-inline'",  # plotly sets styles on what it draws
        "img-src": "data: blob:",  # its camera button
        "connect-src": "'none'",
        "form-action": "'none'",
        "base-uri": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def script() -> str:
    """The scripts of this package, concatenated inside one function."""
    inside = "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{inside}\n}})();\n'


@cache
def plotly_script() -> tuple[str, str]:
    """(plotly's script, gzipped, as base64; the hash of the script)."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise ImportError("A report needs the package plotly: pip install 'partwise[report]'.") from None
    text = get_plotlyjs()
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode("ascii"), _hash(text)


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


@cache
def _asset(name: str) -> str:
    return files("partwise.report").joinpath("assets", name).read_text(encoding="utf-8")
