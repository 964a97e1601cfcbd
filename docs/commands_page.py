"""docs/command-line.md, from the verbs themselves: their docstrings, arguments and options."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints

from partwise.cli import application

Table = Callable[[tuple[str, ...], list[tuple[str, ...]]], str]
INTRODUCTION = (
    "This page is written by `make docs` from the code. Results go to stdout, as tables or with `--json` as one JSON "
    "value; notes and progress go to stderr, progress only where that is a terminal. Misuse and bad input are one "
    "sentence and exit code 2, Ctrl-C is 130; a file appears under its name only when it is whole.\n\n"
    "Algorithms, starts, stopping rules and penalties of your own: `--plugin my_rules` imports the module `my_rules`, "
    "from the current folder or installed, before names are looked up, so that the lines it adds to "
    "`partwise.ALGORITHMS`, `INITS`, `RULES` and `PENALTIES` count. An installed package can name its modules in the "
    "entry-point group `partwise.plugins`; the command imports them by itself, and one that fails is a sentence on "
    "stderr."
)


def page(table: Table) -> str:
    """The whole page."""
    parts = ["# The command line", INTRODUCTION]
    for command in application().registered_commands:
        verb: Any = command.callback
        parts += [f"## partwise {verb.__name__}", _text(verb), table(("", "default", "what it is"), list(_rows(verb)))]
    return "\n\n".join(parts)


def _text(verb: Any) -> str:
    """The docstring, its examples as code."""
    paragraphs = []
    for line in (inspect.getdoc(verb) or "").split("\n\n"):
        paragraphs.append("    " + line.removeprefix("Example: ") if line.startswith("Example: ") else line)
    return "\n\n".join(paragraphs)


def _rows(verb: Any) -> Iterator[tuple[str, ...]]:
    """(name, default, help) of each argument and option."""
    hints = get_type_hints(verb, include_extras=True)
    for name, parameter in inspect.signature(verb).parameters.items():
        (option,) = hints[name].__metadata__
        argument = type(option).__name__ == "ArgumentInfo"
        declared = [
            d for d in (option.default, *(option.param_decls or ())) if isinstance(d, str) and d.startswith("-")
        ]
        names = declared or [f"--{name.replace('_', '-')}"]
        shown = option.metavar or name.upper() if argument else ", ".join(names)
        default = parameter.default
        nil = default is parameter.empty or default is None or default is False
        yield f"`{shown}`", "" if nil else f"`{default}`", (option.help or "").replace("|", "\\|")
