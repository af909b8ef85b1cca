"""Answers to `why_not` as pictures and pages: well formed, complete, and escaped."""

from __future__ import annotations

from xml.etree import ElementTree

from tidelog import KnowledgeBase, Source
from tidelog.explain.absent.drawing import page_of, svg_of

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_cards_for_the_fact_the_rules_and_the_repairs(kb: KnowledgeBase) -> None:
    drawn = svg_of(kb.why_not("path(d, b)"))
    assert len(list(ElementTree.fromstring(drawn).iter(f"{SVG}rect"))) == 4
    assert {"path(d, b)", "does not hold", "✗ edge(d, b)   it is missing", "✓ edge(a, b)", "it would hold with"} <= set(
        texts(drawn)
    )


def test_texts_are_escaped_and_cut() -> None:
    kb = KnowledgeBase(Source(f'p(X) :- q(X), X != "&{"x" * 200}". r("<").'))
    drawn = texts(svg_of(kb.why_not(("p", f"&{'x' * 200}"))))
    assert any(text.endswith("…") for text in drawn)
    assert "&lt;" in page_of(kb.why_not(("p", "<")))


def test_a_fact_that_holds_and_one_without_rules(kb: KnowledgeBase) -> None:
    assert svg_of(kb.why_not("path(a, c)")) == kb.explain("path(a, c)").svg
    assert "Why path(a, c)" in page_of(kb.why_not("path(a, c)"))
    assert "is not explicit, and no rule derives its relation" in texts(svg_of(kb.why_not("edge(d, d)")))


def test_many_rules_are_folded() -> None:
    kb = KnowledgeBase(Source("\n".join(f"p(X) :- q{n}(X)." for n in range(40))))
    assert "... and 28 more rules, which come no nearer" in texts(svg_of(kb.why_not("p(1)")))
