"""How a verb takes options in groups: a dataclass states each group once, and the command line sees its fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any

Verb = Callable[..., None]


def grouped(*left_out: str) -> Callable[[Verb], Verb]:
    """A verb with groups among its parameters, as a verb with the options in them apart from some."""

    def decorate(verb: Verb) -> Verb:
        own = _parameters(verb)
        groups: dict[str, Any] = {p.name: p.annotation for p in own if is_dataclass(p.annotation)}
        flat = [option for p in own for option in (_parameters(groups[p.name]) if p.name in groups else [p])]
        offered = [option.replace(kind=Parameter.KEYWORD_ONLY) for option in flat if option.name not in left_out]

        @wraps(verb)
        def run(**given: Any) -> None:
            for name, group in groups.items():
                given[name] = group(**{f.name: given.pop(f.name) for f in fields(group) if f.name in given})
            verb(**given)

        run.__signature__ = Signature(offered)  # type: ignore[attr-defined]
        run.__annotations__ = {option.name: option.annotation for option in offered}
        return run

    return decorate


def _parameters(of: Callable[..., Any]) -> list[Parameter]:
    return list(signature(of, eval_str=True).parameters.values())
