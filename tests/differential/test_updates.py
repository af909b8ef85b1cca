"""Histories of updates, at every place: whatever happens to its facts, a program has those of the reference."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.differential.checks import check_orders, check_there_and_back, check_updates
from tests.differential.examples import at_places, for_all
from tests.differential.judging import ground, steps_of
from tests.differential.places import LOCAL, OpenPlace, Setting
from tests.differential.update_histories import ALONE, maintained, reordered
from tests.local_engine import ODD, Conditions, as_tuples, conditions
from tests.random_graphs import graph_histories
from tests.random_programs import History, RandomProgram, histories

from tidelog import KnowledgeBase, Source


@at_places("updates")
def test_updates(place: OpenPlace, examples: int) -> None:
    for_all(maintained(), check_updates, place, examples, shared=True)


@at_places("queries")
def test_updates_and_queries(place: OpenPlace, examples: int) -> None:
    for_all(histories(), check_updates, place, examples)


def check_odd(history: History, place: OpenPlace, _: Setting) -> None:
    check_updates(history, place, Setting(ODD))


@at_places("wide relations")
def test_updates_of_wide_relations(place: OpenPlace, examples: int) -> None:
    for_all(histories(largest_arity=6), check_odd, place, examples)


@at_places("graphs")
def test_graphs(place: OpenPlace, examples: int) -> None:
    for_all(graph_histories(), check_updates, place, examples)


@at_places("there and back")
def test_there_and_back_again(place: OpenPlace, examples: int) -> None:
    for_all(maintained(), check_there_and_back, place, examples)


@st.composite
def in_two_orders(draw: st.DrawFn) -> tuple[History, RandomProgram]:
    history = draw(maintained())
    return history, draw(reordered(history.program))


@at_places("orders")
def test_order_does_not_matter(place: OpenPlace, examples: int) -> None:
    for_all(in_two_orders(), check_orders, place, examples)


# --- what is in the histories --------------------------------------------------------------------------------------------


def test_what_the_histories_cover() -> None:
    """The random updates meet what is hard about maintenance, and not once in a while only."""
    seen: Counter[str] = Counter()

    @given(maintained())
    @settings(max_examples=100)
    def look(history: History) -> None:
        seen.update(met_by(history))

    look()
    assert {name: count for name, count in seen.items() if count < 3} == {}
    assert set(seen) == HARD


HARD = {
    *("second support", "support in a circle", "delete and re-insert", "under 10 %", "over 90 %"),
    *("negation above recursion", "aggregate of an aggregate"),
}


def met_by(history: History) -> set[str]:
    """Which of the hard things happen in a history."""
    found = set()
    rules, kb = set(history.program.rules), KnowledgeBase(Source(history.program.text), algorithm="dred", modules=False)
    bodies = " ".join(literal for _, body in rules for literal in body)
    in_a_circle = ALONE in rules and any(head == "s(X, Y)" and body[0].startswith("r(") for head, body in rules)
    explicit, gone_before = set(history.program.facts), set[str]()
    for deleted, inserted in history.updates:
        change = kb.update(insert=as_tuples(ground(inserted)), delete=as_tuples(ground(deleted)))
        share = len(explicit & set(deleted)) / max(len(explicit), 1)
        for name, is_met in (
            ("second support", change.stats.counters.rederived > 0),
            ("support in a circle", in_a_circle and {"r", "s"} <= set(change.deleted)),
            ("delete and re-insert", bool(gone_before & set(inserted))),
            ("under 10 %", 0 < share < 0.1),
            ("over 90 %", share > 0.9),
            ("negation above recursion", "not r(" in bodies and "n" in {*change.inserted, *change.deleted}),
            ("aggregate of an aggregate", ": c(" in bodies and "d" in change.deleted),
        ):
            if is_met:
                found.add(name)
        gone_before |= explicit & set(deleted)
        explicit = (explicit - set(deleted)) | set(inserted)
    return found


# --- the same, much longer -----------------------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(20))
@given(history=maintained(largest_arity=4, most_updates=5), given_conditions=conditions)
@settings(max_examples=1_000)
def test_many_updates_at_all_local_places(part: int, history: History, given_conditions: Conditions) -> None:
    """To make a history and to ask the reference takes longer than an algorithm does: all of them get the same ones."""
    steps = steps_of(history)
    for place in LOCAL:
        if place.modules == given_conditions.modules:
            check_updates(history, OpenPlace(place), Setting(given_conditions), steps=steps)


@at_places("updates", nightly=True)
def test_many_updates(place: OpenPlace, examples: int) -> None:
    for_all(maintained(largest_arity=4), check_updates, place, examples)


@at_places("queries", nightly=True)
def test_many_updates_and_queries(place: OpenPlace, examples: int) -> None:
    for_all(histories(largest_arity=5 if place.place.engine == "local" else 4), check_updates, place, examples)


@at_places("wide relations", nightly=True)
def test_many_updates_of_wide_relations(place: OpenPlace, examples: int) -> None:
    for_all(histories(largest_arity=6), check_odd, place, examples)


@at_places("graphs", nightly=True)
def test_many_graphs(place: OpenPlace, examples: int) -> None:
    for_all(graph_histories(most_updates=5 if place.place.engine == "local" else 3), check_updates, place, examples)


@at_places("there and back", nightly=True)
def test_many_there_and_back_again(place: OpenPlace, examples: int) -> None:
    for_all(maintained(), check_there_and_back, place, examples)


@at_places("orders", nightly=True)
def test_many_orders(place: OpenPlace, examples: int) -> None:
    for_all(in_two_orders(), check_orders, place, examples)
