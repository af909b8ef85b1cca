"""The parts of an answer to `why_not`: rules, instances that come near, literals that fail, repairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tidelog.explain.steps import ShownRule, Steps
from tidelog.files.text.json_values import to_json


@dataclass(frozen=True, slots=True)
class Failure:
    """A literal that is not true, and what there is instead."""

    text: str
    """The literal with the values of its variables, as far as they are known."""
    note: str
    """Why it is not true."""
    near: tuple[str, ...] = ()
    """What is there instead: facts that differ in one place, rows of an aggregate, facts that a negation excludes."""

    def to_dict(self) -> dict[str, object]:
        """The failure as JSON."""
        return {"literal": self.text, "why": self.note, "near": list(self.near)}


@dataclass(frozen=True, slots=True)
class Miss:
    """An instance of a rule that comes near: literals that are true together, and those that are not."""

    true: tuple[str, ...]
    failed: tuple[Failure, ...]
    unseen: tuple[str, ...] = ()
    """Literals whose variables nothing binds then."""

    def to_dict(self) -> dict[str, object]:
        """The miss as JSON."""
        return {"true": list(self.true), "failed": [one.to_dict() for one in self.failed], "unseen": list(self.unseen)}


@dataclass(frozen=True, slots=True)
class Attempt:
    """A rule that could derive the fact."""

    rule: ShownRule
    fits: bool
    """Whether its head can be the fact at all."""
    literals: int
    misses: tuple[Miss, ...]
    """What comes nearest: as many literals are true in each of them."""
    is_whole: bool
    """Whether certainly nothing comes nearer."""

    @property
    def reached(self) -> int:
        """How many literals can be true together."""
        return max((len(miss.true) for miss in self.misses), default=0)

    def to_dict(self) -> dict[str, object]:
        """The attempt as JSON."""
        return {
            "rule": {"place": self.rule.place, "text": self.rule.text},
            "fits": self.fits,
            "true": self.reached,
            "literals": self.literals,
            "whole": self.is_whole,
            "misses": [miss.to_dict() for miss in self.misses],
        }


@dataclass(frozen=True, slots=True)
class Repair:
    """Explicit facts whose insertion derives the fact."""

    facts: tuple[tuple[Any, ...], ...]
    """As `kb.update(insert=…)` takes them."""
    texts: tuple[str, ...]
    chosen: tuple[str, ...] = ()
    """Values in them for which others might do."""
    is_certain: bool = False
    """Whether it need not be tried: no negation and no aggregate reads what may follow from these facts."""

    def to_dict(self) -> dict[str, object]:
        """The repair as JSON."""
        rows = [[name, *map(to_json, values)] for name, *values in self.facts]
        return {"insert": rows, "text": list(self.texts), "chosen": list(self.chosen)}


class Answer:
    """Why a fact does not hold, or that it does."""

    def __init__(
        self,
        fact: tuple[Any, ...],
        text: str,
        attempts: Sequence[Attempt] = (),
        repairs: Sequence[Repair] = (),
        *,
        near: tuple[str, ...] = (),
        proof: Steps | None = None,
    ) -> None:
        self.fact, self.text, self.attempts, self.near = fact, text, tuple(attempts), near
        """`near` are facts like it, if no rule derives its relation."""
        self.repairs = tuple(repairs)
        """The smallest sets of facts that have been found whose insertion derives it."""
        self.proof = proof
        """If the fact holds: why."""

    @property
    def holds(self) -> bool:
        """Whether the fact holds after all."""
        return self.proof is not None
