"""What an update changed: explicit facts apart from derived ones."""

from __future__ import annotations

import pytest

from tidelog import KnowledgeBase
from tidelog.changes import Change

RULES = (
    "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z). lonely(X) :- node(X), not path(X, _). node(X) :- path(X, _)."
)


def parts(change: Change) -> dict[str, dict[str, list[tuple[object, ...]]]]:
    found = {
        "+explicit": change.inserted.explicit,
        "+derived": change.inserted.derived,
        "-explicit": change.deleted.explicit,
        "-derived": change.deleted.derived,
    }
    return {name: {relation: sorted(facts) for relation, facts in part.items()} for name, part in found.items() if part}


@pytest.mark.parametrize("modules", [True, False])
def test_explicit_and_derived_apart(modules: bool) -> None:
    kb = KnowledgeBase(RULES, modules=modules)
    change = kb.update(insert=[("edge", "a", "b"), ("path", "c", "d"), ("node", "b")])
    assert parts(change) == {
        "+explicit": {"edge": [("a", "b")], "path": [("c", "d")], "node": [("b",)]},
        "+derived": {"path": [("a", "b")], "node": [("a",), ("c",)], "lonely": [("b",)]},
    }
    change = kb.update(insert=[("path", "a", "b")])  # it held already
    assert parts(change) == {}
    change = kb.update(delete=[("edge", "a", "b")])  # it still holds, as a fact that was given
    assert parts(change) == {"-explicit": {"edge": [("a", "b")]}}
    change = kb.update(delete=[("path", "a", "b")], insert=[("edge", "d", "e")])
    assert parts(change) == {
        "+explicit": {"edge": [("d", "e")]},
        "+derived": {"path": [("c", "e"), ("d", "e")], "node": [("d",)]},
        "-explicit": {"path": [("a", "b")]},
        "-derived": {"node": [("a",)]},
    }


def test_later_updates_do_not_matter() -> None:
    kb = KnowledgeBase(RULES)
    first = kb.update(insert=[("edge", "a", "b"), ("path", "b", "c")])
    kb.update(delete=[("path", "b", "c"), ("edge", "a", "b")])
    assert parts(first)["+explicit"] == {"edge": [("a", "b")], "path": [("b", "c")]}


def test_propositions() -> None:
    kb = KnowledgeBase("wet() :- rain().")
    assert parts(kb.update(insert=[("rain",), ("wet",)])) == {"+explicit": {"rain": [()], "wet": [()]}}
    assert parts(kb.update(delete=[("wet",)])) == {}
    assert parts(kb.update(delete=[("rain",)])) == {"-explicit": {"rain": [()]}, "-derived": {"wet": [()]}}
