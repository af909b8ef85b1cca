"""RDF on Spark: triples as facts of the relations that predicates and classes name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.files.relations import saved

from tidelog.core.keys import key_of
from tidelog.errors import TidelogError
from tidelog.program.relations import Relation
from tidelog.rdf.terms import TYPE, scope_of
from tidelog.spark.ingest import Rejects, ingest, ingest_rdf
from tidelog.spark.ingest.rdf import triples
from tidelog.syntax.tree import Column
from tidelog.values import Kind, from_python

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytest.importorskip("pyoxigraph")

TURTLE = """@prefix ex: <http://a/> .
ex:t1 a ex:Turbine ; ex:next ex:t2 ; ex:height 120, 99.5e0, "high" ; ex:owner _:o .
ex:t2 a ex:Turbine, [] .
"""
LINES = """<http://a/t1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://a/Turbine> .
<http://a/t1> <http://a/next> <http://a/t\\u0032> .
# a comment
<http://a/t2> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://a/Turbine> .
"""


def rows(frame: DataFrame) -> list[tuple[str, ...]]:
    return sorted(map(tuple, frame.collect()))


def test_turtle_and_its_relations(spark: SparkSession, tmp_path: Path) -> None:
    path = saved(tmp_path, "a.ttl", TURTLE)
    facts = ingest_rdf(spark, path)
    assert (facts.rows, facts.rejected) == (8, 0)
    assert facts.description == f"8 triples from {path} (ttl)"
    assert facts.counts() == {
        ("http://a/Turbine", 1): 2,
        ("http://a/next", 2): 1,
        ("http://a/height", 2): 3,
        ("http://a/owner", 2): 1,
        (TYPE, 2): 1,
    }
    assert rows(facts.facts_of("http://a/Turbine", 1)) == [("uhttp://a/t1",), ("uhttp://a/t2",)]
    assert rows(facts.facts_of("http://a/owner", 2)) == [("uhttp://a/t1", f"u_:{scope_of(str(path))}o")]
    assert len(rows(facts.facts_of(TYPE, 2))) == 3
    assert ("uhttp://a/t1", f"u{TYPE}", "uhttp://a/Turbine") in rows(facts.facts_of("triple", 3))
    assert len(rows(facts.facts_of("triple", 3))) == 8
    mentioned = [Relation("http://a/next", 2), Relation("http://a/Turbine", 1)]
    assert facts.left_out(mentioned) == 5
    assert facts.left_out([Relation("triple", 3)]) == 0
    assert facts.left_out([*mentioned, Relation(TYPE, 2)]) == 4


def test_declared_types(spark: SparkSession, tmp_path: Path) -> None:
    facts = ingest_rdf(spark, saved(tmp_path, "a.ttl", TURTLE))
    height = Relation("http://a/height", 2, (Column("turbine", Kind.IRI), Column("metres", Kind.FLOAT)))
    rejects = Rejects(limit=1)
    found = facts.ingested(height, rejects=rejects)
    assert rows(found.frame) == sorted(("uhttp://a/t1", key_of(from_python(metres))) for metres in (99.5, 120.0))
    assert (found.rows, found.rejected) == (2, 1)
    (row,) = rejects.first(5)
    assert (row.column, row.reason) == ("metres", '"high" is a string, and the column is declared float')
    with pytest.raises(TidelogError):
        facts.ingested(height, rejects=Rejects())
    rejects = Rejects(limit=1)
    assert facts.ingested(Relation("http://a/next", 1), rejects=rejects).rows == 0
    assert rejects.first(1)[0].reason == "`http://a/next` has 1 arguments, and this gives 2"


def test_ntriples_for_one_relation(spark: SparkSession, tmp_path: Path) -> None:
    path = saved(tmp_path, "a.nt.gz", LINES)
    assert rows(ingest(spark, path, "http://a/next").frame) == [("uhttp://a/t1", "uhttp://a/t2")]
    assert len(rows(ingest(spark, path, "triple", Relation("triple", 3)).frame)) == 3
    assert rows(ingest(spark, path, "http://a/Turbine", Relation("http://a/Turbine", 1)).frame)[0] == ("uhttp://a/t1",)


@pytest.mark.parametrize(("whole", "is_here"), [(1 << 20, True), (1 << 20, False), (1, False)])
def test_rejected_lines(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: int, is_here: bool) -> None:
    """Read by the workers, by Spark as whole files, and by Spark line by line."""
    monkeypatch.setattr(triples, "WHOLE", whole)
    monkeypatch.setattr(triples, "is_here", lambda _: is_here)
    (tmp_path / "d").mkdir()
    saved(tmp_path / "d", "a.nt", LINES + "nothing\n")
    saved(tmp_path / "d", "b.nt", b'_:x <http://a/p> _:x .\r\n<http://a/s> <http://a/p> "\xff" .\n')
    saved(tmp_path / "d", "c.nt", "_:x  <http://a/p>  _:x .\n")
    rejects = Rejects(limit=2)
    facts = ingest_rdf(spark, tmp_path / "d", rejects=rejects)
    assert (facts.rows, facts.rejected) == (5, 2)
    numbers = [row.line for row in rejects.first(5)]
    assert numbers == ([5, 2] if whole > 1 else [None, None])
    assert [Path(row.source).name for row in rejects.first(5)] == ["a.nt", "b.nt"]
    assert [row.reason.partition(":")[0] for row in rejects.first(5)] == ["it is no triple", "it is not UTF-8 text"]
    loops = rows(facts.facts_of("http://a/p", 2))
    assert len(set(loops)) == 2
    assert all(one == other for one, other in loops)


def test_rejected_turtle(spark: SparkSession, tmp_path: Path) -> None:
    saved(tmp_path, "a.ttl", TURTLE + "ex:t3 ex:next ;; .\n")
    saved(tmp_path, "b.ttl", TURTLE)
    rejects = Rejects(limit=1)
    facts = ingest_rdf(spark, tmp_path, rejects=rejects)
    assert (facts.rows, facts.rejected) == (8, 1)
    (row,) = rejects.first(5)
    assert (row.place, row.record) == (f"{tmp_path}/a.ttl:4", "ex:t3 ex:next ;; .")
    with pytest.raises(TidelogError) as caught:
        ingest_rdf(spark, saved(tmp_path, "a.csv", "a"))
    assert caught.value.diagnostics[0].code == "TL082"
