"""Plans: which steps a rule becomes, and in which order."""

from __future__ import annotations

import pytest
from tests.local_engine import engine_of, ordered, shortest

from tidelog import KnowledgeBase
from tidelog.core.rewriting import core_of_rule
from tidelog.local.kernel import layout
from tidelog.local.planning.join_order import plan
from tidelog.local.planning.plan import Plan
from tidelog.program.queries import check_query
from tidelog.syntax.tree import Atom, Rule, Variable

OPS = [
    "SCAN",
    "PROBE",
    "PROBE_EMIT",
    "TEST",
    "ABSENT",
    "NONE",
    "SAME",
    "DIFFERENT",
    "FILTER",
    "LET",
    "EMIT",
    "NODES",
    "FORWARD",
    "BACKWARD",
    "HAS_PAIR",
    "LACKS_PAIR",
    "NO_PAIR",
    "RANGE",
    "SHORTEST",
    "SOME",
]
NAMES = {getattr(layout, name): name for name in OPS}
RULES = "r(X, Z) :- r(X, Y), r(Y, Z). h(X) :- small(X), big(X, _), wide(X, _, _)."
FACTS = [
    *(("small", n) for n in range(3)),
    *(("big", n % 10, n) for n in range(100)),
    *(("wide", n % 10, n % 5, n) for n in range(50)),
    *(("r", n, n + 1) for n in range(9)),
]


@pytest.fixture(scope="module")
def kb() -> KnowledgeBase:
    kb = KnowledgeBase(RULES)
    kb.update(insert=FACTS)
    return kb


def cached_plan(kb: KnowledgeBase, body: str, head: str = "", delta: int | None = None) -> Plan:
    """The plan of a rule with this body, and a head of these variables."""
    state = engine_of(kb).state
    query = check_query(body, kb.relations, {})
    rule = Rule(Atom("#h", tuple(Variable(name) for name in head)), query.body)
    core = core_of_rule(rule, {**engine_of(kb).core.arities, "#h": len(head)}, "#test ")
    state.ensure_table("#h", len(head))
    try:
        (core_rule,) = (rule for unit in core.units for rule in unit.rules)
        return plan(core_rule, state, delta)
    finally:
        state.store.release(state.take_table("#h"))


def steps(found: Plan) -> list[str]:
    """The names of a plan's steps."""
    code = found.code
    return [NAMES[int(code[code[layout.STEPS_AT + at]])] for at in range(code[layout.STEP_COUNT])]


@pytest.mark.parametrize(
    ("body", "head", "expected"),
    [
        ("small(X)", "X", ["SCAN", "EMIT"]),
        ("small(1)", "", ["TEST", "EMIT"]),
        ("big(X, Y), small(X)", "XY", ["SCAN", "PROBE_EMIT", "EMIT"]),
        ("big(X, X)", "X", ["SCAN", "EMIT"]),
        ("big(1, X), not small(X)", "X", ["PROBE", "ABSENT", "EMIT"]),
        ("small(X), not big(X, _)", "X", ["SCAN", "NONE", "EMIT"]),
        ("small(X), not big(_, _)", "X", ["NONE", "SCAN", "EMIT"]),
        ("small(X), not wide(X, Z, Z)", "X", ["SCAN", "NONE", "EMIT"]),
        ("small(X), X != 1", "X", ["SCAN", "DIFFERENT", "EMIT"]),
        ("small(X), X = 1", "X", ["LET", "TEST", "EMIT"]),
        ("small(X), X > 1", "X", ["SCAN", "FILTER", "EMIT"]),
        ("small(X), Y = X + 1, small(Y)", "XY", ["SCAN", "LET", "TEST", "EMIT"]),
        ("r(X, Y)", "XY", ["NODES", "FORWARD", "EMIT"]),
        ("r(1, Y)", "Y", ["FORWARD", "EMIT"]),
        ("r(X, 1)", "X", ["BACKWARD", "EMIT"]),
        ("r(1, 2)", "", ["HAS_PAIR", "EMIT"]),
        ("r(X, X)", "X", ["NODES", "HAS_PAIR", "EMIT"]),
        ("small(X), not r(X, X)", "X", ["SCAN", "LACKS_PAIR", "EMIT"]),
        ("small(X), not r(X, _)", "X", ["SCAN", "NO_PAIR", "EMIT"]),
        ("small(X), not r(Z, Z)", "X", ["NO_PAIR", "SCAN", "EMIT"]),
    ],
)  # fmt: skip
def test_steps(kb: KnowledgeBase, body: str, head: str, expected: list[str]) -> None:
    assert steps(cached_plan(kb, body, head)) == expected


def test_the_smallest_relation_comes_first(kb: KnowledgeBase) -> None:
    body = "big(X, Y), wide(X, Z, _), small(X)"
    code = cached_plan(kb, body, "XYZ").code
    first = code[layout.STEPS_AT]
    assert code[first + 1] == engine_of(kb).state.table("small").number


