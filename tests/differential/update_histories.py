"""Random histories for maintenance: facts with several proofs, proofs that go in circles, and large parts that go and come back.

`layered` programs have a recursion that is easy to support twice and to support by itself, negation above it, recursion above
that, and aggregates of aggregates.  `maintained` takes these and the programs of the other generators, and gives them updates
that delete from a single fact to nearly all, bring back what went, or take back what came.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st
from tests.random_graphs import graph_histories
from tests.random_programs import History, RandomProgram, histories

Rule = tuple[str, tuple[str, ...]]

SHARES = (5, 10, 25, 50, 75, 95)
"""Of the explicit facts, in percent, that one update may delete."""
NODES = ("1", "2", "3", "4", "5", "6")

ALONE = ("r(X, Y)", ("s(X, Y)",))
"""With a rule that derives s from r, facts support each other in a circle."""
_RECURSIVE: tuple[tuple[Rule, ...], ...] = (
    (("r(X, Y)", ("e(X, Y)",)), ("r(X, Z)", ("r(X, Y)", "e(Y, Z)"))),
    (("r(X, Y)", ("e(X, Y)",)), ("r(X, Z)", ("r(X, Y)", "r(Y, Z)"))),
    (("r(X, Y)", ("f(X, Y)",)), ("r(X, Y)", ("r(Y, X)",)), ("r(X, Z)", ("r(X, Y)", "r(Y, Z)", "X != Z"))),
    (("r(X, Y)", ("e(X, Y)",)), ("r(X, Y)", ("f(X, Y)",)), ("r(X, Y)", ("f(Y, X)", "v(X)"))),
    (ALONE, ("s(X, Y)", ("r(X, Y)",)), ("s(X, Y)", ("e(X, Y)",))),
    (ALONE, ("s(X, Y)", ("r(Y, X)",)), ("s(X, Y)", ("f(X, Y)", "v(Y)"))),
    (("r(X, Y)", ("f(X, Y)",)), ("r(X, Y)", ("e(U, X)", "r(U, V)", "e(V, Y)"))),
    (("r(X, Y)", ("s(X, Z)", "r(Z, Y)")), ("s(X, Y)", ("r(X, Z)", "s(Z, Y)")), ("s(X, Y)", ("e(X, Y)",)), ALONE),
)
_ABOVE: tuple[tuple[Rule, ...], ...] = (
    (("n(X, Y)", ("v(X)", "v(Y)", "not r(X, Y)")),),
    (("n(X, Y)", ("e(X, Y)", "not r(Y, X)")), ("n(X, X)", ("v(X)", "not r(X, _)"))),
    (("n(X, Y)", ("v(X)", "v(Y)", "not r(X, Y)")), ("m(X, Y)", ("n(X, Y)",)), ("m(X, Z)", ("m(X, Y)", "n(Y, Z)"))),
    (
        ("n(X, Y)", ("f(X, Y)", "not r(X, Y)")),
        ("m(X)", ("v(X)",)),
        ("m(Y)", ("m(X)", "n(X, Y)")),
        ("o(X)", ("e(X, _)", "not m(X)")),
    ),
    (("c(X, N)", ("N = count { Y : r(X, Y) }",)), ("d(N, K)", ("K = count { X : c(X, N) }",))),
    (("c(X, N)", ("v(X)", "N = sum { Y : r(X, Y) }")), ("d(M)", ("M = max { N : c(_, N) }",)), ("g(X)", ("c(X, N)", "d(N)"))),
    (("c(X, N)", ("N = median { Y : r(X, Y) }",)), ("d(M)", ("M = avg { N : c(_, N) }",)), ("g(M)", ("d(M)", "not c(_, M)"))),
    (
        ("c(X, N)", ("N = min { Y : r(X, Y) }",)),
        ("n(X, Y)", ("c(X, Y)", "not e(X, Y)")),
        ("d(Y, K)", ("v(Y)", "K = count { X : n(X, Y) }")),
        ("g(K, S)", ("S = sum { Y : d(Y, K) }",)),
    ),
)


@dataclass(frozen=True)
class Draft:
    """Rules, the facts to begin with, and facts that may come later."""

    program: RandomProgram
    later: tuple[str, ...]


@st.composite
def _pairs(draw: st.DrawFn, name: str, least: int, most: int) -> list[str]:
    node = st.sampled_from(NODES)
    found = draw(st.lists(st.tuples(node, node), min_size=least, max_size=most, unique=True))
    return [f"{name}({x}, {y})" for x, y in found]


@st.composite
def layered(draw: st.DrawFn) -> Draft:
    """A recursion or two over one relation, and up to three layers above it; every relation may have facts of its own."""
    groups = draw(st.lists(st.sampled_from(_RECURSIVE), min_size=1, max_size=2, unique=True))
    above = draw(st.lists(st.sampled_from(_ABOVE), min_size=1, max_size=3, unique=True))
    taken: dict[str, tuple[Rule, ...]] = {}
    for group in above:  # of two that define a relation differently, the first stays
        taken.setdefault(_first_name(group), group)
    rules = list(dict.fromkeys(rule for group in (*groups, *taken.values()) for rule in group))
    nodes = [f"v({x})" for x in draw(st.lists(st.sampled_from(NODES), min_size=2, max_size=5, unique=True))]
    facts = [*draw(_pairs("e", 3, 12)), *draw(_pairs("f", 0, 5)), *nodes, *draw(_pairs("r", 0, 2))]
    later = [*draw(_pairs("e", 1, 5)), *draw(_pairs("f", 0, 3)), *draw(_pairs("n", 0, 1)), *draw(_pairs("r", 0, 2)), "v(6)"]
    return Draft(RandomProgram(tuple(draw(st.permutations(rules))), tuple(facts)), tuple(later))


def _first_name(group: tuple[Rule, ...]) -> str:
    return group[0][0].partition("(")[0]


def _draft(history: History) -> Draft:
    """What another generator made, without its updates."""
    mentioned = dict.fromkeys(fact for update in history.updates for facts in update for fact in facts)
    return Draft(history.program, tuple(fact for fact in mentioned if fact not in history.program.facts))


@st.composite
def maintained(draw: st.DrawFn, largest_arity: int = 3, most_updates: int = 4) -> History:
    """A program of any generator, with updates of all sizes."""
    others = histories(largest_arity=largest_arity, most_queries=0) | graph_histories()
    draft = draw(layered() | layered() | others.map(_draft))
    explicit = dict.fromkeys(draft.program.facts)
    pool = [*draft.program.facts, *draft.later] or ["v(1)"]
    updates: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for _ in range(draw(st.integers(1, most_updates))):
        kind = draw(st.sampled_from(("share", "share", "one", "some", "back")))
        if kind == "back" and updates:
            inserted, deleted = updates[-1]  # the other way round
        elif kind == "share":
            shuffled = draw(st.permutations(list(explicit)))
            deleted = tuple(shuffled[: -(-len(shuffled) * draw(st.sampled_from(SHARES)) // 100)])
            inserted = draw(st.lists(st.sampled_from(pool), max_size=3).map(tuple))
        elif kind == "one":
            deleted = (draw(st.sampled_from(pool)),)
            inserted = ()
        else:
            deleted, inserted = draw(st.tuples(*[st.lists(st.sampled_from(pool), max_size=5).map(tuple)] * 2))
        updates.append((deleted, inserted))
        explicit = dict.fromkeys([*(fact for fact in explicit if fact not in deleted), *inserted])
    return History(draft.program, tuple(updates), ())


@st.composite
def reordered(draw: st.DrawFn, program: RandomProgram) -> RandomProgram:
    """The same rules, atoms and facts in another order."""
    rules = [(head, tuple(draw(st.permutations(body)))) for head, body in program.rules]
    return replace(program, rules=tuple(draw(st.permutations(rules))), facts=tuple(draw(st.permutations(program.facts))))
