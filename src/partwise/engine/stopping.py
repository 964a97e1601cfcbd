"""Stopping rules: pure functions of a step that give a reason or nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, NamedTuple

import numpy as np

from partwise.arguments import number, shortened, whole_number
from partwise.engine.step import Step
from partwise.linalg.matching import matched_angles


class Reason(Enum):
    """Why a run ended; the value is the sentence that the user reads."""

    MAX_ITERATIONS = "The number of iterations that was asked for is reached."
    CAP = "The cap on iterations is reached before any stopping rule was met."
    TIME_LIMIT = "The time limit is reached."
    ERROR_LEVEL = "The relative error has come down to the level that was asked for."
    ERROR_CHANGE = "The relative error hardly changes any more."
    ANGLE = "The topics hardly turn any more."
    STATIONARY = "The KKT residual is down to the tolerance: the point is stationary."
    SETTLED = "The relative error is nil or hardly changes any more, and the point is nearly stationary."
    ALL_MET = "All the stopping rules that were to hold together are met."
    DROPPED = "The start was dropped: others were ahead of it at the same iteration."
    NOT_BEGUN = "The time limit was reached before this start began."
    COLLAPSED = "A whole factor became zero; the best iterate before that is returned."
    WORTHLESS = (
        "The result is no better than a matrix of zeros: a penalty too strong for these data, or too few iterations; "
        "use a smaller λ, such as relative(.01), or go on for longer."
    )
    NO_GAIN = (
        "No iteration was better than the start, which is returned: a penalty too strong for these data, or a start "
        "as good as this method gets; use a smaller λ, such as relative(.01)."
    )
    NO_MINIMUM = "The penalised row problem lost its minimum; the best iterate before that is returned."
    NOT_FINITE = "A number left the range of the precision; the best iterate before that is returned."
    INTERRUPTED = "The run was interrupted; the best iterate so far is returned."

    def __str__(self) -> str:
        return self.value


class Glimpse(NamedTuple):
    """What is known of an iteration without a step (``engine/stretch``); rules read these of a step, too."""

    iteration: int
    seconds: float
    error: float
    previous_error: float | None


class Rule(ABC):
    """A stopping rule. Law: a pure function of the step; a reason or None; asked at burn_in, burn_in + every, …"""

    every: int
    burn_in: int
    by_glimpse: ClassVar[bool] = False
    """Whether a glimpse is all that ``reason`` needs of a step; a class with its own ``reason`` says so itself."""
    limits_iterations: ClassVar[bool] = False
    """Whether it ends every run after some iterations, so that no cap is needed."""

    def __init_subclass__(cls) -> None:
        if "reason" in vars(cls) and "by_glimpse" not in vars(cls):
            cls.by_glimpse = False

    @property
    def deadline(self) -> float:
        """The seconds after the call at which it ends every run."""
        return np.inf

    def __post_init__(self) -> None:
        self.whole("every", 1)
        self.whole("burn_in", 0)
        self.check()

    def whole(self, name: str, least: int) -> None:
        """Refuse a setting that is not a whole number of at least ``least``."""
        whole_number(f"{type(self).__name__}({name}=...)", getattr(self, name), least)

    def positive(self, name: str) -> None:
        """Refuse a setting that is not a number above 0."""
        number(f"{type(self).__name__}({name}=...)", getattr(self, name), ends="()")

    @abstractmethod
    def check(self) -> None:
        """Refuse settings that make no sense, in a sentence."""

    def asked_at(self, iteration: int) -> bool:
        """Whether it is asked after this iteration."""
        late = iteration - self.burn_in
        return late >= 0 and late % self.every == 0

    def may_stop(self, glimpse: Glimpse) -> bool:
        """Whether it has to be asked after an iteration of which no more is known than a glimpse."""
        return self.asked_at(glimpse.iteration) and self.may_hold(glimpse)

    def may_hold(self, glimpse: Glimpse) -> bool:
        """Whether it may give a reason, whenever it is asked."""
        return not self.by_glimpse or self.reason(glimpse) is not None

    def __call__(self, step: Step) -> Reason | None:
        return self.reason(step) if self.asked_at(step.iteration) else None

    @abstractmethod
    def reason(self, step: Any) -> Reason | None:
        """The reason to stop at this step, or None."""

    def __or__(self, other: Rule) -> AnyOf:
        return AnyOf((self, other))

    def __and__(self, other: Rule) -> AllOf:
        return AllOf((self, other))


@dataclass(frozen=True)
class MaxIterations(Rule):
    """Stop after ``iterations`` iterations; 0 returns the start."""

    iterations: int
    every: int = 1
    burn_in: int = 0
    limits_iterations = True
    by_glimpse = True

    def check(self) -> None:
        self.whole("iterations", 0)

    def reason(self, step: Step | Glimpse) -> Reason | None:
        return Reason.MAX_ITERATIONS if step.iteration >= self.iterations else None


@dataclass(frozen=True)
class TimeLimit(Rule):
    """Stop ``seconds`` after the call with the last whole iteration; one that is under way then is given up.

    So is a start that takes more than a second and goes on past the limit: a random one stands for it.
    """

    seconds: float
    every: int = 1
    burn_in: int = 0
    by_glimpse = True

    def check(self) -> None:
        self.positive("seconds")

    @property
    def deadline(self) -> float:
        return self.seconds

    def reason(self, step: Step | Glimpse) -> Reason | None:
        return Reason.TIME_LIMIT if step.seconds >= self.seconds else None


@dataclass(frozen=True)
class Frobenius(Rule):
    """Stop when e = ‖A − WH‖_F/‖A‖_F is at most ``level``, or when |e_j − e_{j−1}| ≤ ``change`` · e_{j−1}.

    Both are free of the data's scale. The error comes from the trace form of the paper's section 5, which the
    half-steps have almost ready.
    """

    level: float | None = None
    change: float | None = None
    every: int = 5
    burn_in: int = 0
    by_glimpse = True

    def check(self) -> None:
        if self.level is None and self.change is None:
            raise ValueError("Frobenius needs a level=... or a change=... to stop at.")
        for name in ("level", "change"):
            if getattr(self, name) is not None:
                self.positive(name)

    def reason(self, step: Step | Glimpse) -> Reason | None:
        if self.level is not None and step.error <= self.level:
            return Reason.ERROR_LEVEL
        before = step.previous_error
        if self.change is not None and before is not None and abs(before - step.error) <= self.change * before:
            return Reason.ERROR_CHANGE
        return None


@dataclass(frozen=True)
class Angle(Rule):
    """Stop when every topic turned by at most ``degrees`` since the previous iteration (the paper, section 5).

    The columns are compared as they stand; with ``matched`` each is compared with the column it is assigned to.
    """

    degrees: float
    matched: bool = False
    every: int = 5
    burn_in: int = 0

    def check(self) -> None:
        self.positive("degrees")

    def reason(self, step: Step) -> Reason | None:
        if step.angles is None or step.previous_w is None:
            return None
        angles = matched_angles(np.asarray(step.w), np.asarray(step.previous_w)) if self.matched else step.angles
        return Reason.ANGLE if float(angles.max()) <= self.degrees else None


@dataclass(frozen=True)
class Stationarity(Rule):
    """Stop when the KKT residual r is at most ``tol`` (1e-4 is stationary, 1e-2 nearly so)."""

    tol: float = 1e-4
    every: int = 5
    burn_in: int = 0

    def check(self) -> None:
        self.positive("tol")

    def reason(self, step: Step) -> Reason | None:
        return Reason.STATIONARY if step.kkt <= self.tol else None


@dataclass(frozen=True)
class AnyOf(Rule):
    """Stop when one of the rules says so."""

    rules: tuple[Rule, ...]
    every: int = 1
    burn_in: int = 0

    def check(self) -> None:
        object.__setattr__(self, "rules", _flat(AnyOf, rule_list(self.rules)))

    def may_hold(self, glimpse: Glimpse) -> bool:
        return may_stop(self.rules, glimpse)

    def reason(self, step: Step) -> Reason | None:
        return next((reason for rule in self.rules if (reason := rule(step)) is not None), None)


@dataclass(frozen=True)
class AllOf(Rule):
    """Stop when all of the rules hold at the same step; each is asked whenever this rule is."""

    rules: tuple[Rule, ...]
    every: int = 5
    burn_in: int = 0
    because: Reason = Reason.ALL_MET

    def check(self) -> None:
        object.__setattr__(self, "rules", _flat(AllOf, rule_list(self.rules)))

    def may_hold(self, glimpse: Glimpse) -> bool:
        return all(_may_hold(rule, glimpse) for rule in self.rules)

    def reason(self, step: Step) -> Reason | None:
        return self.because if all(_holds(rule, step) for rule in self.rules) else None


def angular_stop(degrees: float = 1.0, burn_in: int = 10) -> Angle:
    """The paper's stop (section 5): asked every fifth iteration after a burn-in, whether all topics hardly turn."""
    return Angle(degrees, every=5, burn_in=burn_in)


