"""Modules: which rules are recognised, and that their stated meaning is that of the rules."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rule_sets import RS1, RS2

from tidelog.program.modules import Module, ModuleKind
from tidelog.program.program import Program, check
from tidelog.reference import Facts, materialise
from tidelog.source import Source
from tidelog.values import Value

TC = "r(X, Z) :- r(X, Y), r(Y, Z)."
BASE = "r(X, Y) :- e(X, Y)."
LEFT = "r(X, Z) :- r(X, Y), e(Y, Z)."
RIGHT = "r(X, Z) :- e(X, Y), r(Y, Z)."
SYMMETRIC = "r(X, Y) :- r(Y, X)."


def program(text: str) -> Program:
    return check(Source(text, "test.dl"))


def found(text: str) -> list[tuple[object, ...]]:
    """Kind, relation, rules, whether irreflexive, whether whole; of the linear kind also edge, side and base."""
    result: list[tuple[object, ...]] = []
    for m in program(text).modules:
        linear = (m.edge, m.extends, m.base) if m.kind is ModuleKind.LINEAR else ()
        result.append((m.kind.value, m.relation, m.rules, m.is_irreflexive, m.is_whole, *linear))
    return result


T, S, L = "transitive", "symmetric-transitive", "linear transitive"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TC, [(T, "r", (0,), False, True)]),
        (BASE + TC, [(T, "r", (1,), False, True)]),
        ("r(A, C) :- r(B, C), r(A, B).", [(T, "r", (0,), False, True)]),
        ("r(X, Z) :- r(X, Y), r(Y, Z), X != Z.", [(T, "r", (0,), True, True)]),
        ("r(X, Z) :- Z != X, r(X, Y), r(Y, Z).", [(T, "r", (0,), True, True)]),
        ("r(X, Z) :- r(X, Y), r(Y, Z), X != Y.", [(T, "r", (0,), False, True)]),
        (TC + "r(X, Z) :- r(X, Y), r(Y, Z), X != Z.", [(T, "r", (0, 1), False, True)]),
        (TC + SYMMETRIC, [(S, "r", (0, 1), False, True)]),
        (SYMMETRIC + "r(X, Z) :- r(X, Y), r(Y, Z), X != Z.", [(S, "r", (0, 1), True, True)]),
        (TC + "r(X, Y) :- X != Y, r(Y, X).", [(S, "r", (0, 1), False, True)]),
        (SYMMETRIC + "r(X, Z) :- r(X, Y), r(Z, Y).", [(S, "r", (0, 1), False, True)]),
        (SYMMETRIC + "r(X, Z) :- r(Y, X), r(Y, Z), X != Z.", [(S, "r", (0, 1), True, True)]),
        (BASE + LEFT, [(L, "r", (1,), False, True, "e", "end", "all")]),
        (BASE + RIGHT, [(L, "r", (1,), False, True, "e", "start", "all")]),
        (LEFT, [(L, "r", (0,), False, True, "e", "end", None)]),
        ("r(X, Z) :- e(Y, Z), r(X, Y).", [(L, "r", (0,), False, True, "e", "end", None)]),
        (BASE + "r(X, Z) :- r(X, Y), e(Y, Z), X != Z.", [(L, "r", (1,), True, True, "e", "end", "all")]),
        ("r(X, Y) :- e(X, Y), X != Y. r(X, Z) :- r(X, Y), e(Y, Z), X != Z.", [(L, "r", (1,), True, True, "e", "end", "loops")]),
        ("r(X, Y) :- e(X, Y), X != Y." + LEFT, [(L, "r", (1,), False, True, "e", "end", "loops")]),
        (BASE + "r(X, Z) :- r(X, Y), e(Y, Z), X != Y.", [(L, "r", (1,), False, True, "e", "end", "all")]),
        ("r(X, Z) :- r(X, Y), e(Y, Z), Y != Z.", [(L, "r", (0,), False, True, "e", "end", None)]),
        # the chain over the base adds nothing to the non-linear rule
        (BASE + TC + LEFT, [(T, "r", (1, 2), False, True)]),
        (TC + LEFT, [(T, "r", (0,), False, False)]),
        # both directions: one of them is the module, the other a rule beside it
        (BASE + LEFT + RIGHT, [(L, "r", (1,), False, False, "e", "end", "all")]),
        # other recursive rules beside it
        (TC + "r(X, Y) :- s(X, Y). s(X, Y) :- r(X, Y), e(X, X).", [(T, "r", (0,), False, False)]),
        # several in one component
        (
            "b(X, Z) :- b(X, Y), b(Y, Z). n(X, Z) :- n(X, Y), n(Y, Z). b(X, Y) :- n(Y, X). n(X, Y) :- b(Y, X).",
            [(T, "b", (0,), False, False), (T, "n", (1,), False, False)],
        ),
        # none
        ("r(X, Z) :- r(X, Y), e(Y, Z), X != Z.", []),  # a path from an external fact may lead through its start
        ("r(X, Z) :- r(X, Y), e(Y, Z), X != Y.", []),
        ("r(X, Z) :- r(X, Y), r(Z, Y).", []),
        ("r(X, Z) :- r(Z, Y), r(Y, X).", []),
        ("r(X, Z) :- r(X, Y), r(Y, Z), X != a.", []),
        ("r(X, Z) :- r(X, Y), r(Y, Z), not e(X, Z).", []),
        ("r(X, Z) :- r(X, Y), r(Y, Z), e(Y, Y).", []),
        ("r(X, X) :- r(X, Y), r(Y, X).", []),
        ("r(X, Z) :- r(X, Y), r(Y, W), e(W, Z).", []),
        ("r(X, Z) :- r(X, Y), e(Y, Z). e(X, Y) :- r(Y, X).", []),
        (SYMMETRIC, []),
        ("r(X, Y, Z) :- r(X, Y, W), r(X, W, Z).", []),
        ("r(X, Z) :- e(X, Y), e(Y, Z).", []),
    ],
)
def test_recognition(text: str, expected: list[object]) -> None:
    assert found(text) == expected


QT = "q(X, Z) :- q(X, Y), q(Y, Z). "
Q_OF_R, R_OF_Q = "q(X, Y) :- r(Y, X). ", "r(X, Y) :- q(Y, X). "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # copies of closed relations
        (TC + QT + Q_OF_R + R_OF_Q, {"r": (2,), "q": (3,)}),
        (TC + QT + "q(X, Y) :- r(X, Y). " + R_OF_Q, {"r": (2,), "q": (3,)}),
        (TC + SYMMETRIC + QT + SYMMETRIC.replace("r", "q") + Q_OF_R + R_OF_Q, {"r": (4,), "q": (5,)}),
        # a symmetric relation has pairs against the direction of its external facts
        (TC + SYMMETRIC + QT + Q_OF_R + R_OF_Q, {"r": (), "q": (4,)}),
        # where r has no derived (X, X), neither have its copies; the other way round q would lack those of r
        ("r(X, Z) :- r(X, Y), r(Y, Z), X != Z." + QT + Q_OF_R + R_OF_Q, {"r": (2,), "q": ()}),
        (TC + QT + "q(X, Y) :- r(Y, X), X != Y. " + R_OF_Q, {"r": (), "q": (3,)}),
        # steps that are prolonged
        (TC + "r(X, Y) :- r(X, Z), e(Z, Y).", {"r": (1,)}),
        (TC + "r(X, Y) :- e(X, Z), r(Z, Y), not f(X, Z).", {"r": (1,)}),
        (TC + "r(X, a) :- r(X, b).", {"r": (1,)}),
        (TC + "r(X, Y) :- r(X, Z), e(Z, Y), X != Y.", {"r": ()}),
        (TC + "r(X, Y) :- r(X, Z), e(X, Y).", {"r": ()}),
        (TC + "r(X, X) :- r(X, Z), e(Z, Y).", {"r": ()}),
        (TC + "r(X, Y) :- r(X, X), e(X, Y).", {"r": ()}),
        (TC + "r(X, Y) :- r(X, Z), Y = Z + 1, Y < 9.", {"r": ()}),
        (TC + SYMMETRIC + "r(X, Y) :- r(X, Z), e(Z, Y).", {"r": ()}),
        ("r(X, Z) :- r(X, Y), r(Y, Z), X != Z. r(X, Y) :- r(X, Z), e(Z, Y).", {"r": ()}),
        # more of the component is read
        (TC + "r(X, Y) :- s(X, Y). s(X, Y) :- r(X, Y), e(X, X).", {"r": ()}),
    ],
)
def test_rules_that_need_external_facts_only(text: str, expected: dict[str, tuple[int, ...]]) -> None:
    modules = program(text).modules
    assert {module.relation: module.external_rules for module in modules} == expected
    assert all(module.is_shared for module in modules)


def test_what_no_module_can_share() -> None:
    """Groups of an aggregate are complete only in turns, and a linear module is alone or not one."""
    counting = "r(X, N) :- r(X, _), N = count { Z : e(X, Z) }."
    assert [(module.is_whole, module.is_shared) for module in program(TC + counting).modules] == [(False, False)]
    linear = BASE + LEFT + "r(X, Y) :- s(X, Y). s(X, Y) :- r(Y, X)."
    assert [(module.kind.value, module.is_shared) for module in program(linear).modules] == [(L, False)]


def test_relations_that_other_rules_join_are_no_modules() -> None:
    """Where all pairs are wanted in each round, rows are joined faster than what is searched."""
    pointers = "alias(X, Y) :- flow(Z, X), flow(Z, Y). flow(X, Y) :- assign(X, Z), alias(Z, Y)."
    assert [module.is_shared for module in program(TC.replace("r(", "flow(") + pointers).modules] == [False]
    both = program(TC + QT + R_OF_Q + "q(X, Y) :- q(X, Z), r(Y, Z).").modules
    assert {module.relation: module.is_shared for module in both} == {"q": False, "r": False}
    other = program(TC + QT + Q_OF_R + R_OF_Q + "s(X, Z) :- r(X, Y), s(Y, Z). r(X, X) :- s(X, X).").modules
    assert {module.relation: module.is_shared for module in other} == {"r": False, "q": True}
    tested = program(TC + "s(X, Y) :- r(X, Y), r(Y, X). r(X, Y) :- s(X, Z), e(Z, Y).").modules
    assert [module.is_shared for module in tested] == [True]


def test_modules_of_the_rule_sets() -> None:
    assert [(m.kind.value, m.relation, m.is_irreflexive) for m in program(RS1).modules] == [(S, "hasNeighbour", True)]
    assert [(m.kind.value, m.relation, m.is_irreflexive) for m in program(RS2).modules] == [(S, "p11", True), (T, "p12", True)]


# --- the stated meaning of a module is that of its rules -----------------------------------------------------------------

_FORMS = [
    TC,
    BASE,
    LEFT,
    RIGHT,
    SYMMETRIC,
    "r(X, Z) :- r(X, Y), r(Y, Z), X != Z.",
    "r(X, Z) :- r(X, Y), r(Y, Z), X != Y.",
    "r(X, Y) :- e(X, Y), X != Y.",
    "r(X, Z) :- r(X, Y), e(Y, Z), X != Z.",
    "r(X, Z) :- e(X, Y), r(Y, Z), Z != X.",
    "r(X, Z) :- r(X, Y), e(Y, Z), X != Y.",
    "r(X, Z) :- r(X, Y), e(Y, Z), Y != Z.",
    "r(X, Z) :- e(X, Y), r(Y, Z), Y != Z.",
    "r(X, Z) :- r(X, Y), r(Z, Y).",
    "r(X, Z) :- r(Y, X), r(Y, Z), X != Z.",
    "r(X, Y) :- r(Y, X), X != Y.",
    "r(X, Y) :- f(X, Y).",
    "r(X, X) :- f(X, _).",
]
Pair = tuple[Value, ...]


def closed(module: Module, external: set[Pair], facts: Facts) -> set[Pair]:
    """The relation as the module's description has it, from its external facts."""
    steps = external if module.edge is None else facts[module.edge]
    if module.kind is ModuleKind.SYMMETRIC_TRANSITIVE:
        steps = steps | {(y, x) for x, y in steps}
    ahead: dict[Value, set[Value]] = {}
    for x, y in steps:
        ahead.setdefault(x, set()).add(y)

    def reached(start: Value, following: dict[Value, set[Value]]) -> set[Value]:
        seen: set[Value] = set()
        frontier = {start}
        while frontier:
            frontier = {n for f in frontier for n in following.get(f, ())} - seen
            seen |= frontier
        return seen

    if module.kind is not ModuleKind.LINEAR:
        derived = {(x, y) for x in ahead for y in reached(x, ahead)}
    elif module.extends == "end":
        derived = {(x, z) for x, y in external for z in reached(y, ahead)}
    else:
        behind: dict[Value, set[Value]] = {}
        for x, y in steps:
            behind.setdefault(y, set()).add(x)
        derived = {(w, y) for x, y in external for w in reached(x, behind)}
    if module.is_irreflexive:
        derived = {(x, y) for x, y in derived if x != y}
    return external | derived


