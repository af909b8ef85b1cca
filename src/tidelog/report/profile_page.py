"""A profile as one self-contained HTML page with plots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from tidelog.report.costs import RuleCost, UnitCost, UpdateCost, shown_seconds
from tidelog.report.page import section, table, tiles, whole_page
from tidelog.report.plots import Bar, bars, columns

_MOST_BARS, _MOST_ROUND_PLOTS, _UPDATES_SHOWN = 20, 6, 30
_COLOURS = 6
_MANY_INSTANCES, _WASTE = 1_000, 10
"""A rule that finds so many instances, and so many times as many as new facts, is worth a look."""


def page_of(
    rules: Sequence[RuleCost], units: Sequence[UnitCost], evaluations: Sequence[UpdateCost], seconds: float, count: int
) -> str:
    """The whole page, of rules and units by what they have cost, of evaluations in turn, and of how long all of these took."""
    updates = [one for one in evaluations if one.kind != "materialisation"]
    parts = [_head(rules, updates, seconds, count), section("Time of each rule", _rules(rules))]
    if wasteful := [cost for cost in rules if is_wasteful(cost)]:
        parts.append(section("Rules that find the same facts again and again", _wasteful(wasteful)))
    parts.append(section("Time of each unit", _units(units)))
    if growth := "".join(_growth(units)):
        parts.append(section("New facts of each round", growth))
    if updates:
        parts.append(section("Updates", _updates(updates)))
        parts.append(section("Deletions: expected and taken", _deletions(updates)))
    return whole_page("Profile", parts)


def is_wasteful(cost: RuleCost) -> bool:
    """Whether a rule finds many more instances than new facts."""
    return cost.anew[0] >= _MANY_INSTANCES and cost.instances_a_fact >= _WASTE


def _head(rules: Sequence[RuleCost], updates: list[UpdateCost], seconds: float, count: int) -> str:
    slowest = max((one.seconds for one in updates), default=0.0)
    shown = [
        (shown_seconds(seconds), "in all", ""),
        (f"{count:,}", "evaluations", ""),
        (f"{sum(cost.derivations for cost in rules):,}", "instances of rules", ""),
        (f"{sum(cost.new_facts for cost in rules):,}", "new facts", ""),
    ]
    if updates:
        times = sorted(one.seconds for one in updates)
        shown += [(shown_seconds(times[len(times) // 2]), "median update", ""), (shown_seconds(slowest), "slowest update", "")]
    return f"<h1>Profile</h1>\n{tiles(shown)}"


def _rules(rules: Sequence[RuleCost]) -> str:
    drawn = [Bar(cost.rule.name, cost.seconds, shown_seconds(cost.seconds)) for cost in rules[:_MOST_BARS] if cost.seconds]
    rows = [
        (
            cost.rule.name,
            cost.rule.text,
            cost.rule.place,
            shown_seconds(cost.seconds),
            f"{cost.derivations:,}",
            f"{cost.new_facts:,}",
            f"{cost.instances_a_fact:,.1f}",
        )
        for cost in rules
    ]
    heads = ("rule", "text", "place", "#time", "#instances", "#new facts", "#instances a fact")
    return bars(drawn, "time of each rule", may_be_logarithmic=False) + table(heads, rows)


def _wasteful(costs: list[RuleCost]) -> str:
    note = (
        '<p class="note">An instance that brings no new fact is work for nothing. Project or group before the join, or look '
        "at the join order: tidelog plan.</p>"
    )
    rows = [(cost.rule.name, cost.rule.text, f"{cost.instances_a_fact:,.0f}") for cost in costs]
    return note + table(("rule", "text", "#instances a fact"), rows)


def _units(units: Sequence[UnitCost]) -> str:
    drawn = [
        Bar(", ".join(cost.relations), cost.seconds, shown_seconds(cost.seconds), 1)
        for cost in units[:_MOST_BARS]
        if cost.seconds
    ]
    rows = [(", ".join(cost.relations), shown_seconds(cost.seconds), f"{cost.visits:,}") for cost in units]
    return bars(drawn, "time of each unit", may_be_logarithmic=False) + table(("relations", "#time", "#visits"), rows)


def _growth(units: Sequence[UnitCost]) -> Iterator[str]:
    recursive = [cost for cost in units if len(cost.growth) > 1]
    for at, cost in enumerate(recursive[:_MOST_ROUND_PLOTS]):
        name = ", ".join(cost.relations)
        values = [(number, float(new)) for number, new in enumerate(cost.growth)]
        yield f"<h3>{escape(name)}</h3>" + columns(values, f"new facts of {name}", unit="new facts", series=at % _COLOURS)


def _updates(updates: list[UpdateCost]) -> str:
    values = [(one.number, one.seconds * 1e3) for one in updates]
    drawn = columns(values, "milliseconds of each update", unit="ms", noun="update", series=2)
    slowest = sorted(updates, key=lambda one: -one.seconds)[:_UPDATES_SHOWN]
    rows = [
        (
            f"{one.number:,}",
            one.kind,
            shown_seconds(one.seconds),
            f"{one.inserted:,}",
            f"{one.deleted:,}",
            f"{one.derivations:,}",
            one.algorithm,
        )
        for one in slowest
    ]
    heads = ("#update", "kind", "#time", "#inserted", "#deleted", "#instances", "algorithm")
    return drawn + f"<h3>The slowest {len(rows)}</h3>" + table(heads, rows)


def _deletions(updates: list[UpdateCost]) -> str:
    found = [(one.number, cost) for one in updates for cost in one.deletions]
    slowest = sorted(found, key=lambda entry: -entry[1].seconds)[:_UPDATES_SHOWN]
    rows = [
        (
            f"{number:,}",
            ", ".join(name for name in cost.unit if not name.startswith("#")),
            cost.algorithm + (", gave up" if cost.gave_up else ""),
            cost.why,
            f"{cost.lost:,}",
            shown_seconds(cost.expected) if cost.expected else "",
            shown_seconds(cost.seconds),
            shown_seconds(cost.anew) if cost.anew else "",
        )
        for number, cost in slowest
    ]
    return table(("#update", "unit", "algorithm", "why", "#lost", "#expected", "#taken", "#starting over"), rows)
