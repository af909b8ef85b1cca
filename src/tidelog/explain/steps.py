"""The parts of an explanation: facts, the rule instances that derive them, and the reasons why these hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tidelog.files.text.json_values import to_json

MOST_SHOWN = 30
"""Steps of a long proof that are printed, and of which boxes are drawn."""


@dataclass(frozen=True, slots=True)
class ShownRule:
    """A rule of the program."""

    at: int
    """Its position in `kb.program.rules`."""
    place: str
    """Its name, or its line: `r7`, `line 3`."""
    text: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why one literal of a body is true in an instance."""

    what: Literal["fact", "absent", "test", "aggregate"]
    text: str
    """The literal with the values of its variables."""
    premise: int | None = None
    """For a fact: the number of its step."""
    note: str = ""
    """For a negated atom: what there is instead."""
    rows: tuple[str, ...] = ()
    """For an aggregate: some of the rows that it folds ..."""
    more: int = 0
    """... and how many more there are."""

    def to_dict(self) -> dict[str, object]:
        """The reason as JSON."""
        told: dict[str, object] = {"what": self.what, "text": self.text}
        told |= {} if self.premise is None else {"premise": self.premise}
        told |= {"note": self.note} if self.note else {}
        return told | ({"rows": list(self.rows), "more": self.more} if self.what == "aggregate" else {})


@dataclass(frozen=True, slots=True)
class Way:
    """A rule instance that derives a fact; or a chain of facts of a relation that is closed under some rules."""

    rules: tuple[ShownRule, ...]
    """The rule; of a chain, the rules that it stands for."""
    reasons: tuple[Reason, ...]
    """One for each literal of the body, or for each fact of the chain."""
    binding: dict[str, Any] = field(default_factory=dict)
    """The values of the rule's variables."""
    is_chain: bool = False
    left_out: int = 0
    """How many facts of a long chain are left out, in its middle."""

    @property
    def numbers(self) -> list[int]:
        """The numbers of the steps that it needs."""
        return [reason.premise for reason in self.reasons if reason.premise is not None]


class Step:
    """A fact, and why it holds."""

    __slots__ = ("_steps", "fact", "is_explicit", "number", "text", "ways")

    def __init__(self, steps: list[Step], fact: tuple[Any, ...], text: str, *, is_explicit: bool, ways: tuple[Way, ...]) -> None:
        """`steps` are those of the explanation, to which it belongs; by their numbers they refer to each other."""
        self._steps, self.number = steps, len(steps)
        self.fact, self.text, self.is_explicit, self.ways = fact, text, is_explicit, ways

    @property
    def way(self) -> Way | None:
        """The rule instance of a proof; None if the fact is explicit."""
        return self.ways[0] if self.ways else None

    @property
    def rule(self) -> ShownRule | None:
        """The rule of that instance."""
        return self.ways[0].rules[0] if self.ways else None

    @property
    def premises(self) -> tuple[Step, ...]:
        """The facts that it follows from, in that instance."""
        return tuple(self._steps[number] for number in self.ways[0].numbers) if self.ways else ()

    def to_dict(self) -> dict[str, object]:
        """The step as JSON."""
        return {
            "number": self.number,
            "fact": [self.fact[0], *map(to_json, self.fact[1:])],
            "text": self.text,
            "explicit": self.is_explicit,
            "ways": [
                {
                    "rules": [rule.place for rule in way.rules],
                    "chain": way.is_chain,
                    "left_out": way.left_out,
                    "binding": {name: to_json(value) for name, value in way.binding.items()},
                    "reasons": [reason.to_dict() for reason in way.reasons],
                }
                for way in self.ways
            ],
        }

    def __repr__(self) -> str:
        return f"<Step {self.number}: {self.text}>"


class Steps(Sequence[Step]):
    """Facts, each after those that it needs, and the explained one at the end."""

    def __init__(self, steps: list[Step], *, is_proof: bool, is_whole: bool) -> None:
        self._steps, self.is_proof = steps, is_proof
        self.is_whole = is_whole
        """Whether it is the shortest proof; or, of all ways, whether there are no more of them."""

    def __len__(self) -> int:
        return len(self._steps)

    def __getitem__(self, at: Any) -> Any:
        return self._steps[at]

    def __iter__(self) -> Iterator[Step]:
        return iter(self._steps)

    @property
    def root(self) -> Step:
        """The fact that is explained."""
        return self._steps[-1]

    @property
    def fact(self) -> tuple[Any, ...]:
        """The fact that is explained, with the name of its relation first."""
        return self.root.fact

    @property
    def rules(self) -> tuple[ShownRule, ...]:
        """All rules that occur, in the order of the program."""
        found = {rule.at: rule for step in self._steps for way in step.ways for rule in way.rules}
        return tuple(found[at] for at in sorted(found))

    @property
    def leaves(self) -> tuple[Step, ...]:
        """The explicit facts that it rests on."""
        return tuple(step for step in self._steps if step.is_explicit)

    @property
    def height(self) -> int:
        """How many rule instances stand on one another, at most; of a proof."""
        heights = [0] * len(self._steps)
        for step in self._steps if self.is_proof else ():
            heights[step.number] = 1 + max((heights[at] for at in step.ways[0].numbers), default=0) if step.ways else 0
        return heights[-1]