@pytest.mark.parametrize("body", ["big(X, Y), small(X), Y > 3", "small(X), Y > 3, big(X, Y)", "Y > 3, big(X, Y), small(X)"])
def test_the_order_of_literals_does_not_matter(kb: KnowledgeBase, body: str) -> None:
    assert steps(cached_plan(kb, body, "XY")) == ["SCAN", "PROBE", "FILTER", "EMIT"]
    found = kb.query(body)
    assert {tuple(sorted(zip(found.columns, row, strict=True))) for row in found} == {
        (("X", x), ("Y", y)) for x in range(3) for y in range(x, 100, 10) if y > 3
    }


def test_behind_the_last_variable_of_the_head_one_solution_is_enough(kb: KnowledgeBase) -> None:
    """Then the kernel goes back to the step that binds it."""
    assert cached_plan(kb, "small(X), big(X, Y), wide(Y, _, _)", "X").code[layout.CUT] == 0
    assert cached_plan(kb, "small(X), big(X, Y), wide(Y, _, _)", "").code[layout.CUT] == -1


def test_a_relation_that_was_empty_before_is_not_joined_with_everything(kb: KnowledgeBase) -> None:
    """The plan may be used again when almost all of the relation was there before the delta."""
    body, small = "small(X), big(X, Y), big(Y, Z), small(Z)", engine_of(kb).state.table("small")
    small.mark_delta(0)
    try:
        found = cached_plan(kb, body, "XZ", 3)
    finally:
        small.mark_delta()
    assert steps(found) == ["SCAN", "PROBE", "PROBE", "TEST", "EMIT"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("wide(X, Y, Z), big(U, V), V < Z", ["SCAN", "RANGE", "EMIT"]),
        ("wide(X, Y, Z), big(U, V), V >= Z, V <= Z + 3, V != 7", ["SCAN", "RANGE", "DIFFERENT", "EMIT"]),
        ("wide(X, Y, Z), big(U, V), V < Z, V < X", ["SCAN", "RANGE", "FILTER", "EMIT"]),
        ("small(X), big(U, V), V > 3", ["SCAN", "RANGE", "EMIT"]),
        ("small(X), big(U, V), V + 1 < X", ["SCAN", "SCAN", "FILTER", "EMIT"]),
        ("big(U, V), V > 3", ["SCAN", "FILTER", "EMIT"]),
    ],
)
def test_comparisons_become_ranges(kb: KnowledgeBase, body: str, expected: list[str]) -> None:
    head = sorted({name for name in body if name.isupper()})
    assert steps(cached_plan(kb, body, "".join(head))) == expected
    with ordered(False):
        assert "RANGE" not in steps(cached_plan(kb, body, "".join(head)))


def test_where_an_interval_is_known_comes_first(kb: KnowledgeBase) -> None:
    """The bounds of one side leave less than one bound of the other."""
    for body in ("wide(P, _, T), big(L, H), L <= T, T < H", "big(L, H), wide(P, _, T), L <= T, T < H"):
        code = cached_plan(kb, body, "PLH").code
        assert code[code[layout.STEPS_AT] + 1] == engine_of(kb).state.table("big").number


@pytest.mark.parametrize(
    ("body", "head", "expected"),
    [
        ("small(X), big(X, Y), big(Y, Z), big(X, Z)", "XYZ", ["SCAN", "PROBE", "SHORTEST", "EMIT"]),
        ("small(X), big(X, Y), wide(X, Y, Z)", "XYZ", ["SCAN", "PROBE", "PROBE", "EMIT"]),
        ("small(X), big(X, Y), r(X, Y)", "XY", ["SCAN", "PROBE_EMIT", "EMIT"]),
    ],
)
def test_atoms_that_bind_the_same_variables_are_chosen_from_when_the_plan_runs(
    kb: KnowledgeBase, body: str, head: str, expected: list[str]
) -> None:
    with shortest(True):
        found = steps(cached_plan(kb, body, head))
        assert ("SHORTEST" in found) == ("SHORTEST" in expected)
        assert "SHORTEST" not in expected or found == expected
    with shortest(False):
        assert "SHORTEST" not in steps(cached_plan(kb, body, head))


def test_the_atom_without_frequent_keys_is_chosen_when_planning(kb: KnowledgeBase) -> None:
    """On average a key of either has two rows; but half of the rows of `skewed` have one key, which half of its uses look for."""
    kb = KnowledgeBase("h(X, Z) :- first(X, Y), skewed(Y, Z), even(X, Z).")
    kb.update(
        insert=[
            *(("first", n, n % 2 * n) for n in range(1000)),
            *(("skewed", n % 2 * n, n) for n in range(1000)),
            *(("even", n // 2, n) for n in range(1000)),
        ]
    )
    assert steps(cached_plan(kb, "first(X, Y), skewed(Y, Z), even(X, Z)", "XZ"))[:3] == ["SCAN", "PROBE", "TEST"]
    assert [one.literal.split("(")[0] for one in kb.plan()[0].literals] == ["first", "even", "skewed"]


def test_a_search_ends_where_the_head_is_derived_already(kb: KnowledgeBase) -> None:
    found = steps(cached_plan(kb, "small(X), big(X, Y), big(Y, Z), wide(Z, W, V)", "X"))
    assert found.count("ABSENT") == 1
    assert steps(cached_plan(kb, "big(X, Y), wide(Y, Z, W)", "XYZW")).count("ABSENT") == 0
