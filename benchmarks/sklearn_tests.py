"""scikit-learn's own tests of NMF with partwise's class in its place: ``python benchmarks/sklearn_tests.py``.

The file ``test_nmf.py`` is the one of the installed scikit-learn, or ``--tests path`` of its repository; it is never
kept here. A copy in a temporary directory has one line more, after its imports: ``from partwise import NMF``. The cases
that use the class NMF are run and counted; what fails is listed with its reason.
"""

import argparse
import ast
import json
import platform
import re
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

RESULT = Path(__file__).parent / "results" / "sklearn-tests.json"
FLOOR = 155
"""How many cases must pass."""
REASONS = {
    "test_non_negative_factorization_consistency": "equality with scikit-learn's own numbers to 1e-7",
    "test_nmf_minibatchnmf_equivalence": "equality with scikit-learn's own MiniBatchNMF to 1e-7",
    "test_nmf_float32_float64_consistency": "equal weights in either precision to 1e-4 with as many components as "
    "features, where minima are not isolated: the two runs end 5e-5 apart",
    "test_nmf_true_reconstruction": "exact zeros where multiplicative updates have numbers of 1e-158 and below; "
    "scikit-learn rounds those off",
    "test_nmf_regularization": "exact zeros where multiplicative updates with a penalty that leaves nothing have 1e-5; "
    "the weights are zeros",
    "test_nmf_inverse_transform": "two decimals of X after 1,000 multiplicative updates, which depends on the random "
    "numbers of the start: from ours they are not there yet",
}
"""Why another implementation does not pass a test."""


def installed_tests() -> Path:
    """``test_nmf.py`` of the installed scikit-learn."""
    spec = find_spec("sklearn")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "decomposition" / "tests" / "test_nmf.py"


def swapped(source: str) -> tuple[str, set[str]]:
    """(the file with the class swapped, the names of the tests whose body uses the class)."""
    tree = ast.parse(source)
    last = max(node.end_lineno or 0 for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom)))
    lines = source.splitlines(keepends=True)
    lines.insert(last, "from partwise import NMF\n")
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    uses = {test.name for test in tests if any(_is_nmf(node) for line in test.body for node in ast.walk(line))}
    return "".join(lines), uses


def _is_nmf(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "NMF"


class Count:
    """Which of the cases that use NMF pass; the others are left out."""

    def __init__(self, uses: set[str]) -> None:
        self.uses, self.outcomes = uses, dict[str, tuple[str, str]]()

    def pytest_collection_modifyitems(self, items: list[pytest.Function]) -> None:
        """Keep the cases whose body or whose parameter is the class."""
        items[:] = [item for item in items if item.originalname in self.uses or self._parameter(item)]

    def _parameter(self, item: pytest.Function) -> bool:
        chosen = getattr(getattr(item, "callspec", None), "params", {}).get("Estimator")
        return getattr(chosen, "__module__", "").startswith("partwise")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note each case."""
        if report.when == "call" or report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            message = re.sub(r"\s+", " ", crash.message)[:300] if crash else ""
            self.outcomes[report.nodeid.split("::")[1]] = report.outcome, message


def run(path: Path) -> dict[str, object]:
    """Run the file and sum up."""
    text, uses = swapped(path.read_text(encoding="utf8"))
    count = Count(uses)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "test_nmf.py"
        copy.write_text(text, encoding="utf8")
        pytest.main(["-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-c", "/dev/null", str(copy)], [count])
    failed = {name: message for name, (outcome, message) in count.outcomes.items() if outcome != "passed"}
    return {
        "sklearn": __import__("sklearn").__version__,
        "python": platform.python_version(),
        "cases": len(count.outcomes),
        "passed": len(count.outcomes) - len(failed),
        "floor": FLOOR,
        "failed": {name: REASONS.get(name.split("[")[0], message) for name, message in failed.items()},
    }


def main() -> None:
    """Run, print the table and keep it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=Path, help="another test_nmf.py than the installed one")
    parser.add_argument("--keep", action=argparse.BooleanOptionalAction, default=True, help="write the result file")
    asked = parser.parse_args()
    path = asked.tests or installed_tests()
    if not path.exists():
        sys.exit(f"There is no {path}: this scikit-learn came without its tests; give --tests from its repository.")
    result = run(path)
    print(f"\n{result['passed']} of {result['cases']} cases pass with partwise.NMF (scikit-learn {result['sklearn']})")
    for name, reason in dict(result["failed"]).items():  # type: ignore[call-overload]
        print(f"  {name}: {reason}")
    if asked.keep:
        RESULT.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
