"""`kb.explain`: facts as texts and tuples, what is refused, and that nothing changes."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from tests.local_engine import held, sharing_of

from tidelog import KnowledgeBase, TidelogError
from tidelog.explain.explainer import Explainer
from tidelog.explain.questions import Questions


def test_a_knowledge_base_answers_questions(kb: KnowledgeBase) -> None:
    assert isinstance(kb, Questions)
    assert str(kb.explain("path(a, c)")) == str(kb.explain(("path", "a", "c")))


@pytest.mark.parametrize(
    ("fact", "code"),
    [
        ("path(a, X)", "TL071"),
        ("path(a, b), path(b, c)", "TL071"),
        ("not path(a, b)", "TL071"),
        (("path",), "TL020"),
        (("paths", "a", "b"), "TL073"),
        ("paths(a, b)", "TL073"),
        ("path(a)", "TL020"),
        (7, "TL071"),
        ((), "TL071"),
        (("path", "a", None), "TL072"),
        ("path(d, a)", "TL098"),
        ("path(a, nobody)", "TL098"),
        (("path", 1, 2.5), "TL098"),
    ],
)
def test_what_is_refused(kb: KnowledgeBase, fact: object, code: str) -> None:
    with pytest.raises(TidelogError) as caught:
        kb.explain(fact)  # type: ignore[arg-type]
    assert code in {diagnostic.code for diagnostic in caught.value.diagnostics}


def test_values_are_those_of_declared_columns() -> None:
    kb = KnowledgeBase("@relation temp(x: string, c: float).\nhot(X) :- temp(X, C), C > 20. temp(a, 21).")
    assert kb.explain(("temp", "a", 21)).fact == ("temp", "a", 21.0)
    assert kb.explain("temp(a, 21)").fact == ("temp", "a", 21.0)


def test_prefixed_names() -> None:
    kb = KnowledgeBase("@prefix ex: <http://e.org/> .\nex:b(X) :- ex:a(X). ex:a(ex:c).")
    assert kb.explain("ex:b(ex:c)").root.text == "ex:b(ex:c)"


def test_nothing_changes(kb: KnowledgeBase) -> None:
    before = held(kb)
    kb.explain("path(a, a)", all=True)
    assert held(kb) == before
    change = kb.update(delete=[("edge", "a", "b")])
    assert ("a", "c") in change.deleted["path"]
    assert kb.count("edge") == 3


def test_readers_go_on_meanwhile(kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    """They read the state as it was published; and none takes the lock from who explains."""
    assert kb.snapshot().count("path") == 12
    found: list[int] = []
    proof = Explainer.proof

    def read() -> None:
        found.append(kb.snapshot().count("edge"))

    def slowly(self: Explainer, *args: Any) -> Any:
        reader = threading.Thread(target=read)
        reader.start()
        reader.join(0.3)
        assert sharing_of(kb)._lock._held
        assert not sharing_of(kb)._lock.is_left
        found.append(0)
        return proof(self, *args)

    monkeypatch.setattr(Explainer, "proof", slowly)
    assert kb.explain("path(a, d)").height == 1
    kb.update(insert=[("edge", "x", "y")])
    assert sorted(found) == [0, 4]


def test_an_engine_that_explains_nothing_says_so() -> None:
    class Other(Questions):
        _schema = KnowledgeBase("p(1).")._schema

    with pytest.raises(TidelogError, match="TL074"):
        Other().explain("p(1)")
