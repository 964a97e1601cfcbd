"""CONTRIBUTING.md, of which only the source of ``tests/own_parts.py`` is written here."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE, SOURCE = ROOT / "CONTRIBUTING.md", ROOT / "tests" / "own_parts.py"
MARK = re.compile(r"<!-- source: (?P<names>[\w, ]+) -->\n(?:```python\n.*?```\n)?", re.DOTALL)


def page() -> str:
    """The page with the pieces of source that its marks name."""
    text = SOURCE.read_text(encoding="utf-8")
    lines, pieces = text.splitlines(), {}
    nodes = ast.parse(text).body
    for node, following in zip(nodes, [*nodes[1:], None], strict=True):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            last = following.end_lineno if isinstance(following, ast.Assign) else node.end_lineno
            pieces[node.name] = "\n".join(lines[first - 1 : last])

    def included(mark: re.Match[str]) -> str:
        source = "\n\n\n".join(pieces[name.strip()] for name in mark["names"].split(","))
        return f"<!-- source: {mark['names']} -->\n```python\n{source}\n```\n"

    return MARK.sub(included, PAGE.read_text(encoding="utf-8")).rstrip("\n")