def check_meaning(forms: list[str], edges: dict[str, set[tuple[int, int]]]) -> bool:
    rows = "".join(f"{name}({x}, {y})." for name, pairs in edges.items() for x, y in pairs)
    declared = "@relation e(a: int, b: int). @relation f(a: int, b: int). @relation r(a: int, b: int). "
    checked = program(declared + " ".join(forms) + rows)
    modules = [m for m in checked.modules if m.is_whole]
    for module in modules:
        facts = materialise(checked)
        # External facts: explicit ones, and what the rules outside of the module derive.
        outside = tuple(rule for at, rule in enumerate(checked.rules) if at not in module.rules)
        external = materialise(replace(checked, rules=outside))["r"]
        assert facts["r"] == closed(module, external, facts)
        if module.base is not None:
            assert {(x, y) for x, y in facts["e"] if module.base == "all" or x != y} <= external
    return bool(modules)


_PAIRS = st.sets(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=7)
_CASES = (
    st.lists(st.sampled_from(_FORMS), min_size=1, max_size=4, unique=True),
    st.fixed_dictionaries({"e": _PAIRS, "f": _PAIRS, "r": _PAIRS}),
)


@given(*_CASES)
@settings(max_examples=200)
def test_meaning(forms: list[str], edges: dict[str, set[tuple[int, int]]]) -> None:
    check_meaning(forms, edges)


@pytest.mark.nightly
@given(*_CASES)
@settings(max_examples=10_000)
def test_meaning_many_times(forms: list[str], edges: dict[str, set[tuple[int, int]]]) -> None:
    check_meaning(forms, edges)
