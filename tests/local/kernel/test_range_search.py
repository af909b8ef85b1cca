"""Ranges: a search in an ordered index finds what comparing every row finds, whatever the values and whatever happens to rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local.kernel.test_arithmetic import SPECIAL
from tests.local.kernel.test_join import run
from tests.local_engine import as_tuples, engine_of, held, ordered, program, rows_of, without_empty
from tests.some_values import NAN, any_value, b, booleans, dates, f, i, numbers, s, strings, timestamps

from tidelog import KnowledgeBase
from tidelog.errors import TidelogError
from tidelog.functions.ordering import compare
from tidelog.local.kernel import layout
from tidelog.local.planning.join_order import plan
from tidelog.options import ALGORITHMS, Algorithm
from tidelog.program.program import GroundFact
from tidelog.reference import materialise
from tidelog.values import Value

OPS = {"less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}
ONE_SIDE = "\n".join(f"{name}(X, Y) :- p(X), q(Y), X {op} Y." for name, op in OPS.items())
TWO_SIDES = "\n".join(
    f"{low}_{high}(L, X, H) :- p(X), w(L, H), L {OPS[low]} X, X {OPS[high]} H."
    for low, high in [("less", "less"), ("less", "less_equal"), ("less_equal", "less"), ("less_equal", "less_equal")]
)


@pytest.fixture(params=[True, False], ids=["ordered", "tested"])
def choice(request: pytest.FixtureRequest) -> Iterator[bool]:
    with ordered(request.param):
        yield request.param


def check_one_side(left: Sequence[Value], right: Sequence[Value]) -> None:
    kb = KnowledgeBase(ONE_SIDE)
    kb.update(insert=[*(("p", x) for x in left), *(("q", y) for y in right)])
    for name, op in OPS.items():
        expected = {(x, y) for x in left for y in right if compare(op, x, y) is True}
        assert rows_of(kb.facts(name)) == expected, name


def check_two_sides(values: Sequence[Value], intervals: Sequence[tuple[Value, Value]]) -> None:
    kb = KnowledgeBase(TWO_SIDES)
    kb.update(insert=[*(("p", x) for x in values), *(("w", *ends) for ends in intervals)])
    for low, high in [("less", "less"), ("less", "less_equal"), ("less_equal", "less"), ("less_equal", "less_equal")]:
        expected = {
            (a, x, b)
            for x in values
            for a, b in intervals
            if compare(OPS[low], a, x) is True and compare(OPS[high], x, b) is True
        }
        assert rows_of(kb.facts(f"{low}_{high}")) == expected, (low, high)


def test_numbers_where_something_may_break(choice: bool) -> None:
    check_one_side(SPECIAL, SPECIAL)
    check_two_sides(SPECIAL, [(a, b) for a in SPECIAL[::3] for b in SPECIAL[::2]])


TEXTS = [
    *(s("http://example.org/" + end) for end in ("", "a", "b", "ab", "é", "a\x00", "zzzzzzzzz")),
    s(""),
    s("\x00"),
    s("http"),
]


def test_texts_that_begin_alike(choice: bool) -> None:
    check_one_side(TEXTS, TEXTS)
    check_two_sides(TEXTS, [(a, b) for a in TEXTS for b in TEXTS])


some_values = st.lists(any_value | numbers | strings | dates | timestamps | booleans, max_size=12)


@pytest.mark.by_night(2_000)
@given(some_values, some_values)
@settings(max_examples=25)
def test_values_of_every_kind(left: list[Value], right: list[Value]) -> None:
    for is_used in (True, False):
        with ordered(is_used):
            check_one_side(left, right)
            check_two_sides(left, list(zip(right, reversed(right), strict=True)))


RULES = """
    in(P, W) :- p(P, T), w(W, L, H), L <= T, T < H.
    near(P, Q) :- p(P, T), p(Q, U), U > T - 2, U < T + 2, P != Q.
    same(G, A, B) :- g(G, A), g(G, B), A < B.
    wide(A, X) :- v(K, J, A), v(K, J, X), A >= X.
    some(P) :- p(P, T), w(_, L, H), L <= T, T < H.
    none(P) :- p(P, _), not some(P).
    chain(P, Q) :- near(P, Q).
    chain(P, R) :- chain(P, Q), p(Q, T), p(R, U), U > T, U < T + 2.
    after(P, T) :- p(P, T), T > 3.
    between(P, T) :- p(P, T), g(_, B), B < T, T < 10.
    pair(X, Y) :- b(X), b(Y), not chain(X, Y), not none(X), not between(X, Y).
