"""Explanations of facts about individuals that are the same as others."""

from __future__ import annotations

import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.explain.of_same import of_representatives

PREFIXES = "@prefix : <http://p/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "


def test_the_equality_is_named() -> None:
    pytest.importorskip("pyoxigraph")
    kb = KnowledgeBase(PREFIXES + "knows: :k(X, Z) :- :m(X, Y), :m(Y, Z).", same_as=True)
    kb.update_rdf(insert=PREFIXES + ":ann :m :bob . :robert :m :cid . :bob owl:sameAs :robert . :ann owl:sameAs :anna .")
    for fact in kb["http://p/m"]:
        assert kb.explain(("http://p/m", *fact)).fact == ("http://p/m", *fact)
        assert kb.explain(("http://p/m", *fact), all=True).fact == ("http://p/m", *fact)
    answers = {(x, z): kb.explain(("http://p/k", x, z)) for x, z in kb["http://p/k"]}
    assert len(answers) == 2
    texts = sorted(str(one) for one in answers.values())
    assert sum("by equality" in text and " is the same as " in text for text in texts) == 1
    assert kb.why_not(":k(:anna, :cid)").holds
    assert kb.why_not(":k(:ann, :cid)").holds
    with pytest.raises(TidelogError, match="TL098"):
        kb.explain(":k(:cid, :anna)")
    kb.update_rdf(delete=PREFIXES + ":ann owl:sameAs :anna .")
    assert not kb.why_not(":k(:anna, :cid)").holds


def test_without_equality_there_is_none() -> None:
    kb = KnowledgeBase("q(X) :- p(X). p(a).")
    assert kb._asked(lambda access: of_representatives(access, ("q", (access.cell(next(iter(kb.program.facts))[1][0]),)))) is None
