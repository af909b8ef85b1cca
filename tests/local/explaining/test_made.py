"""What a change keeps of how it was made."""

from __future__ import annotations

from tidelog import KnowledgeBase
from tidelog.local.explaining.made import Made


def test_what_became_explicit_and_ceased_to_be() -> None:
    kb = KnowledgeBase("p(X) :- q(X). p(X) :- r(X).")
    kb.update(insert=[("q", 1), ("q", 2), ("p", 1), ("r", 5)])
    change = kb.update(insert=[("p", 2), ("q", 3), ("r", 5)], delete=[("p", 1), ("q", 1), ("r", 5), ("p", 7)])
    made: Made = change.explainer.args[0]  # type: ignore[union-attr]
    assert made.kb() is kb
    came, went = (
        {name: [value.content for value in made.terms.values_of(rows[:, 0])] for name, rows in side.items() if len(rows)}
        for side in made.facts.explicit()
    )
    assert came == {"p": [2], "q": [3]}
    assert went == {"p": [1], "q": [1]}


def test_a_stream_that_looks_ahead() -> None:
    kb = KnowledgeBase("p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z).", marking=True)
    updates = [
        {"insert": [["e", n, n + 1], ["p", n, n + 1]], "delete": [["e", n - 2, n - 1], ["p", n - 1, n]]} for n in range(12)
    ]
    for n, change in enumerate(kb.follow(updates)):
        assert change.explain(("p", n, n + 1)).what == "came"
        made: Made = change.explainer.args[0]  # type: ignore[union-attr]
        came, went = (
            {(name, *(value.content for value in made.terms.values_of(row))) for name, rows in side.items() for row in rows}
            for side in made.facts.explicit()
        )
        assert came == {("e", n, n + 1), ("p", n, n + 1)}
        assert went == ({("e", n - 2, n - 1)} if n > 1 else set()) | ({("p", n - 1, n)} if n else set())
