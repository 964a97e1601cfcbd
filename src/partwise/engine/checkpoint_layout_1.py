"""Checkpoints of version 0.1 (layout 1) in the form of today's."""

from __future__ import annotations

from typing import Any


def upgraded(meta: dict[str, Any]) -> dict[str, Any]:
    """The metadata of a checkpoint of layout 1 as layout 2 has them."""
    settings = meta["settings"] | {
        name: None if recipe is None else {"kind": "Algorithm", **recipe} for name, recipe in meta["recipes"].items()
    }
    state = meta["state"]
    if state["phase"] == "race":
        for name in ("waiting", "batch", "ahead"):
            state[name] = [_run(run) for run in state[name]]
        runs = [*state["waiting"], *state["batch"], *state["ahead"]]
        if len(runs) == 1 and not state["table"]:
            state = {"phase": "run", "run": runs[0], "table": []}
    elif state["phase"] == "polish":
        state["run"] = _run(state["run"])
    return meta | {"settings": settings, "state": state}


def _run(run: dict[str, Any]) -> dict[str, Any]:
    """A run: its steps counted on from the run that it polished, and its start had a name."""
    offset, start = run["first"], run["start"]
    best = run["found"] if run["found"] == "last" else _step(run["found"], offset)
    shown = run["last"] if run["found"] == "last" else run["found"]
    return {
        "seed": run["seed"],
        "last": _step(run["last"], offset),
        "start": start and [{"seconds": start["seconds"], "nbytes": start["nbytes"]}, start["error"]],
        "offset": offset,
        "returned": 0 if shown is None else shown["iteration"],
        "history": None if run["history"] is None else {"array": run["history"]},
        "best": best,
        "reason": run["reason"],
    }


def _step(step: dict[str, Any] | None, offset: int) -> dict[str, Any] | None:
    """A step: each factor had its rows, its gram and its right-hand side in fields of their own."""
    if step is None:
        return None
    kept = ("seconds", "error", "objective", "previous_w", "previous_error", "angles", "reseeded", "start", "ready")
    return {
        "iteration": step["iteration"] - offset,
        **{name: step[name] for name in kept},
        "basis": {"rows": step["w"], "gram": step["gram_w"], "rhs": step["onward_h"]},
        "weights": {"rows": step["h"], "gram": step["gram_h"], "rhs": step["onward_w"]},
        "momentum": _momentum(step["momentum"]),
    }


def _momentum(state: dict[str, Any] | None) -> dict[str, Any] | None:
    if state is None:
        return None
    ahead = {"rows": state["w"], "gram": state["gram_w"], "rhs": state["rhs"]}
    return {"beta": state["beta"], "ceiling": state["ceiling"], "ahead": ahead, "h": state["h"]}
