"""Explanations as pictures and pages: well formed, complete, and small for large proofs."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tidelog import KnowledgeBase, Source
from tidelog.explain.shown.picture import page_of, svg_of

SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg: str) -> tuple[int, int, list[str]]:
    """Cards and pills, arrows, and texts."""
    root = ElementTree.fromstring(svg)
    arrows = [path for path in root.iter(f"{SVG}path") if path.get("class") == "arrow"]
    return len(list(root.iter(f"{SVG}rect"))), len(arrows), ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


def test_a_small_proof(kb: KnowledgeBase) -> None:
    boxes, arrows, texts = drawn(svg_of(kb.explain("busy(a, 2)")))
    assert (boxes, arrows) == (2, 0)  # the fact and node(a)
    assert {"busy(a, 2)", "node(a)", "2 = count { Y : edge(a, Y) }", "2 > 1"} <= set(texts)


@pytest.mark.parametrize(("length", "cards"), [(3, 3), (30, 30), (3_000, 30)])
def test_long_proofs_are_folded(length: int, cards: int) -> None:
    kb = KnowledgeBase(Source("p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z)."), modules=False)
    kb.update(insert=[("e", n, n + 1) for n in range(length)])
    boxes, arrows, texts = drawn(svg_of(kb.explain(("p", 0, length))))
    assert boxes == 2 * cards  # each with a pill for its edge
    assert arrows == cards - (1 if length == cards else 2)
    assert any("2,970 more steps" in text for text in texts) == (length > cards)
    assert not any(text.startswith("from p(") for text in texts[:20])


def test_texts_are_escaped_and_cut() -> None:
    kb = KnowledgeBase(Source('p(X) :- q(X), X != "&". '))
    kb.update(insert=[("q", "<b>" + "x" * 500)])
    explanation = kb.explain(("p", "<b>" + "x" * 500))
    assert ElementTree.fromstring(explanation.svg).get("class") == "tidelog"
    assert "<b>x" not in explanation.svg
    assert "<b>x" not in explanation.html


def test_a_page_has_the_picture_and_all_steps(kb: KnowledgeBase) -> None:
    page = page_of(kb.explain("path(a, c)"))
    assert page.startswith("<!doctype html>")
    assert "<svg" in page
    assert "edge(b, c)   explicit" in page
    assert kb.explain("path(a, c)")._repr_svg_() in page


def test_all_ways_are_drawn(kb: KnowledgeBase) -> None:
    boxes, _, texts = drawn(svg_of(kb.explain("path(a, a)", all=True)))
    assert boxes > 3
    assert "path(a, a)" in texts
