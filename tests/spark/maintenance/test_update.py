"""Updates on Spark, by example: deltas between kernel and Spark, what is fetched, rollback; tests/differential has random ones.

This covers `update_result` and the modules of `in_rounds`, which maintain units together: each needs the others to be right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.differential.checks import check_updates
from tests.differential.judging import ground
from tests.differential.places import BY_NAME, OpenPlace
from tests.local_engine import as_tuples, held, program, without_empty
from tests.random_programs import History, RandomProgram
from tests.spark.on_executors import no_facts_in_the_driver
from tests.spark.test_engine import EVERYTHING, spark_kb

from tidelog import TidelogError
from tidelog.core.arrays import Int32s
from tidelog.reference import materialise
from tidelog.spark.data.matrices import rows_of_table
from tidelog.spark.kb import SparkKnowledgeBase

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def at(place: str, spark: SparkSession) -> OpenPlace:
    """A place of the differential suite."""
    return OpenPlace(BY_NAME[f"spark-{place}"], spark)


@pytest.mark.parametrize("placement", ["kernel", "rounds"])
def test_everything(spark: SparkSession, placement: str) -> None:
    lines = EVERYTHING.strip().splitlines()
    facts = tuple(part.strip() for part in lines[0].split(".") if part.strip() and not part.strip().isdigit())
    facts = tuple(fact if fact.count("(") == fact.count(")") else "w(2.5)" for fact in facts)
    rules = tuple((head, (body,)) for head, _, body in (line.rstrip(".").partition(" :- ") for line in lines[1:]))
    updates = (
        (("e(c, a)", "w(1)"), ("e(d, a)", "n(2)")),
        (("e(a, b)", "p(z, y)", "n(0)"), ()),
        ((), ("e(a, b)", "n(0)", "e(x, y)")),
        (("e(x, x)", "e(d, a)", "e(b, c)"), ("e(b, c)",)),
    )
    check_updates(History(RandomProgram(rules, facts), updates, ()), at(placement, spark))


@pytest.mark.nightly
def test_negation_aggregates_and_recursion_on_executors(spark: SparkSession) -> None:
    rules = (
        ("r(X, Y)", ("e(X, Y)",)),
        ("r(X, Z)", ("r(X, Y)", "e(Y, Z)")),
        ("n(X, Y)", ("v(X)", "v(Y)", "not r(X, Y)")),
        ("c(X, N)", ("N = sum { Y : n(X, Y) }",)),
    )
    facts = ("e(1, 2)", "e(2, 3)", "e(3, 1)", "v(1)", "v(2)", "r(3, 2)")
    history = History(RandomProgram(rules, facts), ((("e(1, 2)", "r(3, 2)"), ("e(1, 3)",)),), ())
    check_updates(history, at("on-executors", spark))


@pytest.mark.parametrize("fetched", [0, pytest.param(500_000, marks=pytest.mark.nightly)])
def test_a_few_facts_that_go_from_many(spark: SparkSession, monkeypatch: pytest.MonkeyPatch, fetched: int) -> None:
    """Paths of 1 and 2 go step by step, and some of them come back: all that can matter is fetched, or is asked for each time."""
    monkeypatch.setattr("tidelog.spark.maintenance.in_rounds.pre_update_state.WORTH_FETCHING", fetched)
    brought: list[pa.Table] = []

    def fetching(table: pa.Table) -> Int32s:
        brought.append(table)
        return rows_of_table(table)

    monkeypatch.setattr("tidelog.spark.maintenance.in_rounds.pre_update_state.rows_of_table", fetching)
    rules = (("path(X, Y)", ("edge(X, Y)",)), ("path(X, Z)", ("path(X, Y)", "edge(Y, Z)")))
    edges = ((1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 4), (1, 7), (7, 5), (8, 2), (8, 9))
    facts = tuple(f"edge({one}, {other})" for one, other in edges)
    updates = ((("edge(2, 3)",), ()), ((), ("edge(2, 3)",)), (("edge(3, 4)",), ("edge(9, 2)",)))
    check_updates(History(RandomProgram(rules, facts), updates, ()), at("facts-on-executors", spark))
    assert bool(brought) == bool(fetched)


def test_an_update_in_rounds_tells_what_its_phases_took(spark: SparkSession) -> None:
    text = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z). n(X, N) :- N = count { path(X, Y) }."
    kb = spark_kb(text + "edge(1, 2). edge(2, 3). edge(3, 4).", spark, "rounds", modules=False)
    stats = kb.update(delete=[("edge", 2, 3)]).stats
    assert set(stats.seconds_by_phase) == {"deletion", "insertion", "aggregates"}
    assert 0 < sum(stats.seconds_by_phase.values()) < stats.seconds
    kb.add_rules("path(X, Y) :- more(X, Y).")
    assert "insertion" in kb.update(insert=[("more", 4, 5)]).stats.seconds_by_phase
    kb.close()


def test_where_hardly_any_suspect_is_proved_they_just_go(spark: SparkSession) -> None:
    """All paths over an edge of a chain go, round after round fewer; the rounds after the first do not ask for proofs."""
    chain = "".join(f"edge({at}, {at + 1}). " for at in range(12))
    with no_facts_in_the_driver():
        kb = spark_kb("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)." + chain, spark, "rounds")
        before = kb.count("path")
        change = kb.update(delete=[("edge", 2, 3)])
        assert kb.count("path") == before - 3 * 10
        counters = change.stats.counters
        assert 0 < counters.checked < counters.overdeleted == 30
    kb.close()


def test_what_the_kernel_is_told_of_is_not_given(spark: SparkSession) -> None:
    """A relation that is derived in rounds and read in the kernel has no explicit facts there."""
    rules = (
        ("n(X, Y)", ("v(X)", "v(Y)", "not e(X, Y)")),
        ("d(Y, K)", ("v(Y)", "K = count { X : n(X, Y) }")),
        ("g(K, S)", ("S = sum { Y : d(Y, K) }",)),
    )
    facts = ("e(1, 1)", "e(1, 2)", "e(1, 3)", *(f"v({n})" for n in range(1, 6)))
    history = History(RandomProgram(rules, facts), ((("e(1, 1)",), ()),), ())
    check_updates(history, at("mixed", spark))


def test_what_outgrows_the_kernel_leaves_it(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z). n(X, N) :- p(X, _), N = count { p(X, Y) }. s(X) :- small(X). small(1)."
    )
    checked = program(text)
    kb = spark_kb(text, spark, "auto", memory_budget=64 * 25, modules=False)
    kb.update(insert=[("e", at, at + 1) for at in range(9)])
    assert {str(placed.where) for placed in kb.placements} == {"kernel"}  # whatever has come, until the next update

    def failing(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("tidelog.spark.engine.SparkEngine.evaluate", failing)
        with pytest.raises(KeyboardInterrupt):
            kb.update(insert=[("e", 9, 10)])
    assert (kb.count("e"), kb.count("p")) == (9, 45)
    change = kb.update(insert=[("e", 9, 10)], delete=[("e", 3, 4)])
    where = {placed.relations[0]: str(placed.where) for placed in kb.placements}
    assert where == {"p": "decomposed", "n": "rounds", "s": "kernel"}
    edges = {("e", at, at + 1) for at in range(10) if at != 3}
    explicit = set(checked.facts) | set(ground(f"e({one}, {other})" for _, one, other in edges))
    assert without_empty(held(kb)) == without_empty(materialise(checked, explicit))
    assert (len(change.inserted["p"]), len(change.deleted["p"])) == (6, 24)
    kb.close()


@pytest.mark.nightly
def test_files_of_updates_do_not_stay(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.spark.session.lineage._WORTH_SWEEPING", 0)
    text = "p(X, Y) :- e(X, Y). e(1, 2). e(2, 3). e(3, 4)."
    checked, explicit = program(text), set(program(text).facts)
    with no_facts_in_the_driver():
        kb = spark_kb(text, spark, "rounds", lineage="reliable", lineage_folder=tmp_path)
        counts, changes = [], []
        for at in range(6):
            going, coming = (f"e({at + 1}, {at + 2})", f"e({at + 4}, {at + 5})")
            changes.append(kb.update(delete=as_tuples(ground([going])), insert=as_tuples(ground([coming]))))
            explicit = (explicit - set(ground([going]))) | set(ground([coming]))
            assert without_empty(held(kb)) == without_empty(materialise(checked, explicit))
            counts.append(len(list(tmp_path.glob("tidelog-lineage-*/*"))))
            if at:
                assert list(changes[at - 1].inserted["p"]) == [(at + 3, at + 4)], "until the next but one"
        kb.close()
    assert counts[5] < counts[2] + 4, counts


# --- one by one ----------------------------------------------------------------------------------------------------------

PATHS = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z). edge(a, b). edge(b, c)."


@pytest.mark.parametrize("placement", ["kernel", "rounds"])
def test_data_frames_in_and_out(spark: SparkSession, placement: str) -> None:
    kb = spark_kb(PATHS, spark, placement)
    change = kb.update(insert={"edge": spark.createDataFrame([("c", "d")], "src string, dst string")})
    assert sorted(map(tuple, change.inserted_df("path").collect())) == [("a", "d"), ("b", "d"), ("c", "d")]
    assert change.deleted_df("path").count() == 0
    change = kb.update(delete={"edge": spark.createDataFrame([("a", "b")], "src string, dst string")})
    assert sorted(map(tuple, change.deleted_df("path").collect())) == [("a", "b"), ("a", "c"), ("a", "d")]
    assert kb.count("path") == 3
    kb.close()


@pytest.mark.parametrize("placement", ["kernel", "rounds"])
def test_an_upsert_takes_the_place_of_its_key(spark: SparkSession, placement: str) -> None:
    text = "@relation at(name: string key, place: int). at(a, 1). at(b, 2). both(P) :- at(a, P), at(b, P)."
    kb: SparkKnowledgeBase = spark_kb(text, spark, placement)
    change = kb.update(upsert=[("at", "a", 3), ("at", "a", 2), ("at", "c", 5)])
    assert sorted(kb["at"]) == [("a", 2), ("b", 2), ("c", 5)]
    assert (change.stats.inserted, change.stats.deleted) == (2, 1)
    assert list(kb["both"]) == [(2,)]
    assert (change.stats.algorithm, list(change.deleted)) == (change.stats.algorithm, ["at"])
    with pytest.raises(TidelogError, match="TL075"):
        kb.update(upsert=[("both", 1)])
    kb.close()


@pytest.mark.parametrize("placement", ["kernel", "rounds"])
def test_what_is_stopped_changes_nothing(spark: SparkSession, placement: str) -> None:
    kb = spark_kb(PATHS + "n(X + 1) :- n(X), go. n(0). gone(X) :- edge(X, _), not go.", spark, placement, limit_facts=40)
    before = held(kb)
    with pytest.raises(TidelogError, match="TL070"):
        kb.update(insert=[("go",), ("edge", "c", "d"), ("other", 1)], delete=[("edge", "a", "b")])
    assert held(kb) == before
    with pytest.raises(TidelogError, match="TL020"):
        kb.update(insert=[("edge", "c")])
    with pytest.raises(TidelogError, match="TL013"):
        kb.update(insert=[("#x", "c")])
    change = kb.update(insert=[("edge", "c", "d")], delete=[("edge", "a", "b"), ("unheard_of", 1)])
    assert change.stats.without_effect == 1
    assert sorted(kb["path"]) == [("b", "c"), ("b", "d"), ("c", "d")]
    kb.close()


def test_what_has_another_proof_stays(spark: SparkSession) -> None:
    """Of paths in a dense graph nearly all have proofs that came before them; two that only prove each other are none."""
    dense = "".join(f"edge({one}, {other})." for one in range(8) for other in range(one + 1, 8))
    kb = spark_kb(PATHS + dense + "edge(8, 9). edge(9, 8).", spark, "rounds")
    change = kb.update(delete=[("edge", 0, 3), ("edge", 2, 7)])
    assert dict(change.deleted) == {"edge": change.deleted["edge"]}
    assert change.stats.counters.overdeleted == 2
    change = kb.update(delete=[("edge", 8, 9)])
    assert sorted(change.deleted["path"]) == [(8, 8), (8, 9), (9, 9)]
    kb.close()


def test_what_comes_with_the_same_update_proves_nothing_that_goes(spark: SparkSession) -> None:
    """The new edge closes a circle of paths from 5, of which the deletion took the beginning."""
    kb = spark_kb(PATHS.partition("edge(a, b)")[0] + "path(X, Y) :- way(X, Y).", spark, "rounds")
    kb.update(insert=[("edge", 5, 1), ("edge", 1, 3), ("edge", 3, 1)])
    kb.update(insert=[("way", 5, 3)], delete=[("edge", 1, 3)])
    change = kb.update(insert=[("edge", 1, 3)], delete=[("edge", 5, 1), ("way", 5, 3)])
    assert sorted(kb["path"]) == [(1, 1), (1, 3), (3, 1), (3, 3)]
    assert sorted(change.deleted["path"]) == [(5, 1), (5, 3)]
    kb.close()


def test_what_takes_too_long_is_derived_anew(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the next time, at once."""
    monkeypatch.setattr("tidelog.spark.maintenance.in_rounds.frame_maintenance._LEAST_PATIENCE", -1.0)
    monkeypatch.setattr("tidelog.spark.engine.SparkEngine.seconds_of", lambda *_: 0.0)
    kb = spark_kb(PATHS + "edge(c, d). edge(a, c).", spark, "rounds")
    change = kb.update(delete=[("edge", "a", "b")])
    assert "rematerialise: maintaining the deletions took too long" in change.stats.algorithm
    assert kb.count("path") == 5
    change = kb.update(delete=[("edge", "b", "c")])
    assert change.stats.algorithm.startswith("rematerialise: maintaining as many deletions took too long")
    assert sorted(kb["path"]) == [("a", "c"), ("a", "d"), ("c", "d")]
    kb.close()


def test_much_that_goes_is_derived_anew(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.spark.maintenance.in_rounds.deletion.TINY", 1)
    kb = spark_kb(PATHS, spark, "rounds")
    change = kb.update(delete=[("edge", "a", "b"), ("edge", "b", "c")])
    assert change.stats.algorithm.startswith("by time: facts were deleted; rematerialise: more than half")
    assert kb.count("path") == 0
    kb.close()


def test_an_update_in_the_kernel_counts_no_pairs(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """To count a transitive relation costs what it is large, whatever has changed; limits count what is stored."""
    kb = spark_kb(PATHS, spark, "kernel", limit_facts=6)
    assert kb.count("path") == 3

    def never(_: object) -> int:
        raise AssertionError

    with monkeypatch.context() as patched:
        patched.setattr("tidelog.local.closure.virtual_relation.VirtualRelation._counts", never)
        patched.setattr("tidelog.local.closure.digraph.Digraph.pair_count", never)
        kb.update(insert=[("edge", "c", "d")])
        with pytest.raises(TidelogError, match="TL070"):
            kb.update(insert=[("edge", "d", "e"), ("edge", "e", "f")])
    assert kb.count("path") == 6
    kb.close()
