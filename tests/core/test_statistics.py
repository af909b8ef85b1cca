"""The counters of an evaluation."""

from __future__ import annotations

from tidelog.core.statistics import Round, Statistics


def test_rounds_are_added_up() -> None:
    statistics = Statistics()
    statistics.add([Round(0, 1, 0, 5, 3, 0.0), Round(0, 2, 1, 4, 4, 0.0)], undefined=2)
    statistics.add(iter([Round(1, 1, 0, 1, 0, 0.0)]))
    assert (statistics.derivations, statistics.undefined) == (10, 2)
    assert [done.rule for done in statistics.rounds] == [1, 2, 1]


def test_renumbering_leaves_out_rules_without_a_number() -> None:
    statistics = Statistics([Round(0, 1, 0, 5, 3, 0.0), Round(0, 2, 1, 4, 4, 0.5)], 9, 1)
    renumbered = statistics.renumbered({2: 0})
    assert renumbered.rounds == [Round(0, 0, 1, 4, 4, 0.5)]
    assert (renumbered.derivations, renumbered.undefined) == (9, 1)
    assert [done.rule for done in statistics.rounds] == [1, 2]
