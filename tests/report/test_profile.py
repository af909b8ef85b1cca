"""Profiles: what adds up, and the forms in which it is given."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.changes import ChangeStatistics, DeletionCost
from tidelog.core.rule_report import Visit
from tidelog.core.rules import Unit
from tidelog.core.statistics import Round
from tidelog.report.costs import ProfiledRule
from tidelog.report.profile import Profile


def unit_of(*relations: str) -> Unit:
    return Unit(relations, (), {}, frozenset(), frozenset(), owner=relations[0])


def rule_of(number: int) -> ProfiledRule:
    return ProfiledRule(f"r{number}", f"rules.dl:{number}", f"r{number}: p(X) :- q(X).")


def record(profile: Profile, rounds: list[Round], visits: list[Visit], *deletions: DeletionCost, kind: str = "update") -> None:
    done = ChangeStatistics("semi-naive", inserted=2, deleted=1, derivations=5, rounds=1, seconds=0.5, deletions=deletions)
    profile.record(kind, done, rounds, visits, rule_of)  # type: ignore[arg-type]


def test_what_no_rule_was_measured_to_take_is_shared_out() -> None:
    profile, unit = Profile(), unit_of("p")
    rounds = [Round(7, 1, 0, 10, 4, 0.125), Round(7, 2, 0, 30, 3, 0.0), Round(7, 3, 0, 10, 1, 0.0)]
    record(profile, rounds, [Visit(unit, is_evaluated=True, seconds=0.525, number=7)])
    found = {cost.rule.name: (round(cost.seconds, 9), cost.derivations, cost.new_facts) for cost in profile.rules}
    assert found == {"r2": (0.3, 30, 3), "r1": (0.125, 10, 4), "r3": (0.1, 10, 1)}
    assert [cost.rule.name for cost in profile.rules] == ["r2", "r1", "r3"]


def test_units_are_known_by_their_relations_even_if_their_numbers_change() -> None:
    profile = Profile()
    for number, relations in ((1, ("p",)), (1, ("p",)), (2, ("#inner 1",)), (1, ("q",)), (5, ("p",))):
        record(profile, [], [Visit(unit_of(*relations), is_evaluated=True, seconds=0.25, number=number)])
    assert [(cost.relations, cost.visits) for cost in profile.units] == [(("p",), 3), (("#inner 1",), 1), (("q",), 1)]
    assert (profile.count, profile.seconds) == (5, 2.5)


def test_growth_and_waste_are_those_of_the_last_materialisation() -> None:
    profile, visit = Profile(), Visit(unit_of("p"), is_evaluated=True, seconds=0.5, number=1)
    rounds = [Round(1, 1, 0, 10, 5, 0.1), Round(1, 2, 0, 10, 1, 0.1), Round(1, 1, 1, 90, 5, 0.1)]
    record(profile, rounds, [visit], kind="materialisation")
    record(profile, [Round(1, 1, 0, 1000, 0, 0.1)], [visit])
    (unit,), (first, _) = profile.units, profile.rules
    assert unit.growth == [6, 5]
    assert (first.derivations, first.instances_a_fact) == (1100, 10.0)


def test_deletions_are_kept_with_their_relations() -> None:
    profile, cost = Profile(), DeletionCost(("p", "q"), "ranked", "few facts have gone", 3, 0.25, 0.5, 0.125)
    record(profile, [], [Visit(unit_of("p", "q"), is_evaluated=False, seconds=0.5, number=1)], cost)
    assert profile.updates[0].deletions == (cost,)


@pytest.fixture
def profile() -> Profile:
    kb = KnowledgeBase("one: path(X, Y) :- edge(X, Y). two: path(X, Z) :- path(X, Y), edge(Y, Z).", modules=False)
    kb.update(insert=[("edge", at, at + 1) for at in range(20)])
    with kb.profile() as profile:
        kb.update(delete=[("edge", 5, 6)])
        kb.add_rules("back: back(Y, X) :- path(X, Y).")
        kb.remove_rules("one")
    kb.update(insert=[("edge", 5, 6)])  # not recorded any more
    return profile


def test_what_a_knowledge_base_records(profile: Profile) -> None:
    kinds = ["materialisation", "update", "rule change", "rule change"]
    assert [one.kind for one in profile.updates] == kinds
    counts = {cost.rule.name: cost for cost in profile.rules}
    assert set(counts) == {"one", "two", "back"}
    assert counts["one"].anew == (20, 20)
    assert counts["two"].anew == (190, 190)
    assert (counts["back"].derivations, counts["back"].new_facts) == (120, 120)
    (cost,) = profile.updates[1].deletions
    assert (cost.unit, cost.algorithm, cost.lost, cost.gave_up) == (("path",), "ranked", 1, False)
    assert next(unit for unit in profile.units if unit.relations == ("path",)).growth == [*range(20, 0, -1), 0]


def test_text(profile: Profile) -> None:
    text = str(profile)
    assert text.startswith("4 evaluations, ")
    assert "two: path(X, Z) :- path(X, Y), edge(Y, Z)." in text
    assert "ranked: few facts have gone" in text
    assert "<pre>" in profile._repr_html_()
    assert str(Profile()).endswith("nothing has been evaluated since the recording began")


def test_files(profile: Profile, tmp_path: Path) -> None:
    for ending in ("html", "json", "csv", "txt"):
        profile.save(tmp_path / f"p.{ending}")
    data = json.loads((tmp_path / "p.json").read_text(encoding="utf-8"))
    assert data["evaluations"] == 4
    assert {rule["name"]: rule["derivations"] for rule in data["rules"]}["two"] >= 190
    rows = list(csv.DictReader(io.StringIO((tmp_path / "p.csv").read_text(encoding="utf-8"))))
    assert {row["rule"] for row in rows} == {"one", "two", "back"}
    assert (tmp_path / "p.txt").read_text(encoding="utf-8") == f"{profile}\n"
    with pytest.raises(TidelogError, match=r"TL082.*p\.xlsx"):
        profile.save(tmp_path / "p.xlsx")
    with pytest.raises(TidelogError, match="TL060"):
        profile.save(tmp_path / "missing" / "p.json")
