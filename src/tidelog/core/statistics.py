"""What an evaluation did: rule by rule, round by round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace


@dataclass(slots=True)
class Round:
    """What one rule did in one round."""

    unit: int
    rule: int
    """The rule of the program."""
    number: int
    derivations: int
    new_facts: int
    seconds: float
    """0 where an update ran all rounds in one go."""


@dataclass(slots=True)
class Statistics:
    """What an evaluation did."""

    rounds: list[Round] = field(default_factory=list)
    derivations: int = 0
    """Rule instances that were found."""
    undefined: int = 0
    """Results that are undefined, such as of a division by zero."""

    def renumbered(self, places: Mapping[int, int]) -> Statistics:
        """The same with other numbers of rules, without those that have none."""
        rounds = [replace(done, rule=places[done.rule]) for done in self.rounds if done.rule in places]
        return Statistics(rounds, self.derivations, self.undefined)

    def add(self, rounds: Iterable[Round], undefined: int = 0) -> None:
        """Enter what others did."""
        more = list(rounds)
        self.rounds += more
        self.derivations += sum(done.derivations for done in more)
        self.undefined += undefined
