"""A knowledge base as a collection of relations, and how it shows itself."""

from __future__ import annotations

import threading

import pytest
from tests.local_engine import looking_often

from tidelog import KnowledgeBase, TidelogError
from tidelog.surface.browsing import Browsable

RULES = "close: path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."
PREFIXED = "@prefix ex: <http://example.org/> . two(X, Z) :- ex:knows(X, Y), ex:knows(Y, Z)."


@pytest.fixture
def kb() -> KnowledgeBase:
    kb = KnowledgeBase(RULES)
    kb.update(insert=[("edge", "a", "b"), ("edge", "b", "c"), ("node", "<b>")])
    return kb


def test_it_is_iterated_over_by_the_names_of_its_relations(kb: KnowledgeBase) -> None:
    assert isinstance(kb, Browsable)
    assert list(kb) == list(kb.relations) == list(kb.keys()) == ["path", "edge", "node"]
    assert len(kb) == 3
    assert {name: sorted(facts) for name, facts in kb.items()} == {name: sorted(kb[name]) for name in kb}
    assert sorted(dict(kb)["path"]) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_what_is_in_it(kb: KnowledgeBase) -> None:
    assert "path" in kb
    assert "node" in kb
    assert ("path", "a", "c") in kb
    assert ("path", "c", "a") not in kb
    for odd in ("pth", "", ("pth", 1), (), (1,), ["path", "a", "c"], None, 3):
        assert odd not in kb


def test_prefixed_names_are_those_of_rules() -> None:
    kb = KnowledgeBase(PREFIXED)
    kb.update(insert=[("ex:knows", "a", "b")])
    for name in ("ex:knows", "http://example.org/knows", "<http://example.org/knows>"):
        assert name in kb
        assert (name, "a", "b") in kb
    assert "ex:hates" not in kb
    assert repr(kb) == "<KnowledgeBase: 1 rule, 2 relations: two, ex:knows>"


def test_it_is_true_whatever_is_in_it() -> None:
    assert len(KnowledgeBase()) == 0
    assert KnowledgeBase()


def test_its_text_has_no_more_than_some_names(kb: KnowledgeBase) -> None:
    assert repr(kb) == "<KnowledgeBase: 2 rules, 3 relations: path, edge, node>"
    assert repr(KnowledgeBase()) == "<KnowledgeBase: 0 rules, 0 relations>"
    kb.update(insert=[(f"r{n}", n) for n in range(20)])
    assert repr(kb) == "<KnowledgeBase: 2 rules, 23 relations: path, edge, node, r0, r1, r2, r3, r4, …>"


def test_rules_are_texts_that_go_back_in(kb: KnowledgeBase) -> None:
    first = ["close: path(X, Y) :- edge(X, Y).", "path(X, Z) :- path(X, Y), edge(Y, Z)."]
    assert list(kb.rules) == first
    kb.add_rules("r7: far(X) :- path(a, X).")
    kept = kb.rules
    assert list(kept) == [*first, "r7: far(X) :- path(a, X)."]
    kb.remove_rules("close")
    assert list(kb.rules) == list(kept[1:])
    kb.remove_rules(list(kb.rules))
    assert not kb.rules
    kb.add_rules(list(kept))
    assert sorted(kb["far"]) == [("b",), ("c",)]


def test_html_has_sizes_when_everything_is_derived_and_derives_nothing_itself() -> None:
    kb = KnowledgeBase(RULES + " edge(a, b). edge(b, c).")
    assert "nothing has been derived yet" in kb._repr_html_()
    assert kb.count("path") == 3
    shown = kb._repr_html_()
    assert "nothing has been derived yet" not in shown
    assert "<tr><td>path</td><td>c1, c2</td><td>3</td></tr>" in shown
    assert "<pre>close: path(X, Y) :- edge(X, Y).\n" in shown


def test_html_of_a_large_program_is_cut() -> None:
    kb = KnowledgeBase("\n".join(f"q{n}(X) :- p{n}(X)." for n in range(60)))
    shown = kb._repr_html_()
    assert "... and 70 more relations" in shown
    assert "... and 10 more rules" in shown
    assert shown.count("<tr>") == 51


def test_names_are_escaped() -> None:
    kb = KnowledgeBase('q(X) :- p(X, "<i>").')
    assert "<i>" not in kb._repr_html_()
    assert "&lt;i&gt;" in kb._repr_html_()


def test_it_shows_itself_in_the_middle_of_an_update() -> None:
    seen: list[str] = []
    base: list[KnowledgeBase] = []
    base.append(KnowledgeBase(RULES, progress=lambda _: seen.extend([repr(base[0]), base[0]._repr_html_()])))
    with looking_often():
        base[0].update(insert=[("edge", n, n + 1) for n in range(50)])
    assert seen
    view = base[0]._repr_html_()
    assert all(text.startswith(("<KnowledgeBase: 2 rules", "<table><caption>KnowledgeBase")) for text in [*seen, view])


def test_a_snapshot_is_such_a_collection_too(kb: KnowledgeBase) -> None:
    with kb.snapshot() as view:
        kb.update(insert=[("other", 1)])
        assert list(view) == ["path", "edge", "node"]
        assert ("path", "a", "c") in view
        assert "other" not in view
        assert view.rules == kb.rules
        assert repr(view) == "<Snapshot: 2 rules, 3 relations: path, edge, node>"
        assert "<td>path</td><td>c1, c2</td><td>3</td>" in view._repr_html_()
    assert repr(view) == "<Snapshot: closed>"
    with pytest.raises(TidelogError, match="TL096"):
        list(view)


def test_names_for_completion_in_a_notebook(kb: KnowledgeBase) -> None:
    assert kb._ipython_key_completions_() == list(kb)


def test_another_thread_may_look_while_facts_come(kb: KnowledgeBase) -> None:
    seen: list[str] = []
    thread = threading.Thread(target=lambda: seen.extend([kb._repr_html_(), repr(kb)] * 20))
    thread.start()
    for n in range(20):
        kb.update(insert=[("edge", n, n + 1)])
    thread.join()
    assert len(seen) == 40