"""
LIMIT = 3_000
small = st.integers(0, 12).map(i)
odd = st.sampled_from([f(2.5), f(3.0), s("text"), b(True), f(1e300), NAN])
some_facts: st.SearchStrategy[list[GroundFact]] = st.lists(
    st.tuples(st.just("p"), st.tuples(small, small | odd))
    | st.tuples(st.just("w"), st.tuples(small, small, small))
    | st.tuples(st.just("g"), st.tuples(small, small | odd))
    | st.tuples(st.just("v"), st.tuples(small, small, small)),
    max_size=25,
)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.by_night(600)
@given(histories=st.lists(st.tuples(some_facts, some_facts, st.booleans()), min_size=1, max_size=4))
@settings(max_examples=12)
def test_updates(algorithm: Algorithm, histories: list[tuple[list[GroundFact], list[GroundFact], bool]]) -> None:
    """Whatever comes and goes, and whatever is rolled back, both ways have the facts of the reference."""
    for is_used in (True, False):
        with ordered(is_used):
            kb = KnowledgeBase(RULES, algorithm=algorithm, limit_facts=LIMIT)
            explicit = set[GroundFact]()
            for inserted, deleted, is_rolled_back in histories:
                if is_rolled_back:
                    roll_back(kb, inserted, [*deleted, *explicit])
                kb.update(insert=as_tuples(inserted), delete=as_tuples(deleted))
                explicit = (explicit - set(deleted)) | set(inserted)
                assert without_empty(held(kb)) == without_empty(materialise(program(RULES), explicit))


def roll_back(kb: KnowledgeBase, inserted: list[GroundFact], deleted: list[GroundFact]) -> None:
    """An update that changes much, and then fails."""
    before = held(kb)
    with pytest.raises(TidelogError, match="TL070"):
        kb.update(insert=[*as_tuples(inserted), *(("b", f"n{n}") for n in range(60))], delete=as_tuples(deleted))
    assert held(kb) == before


def test_a_run_that_is_paused_finds_the_same() -> None:
    kb = KnowledgeBase("in(P, W) :- p(P, T), w(W, L, H), L <= T, T < H.")
    kb.update(insert=[*(("p", n, n % 50) for n in range(200)), *(("w", n, n % 40, n % 40 + n % 7) for n in range(90))])
    engine = engine_of(kb)
    assert kb.count("in")
    (rule,) = (rule for unit in engine.core.units for rule in unit.rules)
    found, head = plan(rule, engine.state), engine.state.table("in")
    assert layout.RANGE in [found.code[found.code[layout.STEPS_AT + at]] for at in range(found.code[layout.STEP_COUNT])]
    expected = set(map(tuple, head.rows.tolist()))
    for budget in (1 << 20, 1):
        head.truncate_to(0)
        for table, index in found.indexes:
            table.extend_index(index)
        assert (layout.PAUSED in run(engine.state, found, budget)) == (budget == 1)
        assert set(map(tuple, head.rows.tolist())) == expected


def test_a_bound_without_a_value_is_counted_and_leaves_nothing(choice: bool) -> None:
    kb = KnowledgeBase("h(X, Y) :- p(X), q(Y), Y < X / 0, Y > 1.")
    change = kb.update(insert=[("p", 1), *(("q", n) for n in range(50))])
    assert change.stats.undefined == (1 if choice else 48)
    assert not kb.count("h")


def test_long_tails_and_runs() -> None:
    """Rows that come one by one, and many at once, at sizes where the run is made anew."""
    kb = KnowledgeBase("in(P, W) :- p(P, T), w(W, L, H), L <= T, T < H.")
    points, intervals, next_one = dict[int, int](), dict[int, tuple[int, int]](), 0
    for step, count in enumerate([300, 1, 1, 100, 2, 700, 1, 30, 30, 30, 1]):
        new = range(next_one, next_one := next_one + count)
        points |= {n: (step * 977 + n * 31) % 500 for n in new}
        intervals |= {n: ((step * 389 + n * 17) % 500, (step * 389 + n * 17) % 500 + 5) for n in new}
        gone = [*points][step::41], [*intervals][step::37]
        inserted = [*(("p", *fact) for fact in points.items()), *(("w", n, *ends) for n, ends in intervals.items())]
        deleted = [*(("p", n, points.pop(n)) for n in gone[0]), *(("w", n, *intervals.pop(n)) for n in gone[1])]
        kb.update(insert=inserted)
        kb.update(delete=deleted)
        assert set(kb["in"]) == {(p, w) for p, t in points.items() for w, (low, high) in intervals.items() if low <= t < high}
