"""Streams with marks: whatever is marked, and whenever the next update is to be seen, all facts and changes are the same."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpus import needs_corpus, stream_name
from tests.differential.corpus_streams import found, is_short, marking_streams, revisions, rules_of
from tests.differential.test_local import changed_rows, ground
from tests.differential.update_histories import maintained
from tests.local_engine import as_tuples, difference, held, program, without_empty
from tests.random_programs import RandomProgram
from tests.streams.seen_streams import ALWAYS, NEVER, SeenStream

from tidelog import KnowledgeBase, Source
from tidelog.local.lookahead import look_ahead
from tidelog.reference import materialise
from tidelog.streams import Update

MARKINGS = (True, "auto")


@dataclass(frozen=True)
class RandomStream:
    """A program, updates of its facts, and when the next update is to be seen."""

    program: RandomProgram
    updates: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    """What each deletes, and inserts."""
    moments: tuple[bool, ...]


@st.composite
def random_streams(draw: st.DrawFn, most_updates: int = 6) -> RandomStream:
    """Updates that take back what the one before brought: all of it, some of it, and other facts besides."""
    history = draw(maintained(most_updates=2))
    known = history.program.facts
    pool = list(dict.fromkeys([*known, *(fact for update in history.updates for facts in update for fact in facts), "v(1)"]))
    begun = replace(history.program, facts=known[::2])  # the others come later
    explicit = dict.fromkeys(begun.facts)
    last: tuple[str, ...] = ()
    updates: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for _ in range(draw(st.integers(2, most_updates))):
        back = draw(st.sampled_from(("all", "all", "some", "none")))
        deleted = last if back == "all" else ()
        if back == "some" and last:
            deleted = tuple(draw(st.lists(st.sampled_from(last), unique=True)))
        others = draw(st.lists(st.sampled_from(pool), max_size=2)) if draw(st.booleans()) else []
        deleted = tuple(dict.fromkeys((*deleted, *others)))
        new = [fact for fact in pool if fact not in explicit or fact in deleted] if draw(st.booleans()) else []
        inserted = tuple(draw(st.lists(st.sampled_from(new or pool), min_size=1, max_size=5, unique=True)))
        updates.append((deleted, inserted))
        explicit = dict.fromkeys([*(fact for fact in explicit if fact not in deleted), *inserted])
        last = inserted
    moments = draw(st.sampled_from(("always", "never", "sometimes")))
    seen = draw(st.lists(st.booleans(), min_size=30, max_size=30)) if moments == "sometimes" else [moments == "always"] * 30
    return RandomStream(begun, tuple(updates), tuple(seen))


def check_stream(stream: RandomStream, **options: Any) -> int:
    """After every update everything is as if evaluated from scratch, and the change says what is different; marks used."""
    checked = program(stream.program.text)
    kb = KnowledgeBase(Source(stream.program.text), **options)
    explicit = set(checked.facts)
    expected = materialise(checked, explicit)
    updates = [Update(None, tuple(as_tuples(ground(old))), tuple(as_tuples(ground(new)))) for old, new in stream.updates]
    marks = 0
    with kb.follow(SeenStream(updates, stream.moments)) as following:
        for (deleted, inserted), change in zip(stream.updates, following, strict=True):
            gone, new = set(ground(deleted)), set(ground(inserted))
            remaining = explicit - gone
            assert (change.stats.deleted, change.stats.inserted) == (len(explicit & gone), len(new - remaining))
            assert change.stats.without_effect == len(gone - explicit) + len(new & remaining)
            before, was_explicit, explicit = expected, explicit, remaining | new
            expected = materialise(checked, explicit)
            assert without_empty(held(kb)) == without_empty(expected)
            plus, minus = difference(expected, before), difference(before, expected)
            assert changed_rows(change.inserted) == plus
            assert changed_rows(change.deleted) == minus
            for facts, among, held_by in ((change.inserted, explicit, plus), (change.deleted, was_explicit, minus)):
                given = {name: {row for row in rows if (name, row) in among} for name, rows in held_by.items()}
                assert changed_rows(facts.explicit) == without_empty(given)
            marks += change.stats.counters.marks
    return marks


@pytest.mark.parametrize("algorithm", ["bf", "dred", "auto"])
@pytest.mark.parametrize("marking", MARKINGS)
@given(stream=random_streams(), modules=st.booleans())
@settings(max_examples=60)
def test_random_streams(marking: Any, algorithm: str, stream: RandomStream, modules: bool) -> None:
    with patch.object(look_ahead, "_SHARE", 0.0), patch.object(look_ahead, "_MARGIN", -1.0):
        check_stream(stream, marking=marking, algorithm=algorithm, modules=modules)


@pytest.mark.nightly
@pytest.mark.parametrize("algorithm", ["bf", "dred", "auto", "counting", "rematerialise"])
@pytest.mark.parametrize("marking", [*MARKINGS, False])
@given(stream=random_streams(12), modules=st.booleans(), eager=st.booleans())
@settings(max_examples=1500)
def test_many_random_streams(marking: Any, algorithm: str, stream: RandomStream, modules: bool, eager: bool) -> None:
    share, margin = (0.0, -1.0) if eager else (look_ahead._SHARE, look_ahead._MARGIN)
    with patch.object(look_ahead, "_SHARE", share), patch.object(look_ahead, "_MARGIN", margin):
        check_stream(stream, marking=marking, algorithm=algorithm, modules=modules)


# --- the streams of the papers -------------------------------------------------------------------------------------------


def moments(name: str) -> Iterable[bool]:
    """When the next update is to be seen."""
    generator = random.Random(7)
    return {"always": ALWAYS, "never": NEVER, "sometimes": iter(lambda: generator.random() < 0.5, None)}[name]


def check_corpus_stream(path: Path, name: str, most: int | None = None, **options: Any) -> None:
    kb = KnowledgeBase(Source(rules_of(path)), **options)
    steps = list(islice(revisions(path), most))
    updates = [Update(None, tuple(step.delete), tuple(step.insert)) for step in steps]
    explicit = 0
    with kb.follow(SeenStream(updates, moments(name))) as following:
        for step, change in zip(steps, following, strict=True):
            explicit += change.stats.inserted - change.stats.deleted
            assert found(kb, explicit, step) == step.expected


STREAMS = marking_streams()


@needs_corpus
@pytest.mark.parametrize(("algorithm", "marking"), [("bf", True), ("dred", True), ("auto", "auto")])
@pytest.mark.parametrize("path", [path for path in STREAMS if is_short(path)], ids=stream_name)
def test_stream_with_marks(path: Path, algorithm: str, marking: Any) -> None:
    check_corpus_stream(path, "always", 5, algorithm=algorithm, marking=marking, modules=False)


@pytest.mark.nightly
@needs_corpus
@pytest.mark.parametrize("marking", [*MARKINGS, False])
@pytest.mark.parametrize("algorithm", ["bf", "dred"])
@pytest.mark.parametrize("path", STREAMS, ids=stream_name)
def test_whole_stream_with_marks(path: Path, algorithm: str, marking: Any) -> None:
    for seen in ("always", "never", "sometimes") if marking else ("always",):  # without marks nobody looks
        for modules in (True, False):
            check_corpus_stream(path, seen, algorithm=algorithm, marking=marking, modules=modules)
