"""Random programs around a relation that is closed by transitivity: all forms of modules, and all ways to use one."""

from __future__ import annotations

from hypothesis import strategies as st
from tests.random_programs import History, RandomProgram

NODES = ("1", "2", "3", "4", "5", "6", "7", "8", "a", "b")

_BASES = ("", "X != Y")
_GUARDS = ("", "", "X != Z", "X != Y", "Y != Z", "X != Z, X != Y")
_ABOVE: tuple[tuple[str, str], ...] = (
    ("j1(X, Z)", "r(X, Y), r(Y, Z)"),
    ("j2(X)", "r(X, X)"),
    ("j3(X, Y)", "r(X, Y), r(Y, X)"),
    ("j4(X, Y)", "v(X), r(X, Y), v(Y)"),
    ("j5(Y)", "r(1, Y)"),
    ("j6(X)", "r(X, 2)"),
    ("j7(yes)", "r(1, 2)"),
    ("j8(X)", "r(X, _)"),
    ("j9(X)", "r(_, X)"),
    ("j10(yes)", "r(_, _)"),
    ("j11(X, Y)", "r(X, Y), X < Y"),
    ("j12(X, Y, Z)", "r(X, Y), e(Y, Z), r(Z, X)"),
    ("j13(X, Y)", "e(X, Z), r(Y, Z), not e(X, Y)"),
    ("j14(X + Y)", "r(X, Y)"),
    ("j15(X, Y)", "r(X, Y), Z = X, r(Y, Z)"),
    ("n1(X, Y)", "v(X), v(Y), not r(X, Y)"),
    ("n2(X)", "v(X), not r(X, _)"),
    ("n3(X)", "v(X), not r(_, X)"),
    ("n4(yes)", "not r(_, _)"),
    ("n5(yes)", "not r(Z, Z)"),
    ("n6(X)", "v(X), not r(X, X)"),
    ("n7(X)", "v(X), not r(1, X)"),
    ("n8(X)", "v(X), not r(X, 1)"),
    ("n9(X)", "v(X), not r(X, Z)"),
    ("n10(X, Y)", "e(X, Y), not r(Y, X), not r(X, _)"),
    ("a1(X, N)", "N = count { Y : r(X, Y) }"),
    ("a2(X, N)", "v(X), N = count { Y : r(X, Y) }"),
    ("a3(X, N)", "v(X), N = sum { Y : r(X, Y) }"),
    ("a4(X, N)", "N = max { Y : r(Y, X) }"),
    ("a5(N)", "N = count { r(_, _) }"),
    ("a6(N)", "N = count { r(X, X) }"),
    ("a7(X, N)", "v(X), N = count { Y : v(Y), not r(X, Y) }"),
    ("s1(X, Y)", "r(X, Y), v(X)"),
    ("s1(X, Z)", "s1(X, Y), r(Y, Z)"),
    ("s1(X, Z)", "r(X, Y), s1(Y, Z), X != Z"),
    ("s2(X)", "v(X)"),
    ("s2(Y)", "s2(X), r(X, Y)"),
    ("s2(X)", "s2(Y), r(X, Y)"),
)
_BACK = ("r(X, Y)", "j1(Y, X), v(X)")
"""Makes the module a part of a larger recursion."""
_OTHERS = (
    (("q(X, Z)", "q(X, Y), q(Y, Z)"),),
    (("q(X, Z)", "q(X, Y), q(Y, Z), X != Z"),),
    (("q(X, Z)", "q(X, Y), q(Y, Z)"), ("q(X, Y)", "q(Y, X)")),
    (("q(X, Z)", "q(X, Y), q(Y, Z), X != Z"), ("q(X, Y)", "q(Y, X)")),
)
"""Rules that close another relation of the component."""
_BESIDE = (
    # external facts are enough for these
    *(("q(X, Y)", "r(Y, X)"), ("r(X, Y)", "q(Y, X)"), ("q(X, Y)", "r(X, Y)"), ("r(X, Y)", "q(X, Y)")),
    *(
        ("r(X, Y)", "r(X, Z), u(Z, Y)"),
        ("r(X, Y)", "u(X, Z), r(Z, Y)"),
        ("r(X, 3)", "r(X, 2)"),
        ("q(X, Y)", "q(X, Z), v(Z), v(Y)"),
    ),
    ("r(X, Y)", "r(X, Z), u(Z, Y), not e(Y, Z)"),
    # and not for these
    *(("m(X, Y)", "r(X, Y), r(Y, X)"), ("m(X, Y)", "q(X, Y), r(Y, X)"), ("m(X, Y)", "r(X, Y), v(Y)"), ("m(X, X)", "r(X, 1)")),
    *(("r(X, Y)", "m(X, Z), u(Z, Y)"), ("q(X, Y)", "m(X, Y)"), ("r(X, Y)", "m(Y, X)"), ("m(X, Z)", "m(X, Y), r(Y, Z)")),
    *(("r(X, Y)", "q(X, Z), r(Z, Y)"), ("r(X, Y)", "r(X, Z), u(Z, Y), X != Y"), ("q(X, Y)", "r(Y, X), X != Y")),
    *(("r(X, X)", "r(X, Y), u(Y, X)"), ("q(X, Y)", "r(Z, X), r(Z, Y), u(X, Y)"), ("r(X, Y)", "r(X, Z), v(Z), q(Z, Y)")),
    ("r(X, Y)", "r(X, Z), Y = min(Z, 2)"),
)
"""Rules of the component of r beside those that close it; q may be closed, and m is not."""


