"""The parts of the explanation of a change: facts that came or went, each with what brought it about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tidelog.explain.steps import ShownRule, Steps
from tidelog.files.text.json_values import to_json

What = Literal["came", "went"]


@dataclass(frozen=True, slots=True)
class ChangedReason:
    """A literal of a rule instance that has come about, or has come to nothing."""

    text: str
    note: str
    """Whether it was true before, or still is, where nothing has changed in it."""
    steps: tuple[int, ...] = ()
    """The facts that have changed in it."""

    def to_dict(self) -> dict[str, object]:
        """The reason as JSON."""
        return {"text": self.text, "note": self.note, "steps": list(self.steps)}


@dataclass(frozen=True, slots=True)
class ChangedStep:
    """A fact that came or went."""

    number: int
    fact: tuple[Any, ...]
    text: str
    what: What
    rules: tuple[ShownRule, ...] = ()
    """The rule whose instance came or went; of a chain, those that it stands for.  None if the fact was given, or taken back."""
    rule_changed: bool = False
    """Whether the rule itself came, or went, with the change."""
    reasons: tuple[ChangedReason, ...] = ()

    @property
    def is_explicit(self) -> bool:
        """Whether the change itself inserted or deleted it."""
        return not self.rules

    @property
    def why(self) -> str:
        """What brought it about, in a few words."""
        if self.is_explicit:
            return "inserted" if self.what == "came" else "deleted"
        places = " and ".join(rule.place for rule in self.rules)
        if self.rule_changed:
            return f"by {places}, which was {'added' if self.what == 'came' else 'removed'}"
        return f"{'by' if self.what == 'came' else 'followed by'} {places}"

    def to_dict(self) -> dict[str, object]:
        """The step as JSON."""
        return {
            "number": self.number,
            "fact": [self.fact[0], *map(to_json, self.fact[1:])],
            "text": self.text,
            "what": self.what,
            "rules": [{"place": rule.place, "text": rule.text} for rule in self.rules],
            "rule_changed": self.rule_changed,
            "reasons": [reason.to_dict() for reason in self.reasons],
        }


class Changed:
    """What a change did to one fact, and why."""

    def __init__(
        self,
        fact: tuple[Any, ...],
        text: str,
        what: Literal["came", "went", "stayed"],
        steps: Sequence[ChangedStep],
        *,
        lost: tuple[int, ...] = (),
        was_explicit: bool = False,
        proof: Steps | None = None,
    ) -> None:
        self.fact, self.text, self.what, self.steps = fact, text, what, tuple(steps)
        """Of a fact that came or went, the first step is the fact itself."""
        self.lost, self.was_explicit = lost, was_explicit
        """Of a fact that stayed: the steps that its proof before rested on, and whether it was explicit, and was deleted."""
        self.proof = proof
        """The proof of a fact that came, or stayed; of one that went, the proof that it had."""

    @property
    def started_by(self) -> tuple[str, ...]:
        """What the change itself did that led to it: explicit facts and rules that came or went."""
        found: dict[str, None] = {}
        for step in self.steps:
            if step.is_explicit:
                found[f"{step.text} {step.why}"] = None
            elif step.rule_changed:
                done = "added" if step.what == "came" else "removed"
                found |= dict.fromkeys(f"{rule.place} {done}" for rule in step.rules)
        return tuple(found)
