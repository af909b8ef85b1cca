"""The length of texts, and nesting."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog.errors import TidelogError
from tidelog.text_limits import DEEPEST, check_length, check_lines, is_shallow


def nested(depth: int) -> bytes:
    return b'{"a":' * (depth // 2) + b"[" * (depth - depth // 2) + b"]" * (depth - depth // 2) + b"}" * (depth // 2)


def test_a_text_may_be_as_long_as_the_limit() -> None:
    check_length("abc", "the program", 3)
    with pytest.raises(TidelogError, match=r"u\.jsonl:3: error TL070: the line is longer than 3 bytes"):
        check_length("abcd", "the line", 3, "u.jsonl:3")


@pytest.mark.parametrize("data", [b"", b"abc", b"abc\nabc\n", b"a\nb\nc", b"\n\n\n\n\n\nabc"])
def test_short_lines(data: bytes) -> None:
    check_lines(data, "a.csv", 3)


@pytest.mark.parametrize(("data", "line"), [(b"abcd", 1), (b"a\nabcd\na", 2), (b"a\n\nabcde", 3), (b"abc\nabcd", 2)])
def test_long_lines(data: bytes, line: int) -> None:
    with pytest.raises(TidelogError, match=f"a.csv:{line}: error TL070"):
        check_lines(data, "a.csv", 3)


def test_nesting_is_counted() -> None:
    assert is_shallow(nested(DEEPEST))
    assert not is_shallow(nested(DEEPEST + 1))
    assert not is_shallow(b'{"x": "\\""}\n' * 200 + nested(DEEPEST + 1))
    assert is_shallow(b'{"x": "[[[[{"}\n' * 200)
    assert is_shallow(b'{"x": 1}\n' * 200)


@pytest.mark.parametrize(
    "hiding",
    [b'{"x": "' + b"]" * 200 + b'"}\n', b'{"x": "\\\\"}\n', b'{"x": "\\"]]]]"}\n', b'{"x": "\n', b"]]]]]]]]\n", b'\\"\n'],
)
def test_nothing_hides_what_is_nested(hiding: bytes) -> None:
    assert not is_shallow(hiding + nested(DEEPEST + 1))
    assert not is_shallow(hiding + nested(DEEPEST + 1).replace(b'{"a":', b'{"a":\n'))


def depth_of(thing: object) -> int:
    inside = thing.values() if isinstance(thing, dict) else thing if isinstance(thing, list) else None
    return 0 if inside is None else 1 + max(map(depth_of, inside), default=0)


@given(st.lists(st.recursive(st.text('[]{}"\\a\n'), lambda s: st.lists(s) | st.dictionaries(st.text('"\\[}'), s)), max_size=4))
def test_valid_json_is_judged_by_its_depth(things: list[object]) -> None:
    deep: object = things
    for _ in range(DEEPEST - 3):
        deep = [deep]
    assert is_shallow(json.dumps(deep).encode()) == (depth_of(deep) <= DEEPEST)