@st.composite
def _closing(draw: st.DrawFn) -> list[tuple[str, tuple[str, ...]]]:
    """The rules that close r over e, or over its own facts only."""
    form = draw(st.sampled_from(("transitive", "symmetric", "end", "start")))
    steps = draw(st.sampled_from(("e", "e", "t")))
    guard = draw(st.sampled_from(_GUARDS))
    body = {
        "transitive": "r(X, Y), r(Y, Z)",
        "symmetric": "r(X, Y), r(Y, Z)",
        "end": f"r(X, Y), {steps}(Y, Z)",
        "start": f"{steps}(X, Y), r(Y, Z)",
    }[form]
    result = [("r(X, Z)", (body, *([guard] if guard else [])))]
    if form == "symmetric":
        result.append(("r(X, Y)", ("r(Y, X)",)))
    if draw(st.integers(0, 3)):
        base = draw(st.sampled_from(_BASES))
        result.append(("r(X, Y)", (f"{steps}(X, Y)", *([base] if base else []))))
    if draw(st.integers(0, 4)) == 0:
        result.append(("r(X, Z)", ("r(X, Y)", f"{steps}(Y, Z)", "X != Z")))
    if steps == "t":
        result += [("t(X, Y)", ("e(X, Y)",)), ("t(X, Z)", ("t(X, Y)", draw(st.sampled_from(("t(Y, Z)", "e(Y, Z)")))))]
    return result


@st.composite
def _pairs(draw: st.DrawFn, name: str, most: int) -> list[str]:
    node = st.sampled_from(NODES)
    return [f"{name}({x}, {y})" for x, y in draw(st.lists(st.tuples(node, node), max_size=most, unique=True))]


@st.composite
def graph_histories(draw: st.DrawFn, most_updates: int = 3) -> History:
    """A closed relation, rules above it, a graph, updates of the graph, and queries."""
    closing = draw(_closing())
    above = draw(st.lists(st.sampled_from(_ABOVE), min_size=2, max_size=8, unique=True))
    rules = [*closing, *((head, (body,)) for head, body in above)]
    uses_it = not any(head.startswith(("n", "a")) for head, _ in above)
    if uses_it and ("j1(X, Z)", "r(X, Y), r(Y, Z)") in above and draw(st.booleans()):
        rules.append((_BACK[0], (_BACK[1],)))
    more = ["m", "q", "u"] if draw(st.booleans()) else []
    if more:
        rules += [(head, (body,)) for head, body in draw(st.sampled_from(_OTHERS))]
        rules += [(head, (body,)) for head, body in draw(st.lists(st.sampled_from(_BESIDE), min_size=1, max_size=5, unique=True))]
    nodes = [f"v({x})" for x in draw(st.lists(st.sampled_from(NODES), max_size=6, unique=True))]
    first = [*draw(_pairs("e", 14)), *draw(_pairs("r", 3)), *nodes, *(fact for name in more for fact in draw(_pairs(name, 3)))]
    later = [*draw(_pairs("e", 5)), *draw(_pairs("r", 3)), "v(9)", "e(9, 1)", "e(2, 2)"]
    later += [fact for name in more for fact in draw(_pairs(name, 2))]
    some = st.lists(st.sampled_from([*first, *later]), max_size=4).map(tuple)
    updates = draw(st.lists(st.tuples(some, some), max_size=most_updates))
    queries = [body for _, body in draw(st.lists(st.sampled_from(_ABOVE[:32]), max_size=3, unique=True)) if "s1" not in body]
    shuffled = draw(st.permutations(rules))
    return History(RandomProgram(tuple(shuffled), tuple(first)), tuple(updates), tuple(queries))