RULES: dict[str, type[Rule]] = {
    rule.__name__: rule for rule in (MaxIterations, TimeLimit, Frobenius, Angle, Stationarity, AnyOf, AllOf)
}
"""Name -> class; add a line so that a checkpoint can hold a rule of your own."""


DEEPEST = 30
"""How deep combinations of rules may stand in each other."""


def _flat(kind: type[AnyOf] | type[AllOf], rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules, with those of a plain combination of the same kind in its place: a | b | c is one of three."""
    flat: list[Rule] = []
    for rule in rules:
        plain = type(rule) is kind and rule == kind(rule.rules)
        flat.extend(rule.rules if plain else (rule,))  # type: ignore[attr-defined]
    if max(map(_depth, flat)) >= DEEPEST:
        raise ValueError(f"Stopping rules can stand at most {DEEPEST} deep in each other; combine them in one list.")
    return tuple(flat)


def _depth(rule: Any) -> int:
    """How many combinations stand in each other."""
    return 1 + max(map(_depth, rule.rules)) if isinstance(rule, (AnyOf, AllOf)) else 0


def _holds(rule: Any, step: Step) -> bool:
    """Whether a rule is met at this step, past its burn-in; a plain function is simply asked."""
    if isinstance(rule, AnyOf):
        return step.iteration >= rule.burn_in and any(_holds(one, step) for one in rule.rules)
    if isinstance(rule, Rule):
        return step.iteration >= rule.burn_in and rule.reason(step) is not None
    return rule(step) is not None


def _may_hold(rule: Any, glimpse: Glimpse) -> bool:
    """Whether :func:`_holds` may be true of a step of which there is a glimpse."""
    if isinstance(rule, AnyOf):
        return glimpse.iteration >= rule.burn_in and any(_may_hold(one, glimpse) for one in rule.rules)
    return not isinstance(rule, Rule) or (glimpse.iteration >= rule.burn_in and rule.may_hold(glimpse))


def any_rules(rules: Iterable[Any]) -> Iterator[Any]:
    """The rules of which any may stop a run, those inside AnyOf too."""
    for rule in rules:
        if isinstance(rule, AnyOf):
            yield from any_rules(rule.rules)
        else:
            yield rule


def deadline(rules: Iterable[Any], iteration: int | None = None) -> float:
    """The seconds after which a rule ends a run: of those asked after this iteration, or of all."""
    seconds = np.inf
    for rule in rules:
        asked_at = getattr(rule, "asked_at", None)  # a plain function is always asked
        if iteration is not None and asked_at is not None and not asked_at(iteration):
            continue
        own = deadline(rule.rules, iteration) if isinstance(rule, AnyOf) else getattr(rule, "deadline", np.inf)
        seconds = min(seconds, own)
    return float(seconds)


def may_stop(rules: Iterable[Any], glimpse: Glimpse) -> bool:
    """Whether one of the rules has to be asked; a plain function always has."""
    return any(not isinstance(rule, Rule) or rule.may_stop(glimpse) for rule in rules)


def rule_list(stop: Any) -> tuple[Rule, ...]:
    """A rule or a sequence of rules, checked."""
    rules = (stop,) if callable(stop) and not isinstance(stop, type) else stop
    if not isinstance(rules, Iterable) or isinstance(rules, str):
        raise TypeError(f"stop must be a stopping rule or a list of them, not {shortened(repr(stop))}.")
    listed = tuple(rules)
    if not listed:
        raise ValueError("The list of stopping rules is empty; give at least one, e.g. MaxIterations(100).")
    for rule in listed:
        if not callable(rule) or isinstance(rule, type):
            raise TypeError(f"stop must hold stopping rules such as MaxIterations(100), not {shortened(repr(rule))}.")
    return listed
