"""Mappings in versions, against dictionaries that are copied."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog.program.changes import versions
from tidelog.program.changes.versions import new_version

KEYS = st.integers(0, 12)
STEPS = st.lists(st.tuples(st.sampled_from(("set", "delete", "another", "back")), KEYS, st.integers()), max_size=40)


@pytest.fixture(params=[0, versions._SMALL], ids=["layered", "copied"])
def _size(request: pytest.FixtureRequest) -> Iterator[None]:
    with patch.object(versions, "_SMALL", request.param):
        yield


@pytest.mark.usefixtures("_size")
@given(first=st.dictionaries(KEYS, st.integers(), max_size=8), steps=STEPS)
def test_a_version_is_what_a_copy_is(first: dict[int, int], steps: list[tuple[str, int, int]]) -> None:
    kept = [(new_version(first), dict(first))]
    for step, key, value in steps:
        found, expected = kept[-1]
        if step == "set":
            found[key] = expected[key] = value
        elif step == "delete" and key in expected:
            del found[key], expected[key]
        elif step == "delete":
            with pytest.raises(KeyError):
                del found[key]
        elif step == "another":
            kept.append((new_version(found), dict(expected)))
        elif len(kept) > 1:
            kept.pop()  # the one before has not changed
        found, expected = kept[-1]
        assert list(found.items()) == list(expected.items())
        assert len(found) == len(expected)
        assert [key in found for key in range(13)] == [key in expected for key in range(13)]
        assert [found.get(key) for key in range(13)] == [expected.get(key) for key in range(13)]
