"""Join orders for people: the literals of a body in the order in which they are matched, with expected and counted bindings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import overload

from tidelog.report.costs import ProfiledRule, columns_of_text


@dataclass(frozen=True, slots=True)
class PlannedLiteral:
    """A literal of a body in its turn."""

    literal: str
    way: str
    """How it is matched: `all rows`, `index on 2` (the columns that are bound), `look up` (all are bound), `successors` and
    `predecessors` (of a transitive relation), `one match is enough`, `no match`, `test`, `compute`, `what has changed`;
    `shortest of 2: index on 1`, and `shortest` for the others: the one with the fewest rows, for each binding anew."""
    expected: float
    """How many bindings of all variables so far the planner expects."""
    counted: int | None = None
    """How many there are, if that was asked for; None also if there are more than was allowed to count."""


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """The order in which a body is joined."""

    rule: ProfiledRule
    change: str | None
    """The literal whose change it is for; None if it is for all facts."""
    literals: tuple[PlannedLiteral, ...]
    note: str = ""

    def lines(self) -> list[str]:
        """The plan as a table."""
        title = self.rule.text if self.change is None else f"  when {self.change} changes"
        if self.change is not None:
            return [title, *(f"    {one.literal}: {one.way}" for one in self.literals)]
        if self.note:
            return [title, f"  {self.note}"]
        rows = [
            (f"{one.expected:,.0f}", *(() if not self._is_counted else (_counted(one),)), one.literal, one.way)
            for one in self.literals
        ]
        heads = ("expected", *(("counted",) if self._is_counted else ()), "literal", "matched by")
        return [title, *(f"  {line}" for line in columns_of_text(heads, rows, numbers=1 + self._is_counted))]

    @property
    def _is_counted(self) -> bool:
        return any(one.counted is not None for one in self.literals)


class Plans(Sequence[JoinPlan]):
    """Some plans; as text, JSON and objects."""

    def __init__(self, plans: Sequence[JoinPlan]) -> None:
        self._plans = tuple(plans)

    @overload
    def __getitem__(self, at: int) -> JoinPlan: ...

    @overload
    def __getitem__(self, at: slice) -> Plans: ...

    def __getitem__(self, at: int | slice) -> JoinPlan | Plans:
        return Plans(self._plans[at]) if isinstance(at, slice) else self._plans[at]

    def __len__(self) -> int:
        return len(self._plans)

    def __iter__(self) -> Iterator[JoinPlan]:
        return iter(self._plans)

    def lines(self) -> list[str]:
        """All plans, for a terminal."""
        lines: list[str] = []
        for plan in self._plans:
            lines += [*([""] if lines and plan.change is None else []), *plan.lines()]
        return lines or ["there is no rule to plan"]

    def to_json(self) -> str:
        """All plans as JSON."""
        return json.dumps([asdict(plan) for plan in self._plans], ensure_ascii=False, indent=1)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def _counted(literal: PlannedLiteral) -> str:
    return "many" if literal.counted is None else f"{literal.counted:,}"
