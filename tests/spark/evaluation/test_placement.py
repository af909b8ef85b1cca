"""Where rules are evaluated: by the facts that they read, or as the user says."""

from __future__ import annotations

import pytest
from tests.local_engine import program

from tidelog.core.rewriting import core_of
from tidelog.spark.evaluation.placement import BYTES_A_FACT, PlacedProgram, Placement, Where, choose


def test_rules_that_read_little_are_evaluated_in_the_kernel() -> None:
    budget = 1_000 * BYTES_A_FACT
    where, why = choose("auto", 1_000, budget)
    assert where is Where.KERNEL
    assert why == "1,000 facts to read take about 64 kB, within the budget of 64 kB"
    where, why = choose("auto", 1_001, budget)
    assert where is Where.ROUNDS
    assert why == "1,001 facts to read take about 64 kB, beyond the budget of 64 kB"


@pytest.mark.parametrize(
    ("facts", "size"), [(1, "64 B"), (10**5, "6 MB"), (10**9, "64.0 GB"), (10**13, "640000.0 GB")]
)
def test_sizes_are_readable(facts: int, size: str) -> None:
    assert f"take about {size}," in choose("auto", facts, 0)[1]


def test_the_user_has_the_last_word() -> None:
    for where in Where:
        assert choose(where.value, 10**12, 0) == (where, "as asked for")
    with pytest.raises(ValueError, match="elsewhere"):
        choose("elsewhere", 1, 1)


def test_what_is_placed() -> None:
    given = program("p(X) :- e(X). q(X) :- p(X). r(X) :- p(X).")
    placed = PlacedProgram(given, core_of(given))
    placed.place(Placement(("p",), Where.ROUNDS, "large"), on_spark=["p"])
    placed.place(Placement(("q", "r"), Where.KERNEL, "small"), in_kernel=["q", "r", "#inner 1"])
    assert placed.where == {"p": Where.ROUNDS, "q": Where.KERNEL, "r": Where.KERNEL}
    assert placed.derived_on_spark == {"p"}
    assert placed.derived_in_kernel == {"q", "r", "#inner 1"}
    assert [placement.why for placement in placed.placements] == ["large", "small"]
