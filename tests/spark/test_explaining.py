"""Explanations on Spark: the checker accepts every proof, whatever the placement, and after every change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.proof_checker import Checker

from tidelog import KnowledgeBase, Source, TidelogError
from tidelog.program.program import check
from tidelog.spark import explaining
from tidelog.spark.explaining import text_of
from tidelog.values import from_python

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RULES = """% a comment
path(X, Y) :- edge(X, Y).
far: path(X, Z) :-
    path(X, Y),   % so far
    edge(Y, Z).
end(X) :- edge(_, X), not edge(X, _).
busy(X, N) :- node(X), N = count { Y : edge(X, Y) }, N > 1.
edge(a, b). edge(b, c). node(b).
"""


@pytest.mark.parametrize("placement", ["kernel", "rounds"])
def test_explanations_follow_updates_and_rules(spark: SparkSession, placement: str) -> None:
    kb = KnowledgeBase(RULES, engine="spark", spark=spark, placement=placement)
    explicit = set(kb.program.facts)
    assert [rule.place for rule in kb.explain("path(a, c)").rules] == ["line 2", "far"]
    Checker(kb.program, explicit).check(kb.explain("path(a, c)"))
    kb.load("edge", pa.table({"a": ["b", "d"], "b": ["d", "e"]}))
    kb.update(delete=[("edge", "a", "b")], insert=[("edge", "a", "d")], add_rules="back: path(Y, X) :- edge(X, Y).")
    explicit |= {("edge", tuple(map(from_python, pair))) for pair in (("b", "d"), ("d", "e"), ("a", "d"))}
    explicit.discard(("edge", (from_python("a"), from_python("b"))))
    for name in ("path", "end", "busy"):
        for row in sorted(kb[name]):
            proof = kb.explain((name, *row))
            Checker(check(text_of(kb.program)), explicit).check(proof)
    assert kb.explain("busy(b, 2)").rules[0].place == "line 7"
    with pytest.raises(TidelogError, match="TL098"):
        kb.explain("end(b)")


@pytest.mark.parametrize("placement", ["kernel", "rounds"])
def test_why_not_and_what_if(spark: SparkSession, placement: str) -> None:
    kb = KnowledgeBase(RULES, engine="spark", spark=spark, placement=placement)
    answer = kb.why_not("end(b)")
    assert [failure.note for miss in answer.attempts[0].misses for failure in miss.failed] == ["edge(b, c) holds"]
    assert ("edge(c, d)",) in [repair.texts for repair in kb.why_not("path(a, d)").repairs]
    change = kb.what_if(insert=[("edge", "c", "d")], add_rules="two(X) :- path(a, X).")
    assert ("a", "d") in change.inserted["path"]
    assert set(change.inserted["two"]) == {("b",), ("c",), ("d",)}
    assert set(change.deleted["end"]) == {("c",)}
    assert kb.count("edge") == 2
    assert "two" not in kb.relations


def test_too_many_facts_are_not_fetched(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "MOST_FACTS", 2)
    kb = KnowledgeBase(RULES, engine="spark", spark=spark)
    with pytest.raises(TidelogError, match="3 explicit facts are too many"):
        kb.explain("path(a, c)")


def test_programs_keep_their_lines_and_lose_their_facts() -> None:
    text = '@prefix e: <http://e.org/> .\n@relation q(x: int key) . q(1).\n@input q "q.csv" .\n\n'
    text += "r: p(X) :-\n  q(X). e:s(X) :- q(X).\n"
    found = text_of(check(Source(text, "a.dl")))
    copied: Any = check(found)
    assert (found.name, copied.facts) == ("a.dl", ())
    assert [found.line_of(rule.span.start) for rule in copied.rules] == [5, 6]
    assert copied.relations["q"].is_declared
    assert not copied.relations["q"].inputs
