"""Where rules are evaluated, and why; and the record of it."""

from __future__ import annotations

from tidelog.core.rewriting import core_of
from tidelog.program.program import check
from tidelog.source import Source
from tidelog.spark.evaluation.placement import PlacedProgram, Placement, Where, choose


def test_the_budget_decides_unless_a_place_is_forced() -> None:
    assert choose("auto", 10, 640, 640)[0] is Where.KERNEL
    where, why = choose("auto", 11, 704, 640)
    assert where is Where.ROUNDS
    assert why == "11 facts to read take about 704 B, beyond the 640 B left of the budget"
    assert choose("components", 0, 0, 0)[0] is Where.COMPONENTS


def test_a_program_knows_where_its_components_are() -> None:
    program = check(Source("p(X) :- e(X). q(X) :- p(X)."))
    placed = PlacedProgram(program, core_of(program))
    placed.place(Placement(("p",), Where.KERNEL, "small"), in_kernel=["p"])
    placed.place(Placement(("q",), Where.ROUNDS, "large"), on_spark=["q", "#call 1"])
    assert placed.where == {"p": Where.KERNEL, "q": Where.ROUNDS}
    assert [placement.relations for placement in placed.placements] == [("p",), ("q",)]
    assert (placed.derived_in_kernel, placed.derived_on_spark) == ({"p"}, {"q", "#call 1"})
    assert PlacedProgram(program, placed.frame_core).where == {}, "nothing is shared between two of them"
