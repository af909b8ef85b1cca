"""What units have cost: the measurements that the cost model reads."""

from __future__ import annotations

import pytest

from tidelog.local.maintenance.costs import SMALL, Costs


def test_the_first_deletion_does_not_count() -> None:
    """It makes plans."""
    costs = Costs()
    costs.deleted(9.0, 1, 1, 1)
    assert costs.per_fact == 0.0
    costs.deleted(2.0, 4, 0, 0)
    assert costs.per_fact == 0.5


def test_recent_deletions_count_more() -> None:
    costs = Costs(deletions=0)
    costs.deleted(1.0, 1, 0, 0)
    costs.deleted(0.0, 1, 0, 0)
    assert costs.per_fact == pytest.approx(0.75 / 1.75)
    costs.deleted(None, 100, 0, 0)  # not measured
    assert costs.per_fact == pytest.approx(0.75 / 1.75)


def test_a_deletion_that_was_given_up_would_have_taken_longer() -> None:
    costs = Costs(deletions=0)
    costs.deleted(1.0, 100, 0, 0)
    costs.gave_up(3.0, 2)
    assert costs.per_fact == 3.0


def test_deletions_like_one_that_was_given_up_are_spared_for_a_while() -> None:
    costs = Costs(deletions=0)
    costs.gave_up(1.0, 100)
    assert [costs.is_hopeless(lost) for lost in (49, 50, 100, 1_000, 100)] == [False, True, True, True, False]
    costs.gave_up(1.0, 100)
    assert sum(costs.is_hopeless(100) for _ in range(100)) == 15
    costs.deleted(1.0, 10, 0, 0)
    costs.gave_up(1.0, 100)
    assert sum(costs.is_hopeless(100) for _ in range(100)) == 63
    costs.deleted(1.0, 100, 0, 0)
    assert not costs.is_hopeless(100)
    costs.gave_up(1.0, 100)
    assert sum(costs.is_hopeless(100) for _ in range(100)) == 3


def test_few_proofs_are_seen_in_many_suspects_only() -> None:
    costs = Costs(deletions=0)
    seen = []
    for kept in (0, 0, 20):
        costs.deleted(None, 1, 40, kept)
        seen.append(costs.has_few_proofs)
    assert seen == [False, True, False]


def test_rematerialising_is_as_long_as_there_are_rows() -> None:
    costs = Costs()
    costs.derived(2.0, 10 * SMALL)
    assert costs.anew_with(5 * SMALL) == 1.0
    costs.derived(2.0, 1)
    assert costs.anew_with(SMALL) == 2.0, "in a small unit it is plans and calls that take time"


def test_a_unit_made_of_several() -> None:
    parts = [Costs(anew=1.0, rows=10, deletions=3, seconds=7.0), Costs(anew=2.0, rows=20)]
    assert Costs.of_all(parts) == Costs(anew=3.0, rows=30)
    assert Costs.of_all([]) == Costs()


def test_the_first_deletion_that_is_given_up_tells_nothing() -> None:
    costs = Costs()
    costs.gave_up(1.0, 100)
    assert not costs.is_hopeless(100)
    assert (costs.per_fact, costs.patience) == (0.0, Costs().patience)
    costs.gave_up(1.0, 100)
    assert costs.is_hopeless(100)
    assert costs.patience < Costs().patience


def test_patience_is_lost_soon_and_comes_back_slowly() -> None:
    costs = Costs(deletions=0)
    first = costs.patience
    costs.gave_up(None, 1)
    least = costs.patience
    assert least == first / 2
    costs.ended()
    assert least < costs.patience < first
    for _ in range(40):
        costs.gave_up(None, 1)
    assert 0 < costs.patience < first / 5
    for _ in range(40):
        costs.ended()
    assert costs.patience == first
