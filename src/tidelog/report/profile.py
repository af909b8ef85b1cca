"""What a knowledge base has spent its time on: rules, units, updates and deletions, for people and for programs.

A profile is filled by an engine, one evaluation after the other, and may be read meanwhile.  Where one call of the kernel ran all
rules of a unit, which is how small updates are evaluated, the time of the unit is shared out among its rules by the instances
that each has found.
"""

from __future__ import annotations

import csv
import io
import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from html import escape
from os import PathLike
from threading import Lock
from typing import Self

from tidelog.arguments import path_of
from tidelog.changes import ChangeStatistics
from tidelog.core.rule_report import Visit
from tidelog.core.rules import Unit
from tidelog.core.statistics import Round
from tidelog.errors import fail
from tidelog.report.costs import Kind, ProfiledRule, RuleCost, UnitCost, UpdateCost, columns_of_text, shown_seconds

_MOST_UPDATES = 10_000
"""So many updates are kept one by one; of those before, only what they add up to."""
_SHOWN = 12
"""Rules and units that the text shows."""


class Profile:
    """What was recorded; as text, JSON, CSV, a page, and as objects."""

    def __init__(self, stop: Callable[[], None] = lambda: None) -> None:
        """`stop` ends the recording."""
        self._stop, self._lock = stop, Lock()
        self._rules: dict[int, RuleCost] = {}
        self._units: dict[tuple[str, ...], UnitCost] = {}
        self._known: dict[int, tuple[Unit, UnitCost]] = {}
        """By the number of a unit, as long as it is that unit."""
        self._updates: deque[UpdateCost] = deque(maxlen=_MOST_UPDATES)
        self.count = 0
        """How many evaluations were recorded."""
        self.seconds = 0.0
        """What they took together."""

    def stop(self) -> None:
        """Record nothing more."""
        self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # --- in --------------------------------------------------------------------------------------------------------------

    def record(
        self,
        kind: Kind,
        done: ChangeStatistics,
        rounds: Sequence[Round],
        visits: Sequence[Visit],
        rule_of: Callable[[int], ProfiledRule],
    ) -> None:
        """Add an evaluation; `rule_of` tells what a rule is by its number."""
        with self._lock:
            by_unit: dict[int, list[Round]] = {}
            for one in rounds:
                by_unit.setdefault(one.unit, []).append(one)
            for visit in visits:
                unit, own = self._unit(visit), by_unit.pop(visit.number, ())
                unit.seconds += visit.seconds
                unit.visits += 1
                self._add_rules(own, visit.seconds, rule_of)
                if kind == "materialisation":
                    unit.growth = _growth(own)
                    for number, counts in _by_rule(own).items():
                        self._rules[number].anew = counts
            for rest in by_unit.values():
                self._add_rules(rest, 0.0, rule_of)
            self.count += 1
            self.seconds += done.seconds
            amounts = done.inserted, done.deleted, done.derivations, done.rounds
            self._updates.append(UpdateCost(self.count, kind, done.seconds, done.algorithm, *amounts, tuple(done.deletions)))

    def _unit(self, visit: Visit) -> UnitCost:
        """What is recorded of the relations of a unit."""
        known = self._known.get(visit.number)
        if known is not None and known[0] is visit.unit:
            return known[1]
        relations = tuple(name for name in visit.unit.relations if not name.startswith("#")) or (visit.unit.owner,)
        cost = self._units.setdefault(relations, UnitCost(relations))
        self._known[visit.number] = visit.unit, cost
        return cost

    def _add_rules(self, rounds: Sequence[Round], seconds: float, rule_of: Callable[[int], ProfiledRule]) -> None:
        """Add rounds of a unit that took so many seconds; what no rule was measured to take is shared out among the others."""
        measured, derivations = 0.0, 0
        for one in rounds:
            measured += one.seconds
            derivations += 0 if one.seconds else one.derivations
        rest = max(0.0, seconds - measured) / derivations if derivations else 0.0
        for one in rounds:
            cost = self._rules.get(one.rule)
            if cost is None:
                cost = self._rules[one.rule] = RuleCost(rule_of(one.rule))
            cost.seconds += one.seconds or rest * one.derivations
            cost.derivations += one.derivations
            cost.new_facts += one.new_facts
            cost.rounds += 1

    # --- out -------------------------------------------------------------------------------------------------------------

    @property
    def rules(self) -> list[RuleCost]:
        """The rules, the most expensive ones first."""
        with self._lock:
            return sorted(self._rules.values(), key=lambda cost: (-cost.seconds, -cost.derivations, cost.rule.name))

    @property
    def units(self) -> list[UnitCost]:
        """The units, the most expensive ones first."""
        with self._lock:
            return sorted(self._units.values(), key=lambda cost: (-cost.seconds, cost.relations))

    @property
    def updates(self) -> list[UpdateCost]:
        """The evaluations in their order; of very many, the last ones."""
        with self._lock:
            return list(self._updates)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__

    def lines(self) -> list[str]:
        """The profile as a table for a terminal."""
        plural = "" if self.count == 1 else "s"
        lines = [f"{self.count:,} evaluation{plural}, {shown_seconds(self.seconds)}"]
        if not self.count:
            return [*lines, "nothing has been evaluated since the recording began"]
        rules, units, updates = self.rules, self.units, self.updates
        rows = [
            (shown_seconds(cost.seconds), f"{cost.derivations:,}", f"{cost.new_facts:,}", cost.rule.name, cost.rule.text)
            for cost in rules[:_SHOWN]
        ]
        if rows:
            lines += [
                "",
                *columns_of_text(("time", "instances", "new facts", "rule", ""), rows, numbers=3),
                *_more(rules, "rule"),
            ]
        spent = [(shown_seconds(cost.seconds), f"{cost.visits:,}", ", ".join(cost.relations)) for cost in units[:_SHOWN]]
        lines += ["", *columns_of_text(("time", "visits", "unit"), spent, numbers=2), *_more(units, "unit")]
        slowest = sorted((one for one in updates if one.kind != "materialisation"), key=lambda one: -one.seconds)
        if slowest:
            rows = [
                (shown_seconds(one.seconds), f"{one.inserted:,}", f"{one.deleted:,}", f"{one.derivations:,}", one.algorithm)
                for one in slowest[:3]
            ]
            lines += ["", *columns_of_text(("slowest", "inserted", "deleted", "instances", "algorithm"), rows, numbers=4)]
        return lines

    def as_dict(self) -> dict[str, object]:
        """Everything as plain data."""
        return {
            "evaluations": self.count,
            "seconds": self.seconds,
            "rules": [{**asdict(cost.rule), **_without(asdict(cost), "rule")} for cost in self.rules],
            "units": [asdict(cost) for cost in self.units],
            "updates": [asdict(cost) for cost in self.updates],
        }

    def to_json(self) -> str:
        """Everything as JSON."""
        return json.dumps(self.as_dict(), ensure_ascii=False, indent=1)

    def to_csv(self) -> str:
        """The rules as CSV."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("rule", "place", "seconds", "instances", "new_facts", "rounds", "text"))
        for cost in self.rules:
            counts = f"{cost.seconds:.6f}", cost.derivations, cost.new_facts, cost.rounds
            writer.writerow((cost.rule.name, cost.rule.place, *counts, cost.rule.text))
        return out.getvalue()

    def to_html(self) -> str:
        """A page that needs nothing from anywhere else."""
        from tidelog.report.profile_page import page_of

        return page_of(self.rules, self.units, self.updates, self.seconds, self.count)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file that ends with `.html`, `.json`, `.csv` or `.txt`."""
        target = path_of(path)
        forms: Mapping[str, Callable[[], str]] = {
            ".html": self.to_html,
            ".json": self.to_json,
            ".csv": self.to_csv,
            ".txt": lambda: f"{self}\n",
        }
        if (form := forms.get(target.suffix)) is None:
            fix = "let the name end with .html, .json, .csv or .txt"
            raise fail("TL082", f"a profile cannot be written as {target.name}", fix=fix)
        from tidelog.report.svg import write

        write(target, form().encode())


def _growth(rounds: Iterable[Round]) -> list[int]:
    by_number: dict[int, int] = {}
    for one in rounds:
        by_number[one.number] = by_number.get(one.number, 0) + one.new_facts
    return [by_number[number] for number in sorted(by_number)]


def _by_rule(rounds: Iterable[Round]) -> dict[int, tuple[int, int]]:
    """The instances and new facts of each rule."""
    found: dict[int, tuple[int, int]] = {}
    for one in rounds:
        instances, facts = found.get(one.rule, (0, 0))
        found[one.rule] = instances + one.derivations, facts + one.new_facts
    return found


def _without(values: dict[str, object], name: str) -> dict[str, object]:
    del values[name]
    return values


def _more(costs: Sequence[object], noun: str) -> list[str]:
    rest = len(costs) - _SHOWN
    return [f"and {rest:,} {noun}{'' if rest == 1 else 's'} more"] if rest > 0 else []
