"""Streams with look-ahead, at every place: neither marks nor the moment when the next update is visible change any result."""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import strategies as st
from tests.differential.checks import check_stream
from tests.differential.examples import at_places, for_all
from tests.differential.places import OpenPlace, Setting
from tests.differential.random_streams import RandomStream, random_streams

from tidelog.local.lookahead import look_ahead

EagerStream = tuple[RandomStream, bool]
"""A stream, and whether marks are made whatever they cost."""


def check(drawn: EagerStream, place: OpenPlace, setting: Setting, *, marking: Any) -> None:
    stream, eager = drawn
    share, margin = (0.0, -1.0) if eager else (look_ahead._SHARE, look_ahead._MARGIN)
    with patch.object(look_ahead, "_SHARE", share), patch.object(look_ahead, "_MARGIN", margin):
        check_stream(stream, place, setting, marking=marking)


@pytest.mark.parametrize("marking", [True, "auto"])
@at_places("streams")
def test_streams(place: OpenPlace, examples: int, marking: Any) -> None:
    for_all(st.tuples(random_streams(), st.just(value=True)), partial(check, marking=marking), place, examples, shared=True)


@pytest.mark.parametrize("marking", [True, "auto", False])
@at_places("streams", nightly=True)
def test_many_streams(place: OpenPlace, examples: int, marking: Any) -> None:
    for_all(st.tuples(random_streams(12), st.booleans()), partial(check, marking=marking), place, examples)
