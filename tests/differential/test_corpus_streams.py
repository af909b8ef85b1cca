"""The update streams of the corpus, at every place, with and without a look ahead: after each update there is what must be."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.corpus import needs_corpus
from tests.differential.corpus_streams import found, history_streams, is_short, marking_streams, revisions, rules_of
from tests.differential.examples import at_cases
from tests.differential.places import LOCAL, OpenPlace, local
from tests.local_engine import held
from tests.streams.seen_streams import ALWAYS, NEVER, SeenStream

from tidelog.streams import Update

ALL_STREAMS = marking_streams()
HISTORIES = history_streams()
SHORT = [path for path in ALL_STREAMS if is_short(path)]
ONE_OF_EACH = [path for path in SHORT if path.parts[-4] != "batch"]
"""One stream of each knowledge base."""

EVERY_LOCAL = [place.name for place in LOCAL]
BY_DAY = ("local-bf-rules", "local-dred-rules", "local-counting-rules", "local-auto-modules")


@needs_corpus
def test_there_are_streams() -> None:
    assert (len(ALL_STREAMS), len(SHORT), len(HISTORIES)) == (71, 11, 3)
    assert {path.parts[-3] for path in ONE_OF_EACH} == {path.parts[-3] for path in ALL_STREAMS}
    assert len(ONE_OF_EACH) == 6


# --- update by update ----------------------------------------------------------------------------------------------------


def check_stream(path: Path, place: OpenPlace, most: int | None = None) -> None:
    """After each update there is what must be; where that is not known, what a knowledge base that starts over has."""
    explicit = 0
    has_judge = path in HISTORIES and place.place.options.get("algorithm") != "rematerialise"
    starting_over = OpenPlace(local("rematerialise", modules=place.place.modules))
    with place.knowledge_base(rules_of(path)) as kb, starting_over.knowledge_base(rules_of(path)) as judge:
        for revision in revisions(path, most):
            change = kb.update(insert=revision.insert, delete=revision.delete)
            explicit += change.stats.inserted - change.stats.deleted
            assert found(kb, explicit, revision) == revision.expected
            if has_judge:
                judge.update(insert=revision.insert, delete=revision.delete)
                assert {name: kb.count(name) for name in kb.relations} == {name: judge.count(name) for name in judge.relations}
                if not revision.expected and change.deleted:
                    assert held(kb) == held(judge)


@needs_corpus
@at_cases("corpus streams", dict.fromkeys(BY_DAY, SHORT))
def test_stream(path: Path, place: OpenPlace) -> None:
    check_stream(path, place, 20)


@needs_corpus
@at_cases("corpus streams", {"spark-kernel": ONE_OF_EACH})
def test_beginning_of_a_stream(path: Path, place: OpenPlace) -> None:
    check_stream(path, place, 5)


@needs_corpus
@at_cases("corpus histories", dict.fromkeys(("local-bf-rules", "local-auto-modules"), HISTORIES))
def test_beginning_of_a_history(path: Path, place: OpenPlace) -> None:
    check_stream(path, place, 6)


@needs_corpus
@at_cases("corpus histories", dict.fromkeys(EVERY_LOCAL, HISTORIES), nightly=True)
def test_whole_history(path: Path, place: OpenPlace) -> None:
    check_stream(path, place)


@needs_corpus
@at_cases(
    "corpus streams",
    {**dict.fromkeys(EVERY_LOCAL, ALL_STREAMS), **dict.fromkeys(("spark-auto", "spark-kernel", "spark-rounds"), ONE_OF_EACH)},
    nightly=True,
)
def test_whole_stream(path: Path, place: OpenPlace) -> None:
    check_stream(path, place)


# --- looking ahead -------------------------------------------------------------------------------------------------------


MARKING = [place.name for place in LOCAL if place.options["algorithm"] in ("bf", "dred")]


def moments(name: str) -> Iterable[bool]:
    """When the next update is to be seen."""
    generator = random.Random(7)
    return {"always": ALWAYS, "never": NEVER, "sometimes": iter(lambda: generator.random() < 0.5, None)}[name]


def check_looking_ahead(path: Path, place: OpenPlace, seen: str, marking: Any, most: int | None = None) -> None:
    steps = list(revisions(path, most))
    updates = [Update(None, tuple(step.delete), tuple(step.insert)) for step in steps]
    explicit = 0
    with (
        place.knowledge_base(rules_of(path), marking=marking) as kb,
        kb.follow(SeenStream(updates, moments(seen))) as following,
    ):
        for step, change in zip(steps, following, strict=True):
            explicit += change.stats.inserted - change.stats.deleted
            assert found(kb, explicit, step) == step.expected


@needs_corpus
@at_cases("corpus streams with marks", dict.fromkeys(("local-bf-rules", "local-dred-rules", "local-auto-rules"), SHORT))
def test_stream_with_marks(path: Path, place: OpenPlace) -> None:
    marking = "auto" if place.place.options["algorithm"] == "auto" else True
    check_looking_ahead(path, place, "always", marking, 5)


@needs_corpus
@pytest.mark.parametrize("marking", [True, "auto", False])
@at_cases("corpus streams with marks", dict.fromkeys(MARKING, ALL_STREAMS), nightly=True)
def test_whole_stream_with_marks(path: Path, place: OpenPlace, marking: Any) -> None:
    for seen in ("always", "never", "sometimes") if marking else ("always",):  # without marks nobody looks
        check_looking_ahead(path, place, seen, marking)


@needs_corpus
@pytest.mark.parametrize("marking", [True, "auto"])
@at_cases("corpus streams with marks", {"spark-kernel": ONE_OF_EACH}, nightly=True)
def test_stream_with_marks_on_spark(path: Path, place: OpenPlace, marking: Any) -> None:
    check_looking_ahead(path, place, "always", marking, 20)
