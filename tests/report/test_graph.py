"""Pictures of programs: which boxes and arrows there are, and what a change would touch."""

from __future__ import annotations

import pytest

from tidelog import KnowledgeBase, Source
from tidelog.program.program import Program, check
from tidelog.report.graph import Picture, Status, difference, picture


def program(text: str) -> Program:
    return check(Source(text))


def statuses(drawn: Picture) -> dict[str, Status]:
    return {box.title: box.status for box in drawn.boxes}


def test_boxes_and_arrows() -> None:
    drawn = picture(program("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z). end(X) :- node(X), not path(X, _)."))
    titles = [box.title for box in drawn.boxes]
    assert titles == ["path", "path", "end", "edge", "node"]
    assert [box.is_relation for box in drawn.boxes] == [False, False, False, True, True]
    assert drawn.boxes[1].is_module
    assert drawn.boxes[1].notes == ["recursive", "transitive module"]
    assert set(drawn.arrows) == {(0, 1, False), (0, 2, True), (1, 2, True), (3, 0, False), (4, 2, False)}


def test_a_large_hyper_node_shows_some_of_its_rules() -> None:
    rules = "".join(f"p{n}(X) :- p{(n + 1) % 30}(X). " for n in range(30))
    (box, *_) = picture(program(rules)).boxes
    assert len(box.lines) == 13
    assert box.lines[-1].text == "and 18 more"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("p(X) :- q(X). r(X) :- p(X).", "p(Y) :- q(Y). r(Z) :- p(Z).", {"p": Status.SAME, "r": Status.SAME}),
        ("p(X) :- q(X). r(X) :- p(X).", "p(X) :- s(X). r(X) :- p(X).", {"p": Status.DROPPED, "r": Status.TOUCHED}),
        ("a(X) :- b(X). c(X) :- a(X).", "a(X) :- b(X). c(X) :- a(X). b(X) :- c(X).", {"a, c, b": Status.MERGED}),
        ("p(X) :- r(X). r(X) :- p(X).", "p(X) :- r(X).", {"p": Status.CHANGED}),
        ("a(X) :- b(X). b(X) :- c(X). c(X) :- a(X).", "a(X) :- b(X). b(X) :- c(X).", {"a": Status.SPLIT, "b": Status.SPLIT}),
        ("p(X) :- q(X).", "p(X) :- q(X). r(X) :- p(X).", {"p": Status.SAME, "r": Status.CREATED}),
    ],
)
def test_what_a_change_touches(before: str, after: str, expected: dict[str, Status]) -> None:
    found = statuses(difference(program(before), program(after)))
    assert {title: found[title] for title in expected} == expected


def test_rules_that_come_and_go_are_told_once() -> None:
    drawn = difference(program("a(X) :- b(X). b(X) :- c(X). c(X) :- a(X)."), program("a(X) :- b(X). b(X) :- c(X). d(X) :- a(X)."))
    lines = [(line.sign, line.text) for box in drawn.boxes for line in box.lines if line.sign]
    assert sorted(lines) == [("+", "d(X) :- a(X)."), ("-", "c(X) :- a(X).")]


def test_of_a_knowledge_base() -> None:
    kb = KnowledgeBase("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z).")
    kb.update(insert=[("edge", 1, 2), ("edge", 2, 3)])
    assert "3 facts" in kb.graph()._repr_svg_()
    assert repr(kb.graph()).startswith("<GraphPicture of ")
