"""The counters of an evaluation, by rule and round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tidelog.display.html import table


@dataclass(slots=True)
class Round:
    """The counters of one rule in one round."""

    unit: int
    rule: int
    """The number of the rule in the program."""
    number: int
    derivations: int
    new_facts: int
    seconds: float
    """0 where one kernel call ran all rounds of an update."""


@dataclass(slots=True)
class Statistics:
    """The counters of an evaluation."""

    rounds: list[Round] = field(default_factory=list)
    derivations: int = 0
    """Rule instances found."""
    undefined: int = 0
    """Function results that are undefined, such as of a division by zero."""

    def renumbered(self, places: Mapping[int, int]) -> Statistics:
        """The statistics with rules renumbered; rounds of rules without a new number are left out."""
        rounds = [replace(done, rule=places[done.rule]) for done in self.rounds if done.rule in places]
        return Statistics(rounds, self.derivations, self.undefined)

    def add(self, rounds: Iterable[Round], undefined: int = 0) -> None:
        """Add the rounds of another evaluation."""
        more = list(rounds)
        self.rounds += more
        self.derivations += sum(done.derivations for done in more)
        self.undefined += undefined

    def _repr_html_(self) -> str:
        rules: dict[int, list[Round]] = {}
        for done in self.rounds:
            rules.setdefault(done.rule, []).append(done)
        rows = [
            (
                rule,
                max(done.number for done in some),
                f"{sum(done.derivations for done in some):,}",
                f"{sum(done.new_facts for done in some):,}",
                f"{sum(done.seconds for done in some):.3f}",
            )
            for rule, some in sorted(rules.items())
        ]
        caption = f"{self.derivations:,} derivations" + (f", {self.undefined:,} undefined results" if self.undefined else "")
        return table(caption, ("rule", "rounds", "derivations", "new facts", "seconds"), rows)
