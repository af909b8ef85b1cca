"""The page of a profile: whole, escaped, with what is worth a look."""

from __future__ import annotations

from tests.pipeline.report.test_html import checked

from tidelog import KnowledgeBase
from tidelog.report.profile_page import page_of


def test_a_page_of_everything() -> None:
    kb = KnowledgeBase("""
        one: path(X, Y) :- edge(X, Y).
        two: path(X, Z) :- path(X, Y), path(Y, Z).
        seen(X) :- path(X, _), X != "<script>".
    """)
    kb.update(insert=[("edge", at, at + 1) for at in range(30)])
    kb.add_rules("many(X, W) :- path(X, Y), path(Y, Z), path(Z, W).")
    with kb.profile() as profile:
        kb.update(delete=[("edge", 5, 6)])
    page = profile.to_html()
    checked(page)
    assert "&quot;&lt;script&gt;&quot;" in page
    for heading in ("Time of each rule", "Time of each unit", "Updates", "Deletions: expected and taken", "same facts again"):
        assert heading in page


def test_a_page_of_nothing() -> None:
    page = page_of([], [], [], 0.0, 0)
    checked(page)
    assert "Updates" not in page
