"""Random histories in which rules come and go, between updates of facts and together with them.

The rules are those of a program of any generator; some are there from the beginning.  A step takes some of them away, brings
others, and may delete and insert facts in the same update.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st
from tests.differential.update_histories import maintained

from tidelog import Source
from tidelog.program.changes.sameness import canonical_key
from tidelog.program.program import check

Rule = tuple[str, tuple[str, ...]]
Facts = tuple[str, ...]


@dataclass(frozen=True)
class RuleStep:
    """What happens in one update: rules that go if they are there and come if they are not, facts that go, facts that come."""

    toggled: tuple[Rule, ...]
    delete: Facts = ()
    insert: Facts = ()


@dataclass(frozen=True)
class RuleHistory:
    """Rules and facts to begin with, and what happens then."""

    rules: tuple[Rule, ...]
    facts: Facts
    steps: tuple[RuleStep, ...]

    @property
    def text(self) -> str:
        """The program as it is first."""
        return "\n".join([*map(rule_text, self.rules), *(f"{fact}." for fact in self.facts)])


def rule_text(rule: Rule) -> str:
    """A rule as it is written."""
    head, body = rule
    return f"{head} :- {', '.join(body)}."


@st.composite
def rule_histories(draw: st.DrawFn, most_steps: int = 5, largest_arity: int = 3) -> RuleHistory:
    """A program whose rules come and go."""
    history = draw(maintained(largest_arity=largest_arity))
    rules = list({_key(rule): rule for rule in history.program.rules}.values())
    first = draw(st.lists(st.sampled_from(rules), unique=True))
    steps = []
    for _ in range(draw(st.integers(1, most_steps))):
        toggled = draw(st.lists(st.sampled_from(rules), max_size=2, unique=True))
        deleted, inserted = draw(st.sampled_from(history.updates)) if draw(st.booleans()) else ((), ())
        steps.append(RuleStep(tuple(toggled), deleted, inserted))
    return RuleHistory(tuple(first), history.program.facts, tuple(steps))


def _key(rule: Rule) -> object:
    """What rules have in common that are the same."""
    return canonical_key(check(Source(rule_text(rule))).rules[0])
