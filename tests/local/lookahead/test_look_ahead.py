"""Look-ahead: when the next update is read, when a step is kept for it, and what deletions are estimated to cost."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.local.small_engine import CHAIN, PATHS, SmallEngine

from tidelog import Update
from tidelog.changes import Counters
from tidelog.core.limits import Watch
from tidelog.local.encoded_facts import EncodedUpdate
from tidelog.local.lookahead.look_ahead import LookAhead, _Deletions


class Stream:
    """An engine that gets the updates of a stream, with a look-ahead."""

    def __init__(self, text: str = PATHS + CHAIN, *, always: bool = False) -> None:
        self.small = SmallEngine(text)
        self.ahead = LookAhead(self.small.engine, self.encode, always=always)
        self.reads = 0
        self.chosen: dict[str, str] = {}
        self.counters = Counters()

    def encode(self, update: Update) -> EncodedUpdate | None:
        """An update of one relation as rows; None if it has an invalid fact."""
        if any("invalid" in fact for fact in update.delete):
            return None
        sides = []
        for facts in (update.delete, update.insert):
            names = {str(fact[0]) for fact in facts}
            sides.append({n: self.small.rows(*(tuple(map(int, map(str, f[1:]))) for f in facts if f[0] == n)) for n in names})
        return EncodedUpdate(sides[0], sides[1], {}, {}, 0)

    def apply(self, update: Update, following: Update | None = None) -> None:
        """Apply an update; `following` is the next one, if it has arrived."""

        def next_update() -> Update | None:
            self.reads += 1
            return following

        given = self.ahead.given(update) or self.encode(update)
        assert given is not None
        with self.small.engine.begin(Watch()) as transaction:
            self.ahead.run(transaction, given, update, next_update)
            self.chosen, self.counters = transaction.counted.chosen, transaction.counted.counters
            transaction.commit()


def inserting(*edges: tuple[int, int]) -> Update:
    return Update(insert=tuple(("edge", *edge) for edge in edges))


def deleting(*edges: tuple[int, int]) -> Update:
    return Update(delete=tuple(("edge", *edge) for edge in edges))


# --- which updates are read ----------------------------------------------------------------------------------------------


def test_an_update_that_inserts_nothing_needs_no_look_ahead() -> None:
    stream = Stream()
    stream.apply(deleting((1, 2)), deleting((2, 3)))
    assert stream.reads == 0


def test_an_update_that_has_been_read_is_not_encoded_again() -> None:
    stream = Stream()
    following = deleting((4, 5))
    stream.apply(inserting((4, 5)), following)
    given = stream.ahead.given(following)
    assert given is not None
    assert stream.small.tuples(given.deleted["edge"]) == [(4, 5)]
    assert stream.ahead.given(following) is None, "only once"
    stream.apply(inserting((5, 6)), following)
    assert stream.ahead.given(deleting((4, 5))) is None, "another update with the same facts"


@pytest.mark.parametrize(
    "following", [Update(insert=(("edge", 1, 9),)), Update(add_rules=("a(X) :- edge(X, _).",)), Update(delete=(("invalid",),))]
)
def test_updates_that_delete_nothing_or_are_wrong_are_left_for_their_turn(following: Update) -> None:
    stream = Stream()
    stream.apply(inserting((4, 5)), following)
    assert stream.reads == 1
    assert stream.ahead.given(following) is None


def test_streams_that_never_delete_what_is_new_are_examined_less_and_less_often() -> None:
    stream = Stream("thing(X, Y) :- edge(X, Y). edge(0, 0).")
    reads = []
    for number in range(1, 31):
        before = stream.reads
        stream.apply(inserting((number, number)), deleting((number - 1, number - 1)))
        reads.append(stream.reads - before)
    assert reads[0] == 1
    assert sum(reads[:10]) > sum(reads[20:]) > 0


# --- steps that are kept -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("always", [True, False])
def test_the_next_update_uses_the_marks_of_this_one(always: bool) -> None:
    stream = Stream(always=always)
    following = deleting((4, 5))
    stream.apply(inserting((4, 5)), following)
    assert len(stream.small.facts("path")) == 10
    stream.apply(following)
    assert stream.small.facts("path") == [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
    assert (stream.counters.explicit_marks, stream.counters.implicit_marks) == (1, 4)
    assert ("marks" in stream.chosen) != always, "either a whole step is undone, or marks are the first suspects"


def something_else(stream: Stream) -> None:
    stream.small.engine.add("edge", stream.small.rows((7, 8)))
    stream.small.engine.maintain(Watch())


@pytest.mark.parametrize("happens", [something_else, lambda stream: stream.ahead.forget()])
def test_marks_are_dropped_if_something_else_happens(happens: Callable[[Stream], None]) -> None:
    stream = Stream()
    following = deleting((4, 5))
    stream.apply(inserting((4, 5)), following)
    happens(stream)
    stream.apply(following)
    assert "marks" not in stream.chosen
    assert (4, 5) not in stream.small.facts("path")


def test_facts_that_the_next_update_inserts_again_are_not_marked() -> None:
    stream = Stream(always=True)
    following = Update(delete=(("edge", 4, 5), ("edge", 5, 6)), insert=(("edge", 4, 5),))
    stream.apply(inserting((4, 5), (5, 6)), following)
    stream.apply(following)
    assert stream.counters.explicit_marks == 1
    assert {(4, 5), (1, 5)} <= set(stream.small.facts("path"))
    assert (5, 6) not in stream.small.facts("path")


# --- estimates -----------------------------------------------------------------------------------------------------------


def test_the_fixed_cost_is_told_from_that_of_each_fact() -> None:
    """A second for each deletion, and half a second for each fact."""
    deletions = _Deletions()
    assert not deletions
    for facts in (1, 10, 4):
        deletions.record(facts, 1.0 + 0.5 * facts)
    assert deletions
    assert deletions.saved(6, others=3) == pytest.approx(3.0)
    assert deletions.saved(6, others=0) == pytest.approx(4.0)


def test_deletions_of_one_size_tell_nothing_of_a_fixed_cost() -> None:
    deletions = _Deletions()
    for _ in range(3):
        deletions.record(5, 2.0)
    assert deletions.saved(10, others=0) == deletions.saved(10, others=9) == pytest.approx(4.0)


def test_recent_deletions_count_more() -> None:
    deletions = _Deletions()
    for _ in range(20):
        deletions.record(1, 8.0)
    for _ in range(20):
        deletions.record(1, 1.0)
    assert 1.0 < deletions.saved(1, others=0) < 1.1


def test_costs_are_never_negative() -> None:
    deletions = _Deletions()
    deletions.record(1, 9.0)
    deletions.record(100, 0.0)
    assert deletions.saved(50, others=1) == 0.0
    assert np.isfinite(deletions.saved(50, others=0))
