"""The knowledge base on Spark over time: facts that come later, runs that break off, secrets, and the end."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from tidelog import KnowledgeBase, TidelogError, TidelogWarning
from tidelog.spark import materialisation
from tidelog.spark.kb import SparkKnowledgeBase

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RULES = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z). end(X) :- edge(_, X), not edge(X, _)."


def edges(*pairs: str) -> pa.Table:
    return pa.table({"src": [pair[0] for pair in pairs], "dst": [pair[1] for pair in pairs]})


def knowledge(spark: SparkSession, rules: str = RULES, **options: Any) -> SparkKnowledgeBase:
    kb = KnowledgeBase(rules, engine="spark", spark=spark, **options)
    assert isinstance(kb, SparkKnowledgeBase)
    return kb


@pytest.mark.parametrize("placement", ["kernel", "rounds"])
def test_facts_that_come_after_a_question(spark: SparkSession, placement: str) -> None:
    kb = knowledge(spark, RULES + " edge(a, b).", placement=placement)
    assert list(kb["end"]) == [("b",)]
    kb.load("edge", edges("bc", "bc"))
    assert sorted(kb["path"]) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert list(kb["end"]) == [("c",)], "what was true before is not any more"
    kb.load("edge", edges("cd"))
    assert kb.count("path") == 6
    assert kb.count("edge") == 3
    assert list(kb.query("end(X)")) == [("d",)]
    assert len(kb.placements) == 2, "those of the last time"


@pytest.mark.parametrize("placement", ["kernel", "rounds"])
def test_a_run_that_broke_off_starts_over(spark: SparkSession, placement: str) -> None:
    """A moment of bad luck in the middle must not show in what comes out later."""
    misfortunes = [RuntimeError("no luck")]

    def show(_progress: object) -> None:
        if misfortunes:
            raise misfortunes.pop()

    facts = "edge(a, b). edge(b, c). edge(c, a). n(0). n(X + 1) :- n(X), X < 5."
    kb = knowledge(spark, RULES + facts, placement=placement, progress=show)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tidelog.core.limits._SHOW_EVERY", -1.0)
        with pytest.raises(RuntimeError, match="no luck"):
            kb.count("path")
        assert kb.count("path") == 9
        assert sorted(kb["n"]) == [(at,) for at in range(6)]
    assert [placed.facts for placed in kb.placements if "n" in placed.relations] == [6]


def test_an_option_of_the_other_engine_is_refused(spark: SparkSession) -> None:
    with pytest.raises(TidelogError, match=r'TL074: engine="spark" takes no upsert to load'):
        knowledge(spark).load("edge", None, upsert=True)


def test_errors_of_readers_keep_secrets(spark: SparkSession) -> None:
    """Spark repeats the address; neither the message nor what it came from may show what is secret in it."""
    address = "jdbc:nothing://reader:open-sesame@db/plant?password=open-sesame"
    options = {"url": address, "password": "open-sesame", "dbtable": "t", "driver": "no.such.Driver-open-sesame"}
    with pytest.raises(TidelogError) as caught:
        knowledge(spark).load("edge", None, format="jdbc", options=options)
    shown = "".join(traceback.format_exception(caught.value))
    assert caught.value.diagnostics[0].code == "TL087"
    assert "no.such.Driver" in shown, "the reader has repeated what it was given"
    assert "open-sesame" not in shown


def test_closing_gives_everything_back(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[SparkSession] = []
    monkeypatch.setattr(materialisation, "close_session", closed.append)
    kb = knowledge(spark, lineage="reliable", lineage_folder=tmp_path)
    kb.load("edge", edges("ab"))
    assert any(path.is_file() for path in tmp_path.rglob("*"))
    private = kb.spark
    kb.close()
    assert closed == [private]
    assert list(tmp_path.iterdir()) == []
    knowledge(spark).close()
    assert closed == [private], "nothing was started, so there is nothing to close"
    assert spark.range(3).count() == 3


@pytest.mark.parametrize("placement", ["kernel", "rounds"])
def test_subscriptions_and_relations_that_have_not_changed(spark: SparkSession, placement: str) -> None:
    kb = knowledge(spark, RULES + " edge(a, b). other(X) :- node(X).", placement=placement)
    told: list[tuple[object, set[tuple[object, ...]], set[tuple[object, ...]]]] = []
    kb.subscribe("end", lambda change: told.append((change.id, set(change.inserted), set(change.deleted))))
    change = kb.update(insert=[("edge", "b", "c")])
    assert len(change.inserted["other"]) == 0
    assert change.deleted["other"].to_arrow().num_rows == 0
    with pytest.raises(TidelogError, match="TL073"):
        change.inserted["othr"]
    assert not kb.update(insert=[("edge", "b", "c")])
    list(kb.follow([{"id": "u1", "insert": [["edge", "c", "d"]]}]))
    kb.remove_rules("other(X) :- node(X).")
    assert told == [(None, {("c",)}, {("b",)}), ("u1", {("d",)}, {("c",)})]
    assert set(kb) >= {"edge", "path", "end"}
    assert "end" in kb


def test_strict_on_spark(spark: SparkSession) -> None:
    kb = knowledge(spark, "@relation edge(src: string, dst: string) . two(X) :- edge(X, Y), edge(Y, _).", strict=True)
    with pytest.raises(TidelogError, match=r"(?s)TL073.*did you mean `edge`"):
        kb.update(insert=[("egde", "a", "b")])
    with pytest.raises(TidelogError, match="TL073"):
        kb.load("egde", edges("ab"))
    assert kb.update(insert=[("edge", "a", "b"), ("edge", "b", "c")]).inserted.total == 3


def test_options_that_are_misspelt(spark: SparkSession) -> None:
    with pytest.raises(
        TidelogError, match=r"(?s)TL074: KnowledgeBase\(engine='spark'\) has no option placment=.*did you mean `placement=`"
    ):
        knowledge(spark, placment="rounds")
    with pytest.raises(TidelogError, match=r"(?s)TL074: .*has no option writers=.*choose engine=.local."):
        knowledge(spark, writers="wait")
    with pytest.raises(TidelogError, match=r"(?s)TL074: load\(\) has no option reject=.*did you mean `rejects=`"):
        knowledge(spark).load("edge", None, reject=None)  # type: ignore[call-arg]


def test_whole_relations_and_results_in_updates(spark: SparkSession) -> None:
    kb = knowledge(spark)
    kb.update(insert={"edge": edges("ab", "bc"), "node": [("a",)]})
    kb.update(insert={"copy": kb["edge"]}, delete=kb["node"])
    assert sorted(kb["copy"]) == [("a", "b"), ("b", "c")]
    assert kb.count("node") == 0
    kb.update(delete=kb["edge"])
    assert kb.count("path") == 0


def test_delimiters_and_columns(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("from;to\na;b\n", encoding="utf-8")
    kb = knowledge(spark, "@relation edge(src: string, dst: string) . end(Y) :- edge(_, Y).")
    kb.load("edge", tmp_path / "edges.csv", columns={"from": "src", "to": "dst"}, delimiter=";", header=True)
    assert list(kb["edge"]) == [("a", "b")]
    with pytest.raises(TidelogError, match='TL074: engine="spark" takes no null to load'):
        kb.load("edge", tmp_path / "edges.csv", null="NA")
    with pytest.raises(TidelogError, match=r"TL074.*takes no positions"):
        kb.load("edge", tmp_path / "edges.csv", columns={0: "src"})


def test_triples_that_are_left_out_are_told_of(spark: SparkSession, tmp_path: Path) -> None:
    pytest.importorskip("pyoxigraph")
    lines = [f"<http://e/{n}> <http://e/p> <http://e/a> ." for n in range(3)] + ["<http://e/1> <http://e/q> <http://e/a> ."]
    (tmp_path / "a.nt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    kb = KnowledgeBase("@prefix e: <http://e/> . x(X) :- e:q(X, _).", engine="spark", spark=spark)
    with pytest.warns(TidelogWarning, match="TL108: 3 triples left out, since no rule mentions `e:p`"):
        kb.load_rdf(tmp_path / "a.nt")
    assert kb.count("x") == 1
    kb.close()
