"""The table of places is complete: every algorithm and placement has one, and every gap of the suite has its reason."""

from __future__ import annotations

import re

import pytest
from tests.differential import test_corpus, test_corpus_streams  # noqa: F401 -- which say where cases of the corpus run
from tests.differential.examples import CASES, EXAMPLES, GAPS, find
from tests.differential.places import ALGORITHMS, PLACEMENTS, PLACES

from tidelog import KnowledgeBase, TidelogError
from tidelog.spark.evaluation.placement import Where

SUITES = (*EXAMPLES, *CASES)


@pytest.mark.parametrize("suite", SUITES)
def test_every_place_has_examples_or_a_reason(suite: str) -> None:
    for place in PLACES:
        found = find(suite, place)
        assert found, f"{suite} at {place.name}"
    assert not set(EXAMPLES) & set(CASES)


def test_every_gap_is_one() -> None:
    """A reason that no place needs any more goes."""
    used = {find(suite, place) for suite in SUITES for place in PLACES}
    assert {suite for _, suite in GAPS} <= set(SUITES)
    for (begin, suite), reason in GAPS.items():
        assert reason in used
        assert any(place.name.startswith(begin) and find(suite, place) == reason for place in PLACES), (begin, suite)


def test_every_row_is_for_a_place() -> None:
    for suite, rows in EXAMPLES.items():
        for begin, day, night in rows:
            assert any(place.name.startswith(begin) and find(suite, place) == (day, night) for place in PLACES), (begin, suite)


def test_every_algorithm_and_every_placement_has_a_place() -> None:
    with pytest.raises(TidelogError, match="TL074") as refused:
        KnowledgeBase("p(1).", algorithm="another")  # type: ignore[arg-type]
    assert set(ALGORITHMS) == set(re.findall(r"'(\w+)'", str(refused.value).partition("choose one of")[2]))
    assert set(PLACEMENTS) == {*(where.value for where in Where), "auto"}
    assert {place.options.get("algorithm") for place in PLACES} >= set(ALGORITHMS)
    assert {place.options.get("placement") for place in PLACES} >= set(PLACEMENTS)
