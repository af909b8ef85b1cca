"""The Spark engine on examples that show where it evaluates; tests/differential has random programs at every placement.

This covers `evaluation.rounds`, `evaluation.querying` and `data.spark_facts`: whole programs, their facts and queries.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest
from tests.local_engine import held, program
from tests.rule_sets import RS1
from tests.spark.on_executors import as_if_large

from tidelog import KnowledgeBase, Source, TidelogError
from tidelog.reference import materialise
from tidelog.spark.kb import SparkKnowledgeBase

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVERYTHING = """
e(a, b). e(b, c). e(c, a). e(c, d). e(x, x). n(0). w(1). w(2.5). w(big). p(z, y).
p(X, Y) :- e(X, Y).
p(X, Z) :- p(X, Y), e(Y, Z).
s(X, Y) :- e(X, Y).
s(X, Y) :- s(Y, X).
s(X, Z) :- s(X, Y), s(Y, Z), X != Z.
many(X, N) :- p(X, _), N = count { p(X, Y) }, N > 1.
none(X, N) :- w(X), N = count { e(X, _) }.
middle(M) :- M = median { X : n(X) }.
end(X) :- e(_, X), not e(X, _).
apart(X, Y) :- e(X, _), e(_, Y), not p(X, Y).
text(cat(X, "!")) :- end(X).
n(X + 1) :- n(X), X < 3.
round :- p(X, X).
quiet :- not e(Q, Q), n(_).
loud(X) :- n(X), round.
same(X) :- e(X, X), X = x.
itself(X) :- X = X, not e(X, X), n(X).
"""


LARGE = "rounds, as if all were large"


def spark_kb(text: str, spark: SparkSession, placement: str, **options: Any) -> SparkKnowledgeBase:
    kb = KnowledgeBase(Source(text), engine="spark", spark=spark, placement=placement, **options)
    assert isinstance(kb, SparkKnowledgeBase)
    return kb


def check_program(text: str, spark: SparkSession, placement: str) -> SparkKnowledgeBase:
    with as_if_large() if placement == LARGE else nullcontext():
        kb = spark_kb(text, spark, "rounds" if placement == LARGE else placement)
        assert held(kb) == materialise(program(text))
    kb.close()
    return kb


@pytest.mark.parametrize(
    "placement", ["auto", "kernel", "decomposed", "rounds", pytest.param(LARGE, marks=pytest.mark.nightly)]
)  # what is as if it were large, tests/differential has every day
def test_everything(spark: SparkSession, placement: str) -> None:
    kb = check_program(EVERYTHING, spark, placement)
    found = {p.relations: str(p.where) for p in kb.placements}
    closed = "kernel" if placement in ("auto", "kernel") else placement.split(",", maxsplit=1)[0]
    assert found["p",] == found["s",] == closed
    assert found["n",] == ("kernel" if closed == "kernel" else "rounds")
    assert all(p.why for p in kb.placements)


def test_components(spark: SparkSession) -> None:
    rules = "s(X, Y) :- e(X, Y). s(X, Y) :- s(Y, X). s(X, Z) :- s(X, Y), s(Y, Z), X != Z."
    kb = check_program(rules + "e(a, b). e(b, c). e(d, e). e(x, x). s(c, f).", spark, "components")
    assert [str(p.where) for p in kb.placements] == ["components"]


@pytest.mark.parametrize("placement", ["kernel", "decomposed"])
def test_the_wind_farm(spark: SparkSession, placement: str) -> None:
    neighbours = "".join(f"hasNeighbour(t{i}, t{i + 1})." for i in range(5))
    temperatures = "".join(f"hasAirTemperatureMesurement(t{i}, {20 + i % 2})." for i in range(5))
    check_program(RS1 + neighbours + temperatures + "hasAirTemperatureMesurement(t5, 31.5).", spark, placement)


@pytest.mark.parametrize("placement", ["auto", "rounds"])
def test_queries_and_dataframes(spark: SparkSession, placement: str) -> None:
    kb = spark_kb("e(a, 1). e(b, 2). e(b, 3). h(X, N) :- N = sum { Y : e(X, Y) }. z :- e(_, _).", spark, placement)
    assert sorted(kb.query("e(X, Y), Y > 1, X != a")) == [("b", 2), ("b", 3)]
    assert list(kb.query("z")) == [()]
    frame = kb.dataframe("h")
    assert frame.dtypes == [("X", "string"), ("N", "bigint")]
    assert sorted(map(tuple, frame.collect())) == [("a", 1), ("b", 5)]
    assert kb["h"].to_arrow().num_rows == 2
    assert ("h", "b", 5) in kb
    assert ("h", "b", 5.0) not in kb


def test_what_outgrows_the_budget_goes_on_in_rounds(spark: SparkSession) -> None:
    text = "".join(f"d({i})." for i in range(20)) + "p(X, Y) :- d(X), d(Y). q(X) :- p(X, X)."
    kb = spark_kb(text, spark, "auto", memory_budget=64 * 100)
    assert kb.count("p") == 400
    assert kb.count("q") == 20
    assert str(kb.placements[0].where) == "rounds"
    assert "outgrew" in kb.placements[0].why


@pytest.mark.parametrize("placement", ["kernel", "rounds"])
def test_limits(spark: SparkSession, placement: str) -> None:
    kb = spark_kb("n(0). n(X + 1) :- n(X).", spark, placement, limit_facts=3)
    with pytest.raises(TidelogError, match="TL070"):
        kb.count("n")


def test_options_that_are_not_there(spark: SparkSession) -> None:
    with pytest.raises(TidelogError, match="TL074"):
        spark_kb("p(a).", spark, "elsewhere")
    with pytest.raises(TidelogError, match="TL074"):
        KnowledgeBase("p(a).", placement="kernel")
