"""Texts and places in them: lines, columns, excerpts with a caret under the place."""

from __future__ import annotations

import pytest

from tidelog.source import Source, Span, excerpt

TEXT = Source("one\ntwo\n\nfour", "some.dl")


@pytest.mark.parametrize(("offset", "line"), [(0, 1), (3, 1), (4, 2), (8, 3), (9, 4), (13, 4)])
def test_lines_are_counted_from_one(offset: int, line: int) -> None:
    assert TEXT.line_of(offset) == line


def test_places_have_line_and_column() -> None:
    assert [TEXT.place(Span(at, at)) for at in (0, 5, 8, 12)] == ["some.dl:1:1", "some.dl:2:2", "some.dl:3:1", "some.dl:4:4"]


def test_the_line_around_an_offset() -> None:
    assert [TEXT.text[slice(*TEXT.line_span(at))] for at in (1, 4, 8, 12)] == ["one", "two", "", "four"]


def test_line_breaks_are_those_of_unix() -> None:
    assert Source("a\r\nb\rc").text == "a\nb\rc"


def test_a_source_is_shown_without_its_text() -> None:
    assert repr(TEXT) == "Source('some.dl', 13 characters)"
    assert Source("").name == "<text>"


def marked(text: str, part: str) -> tuple[str, str]:
    """The excerpt for the first occurrence of a part of a text."""
    start = text.index(part)
    return excerpt(Source(text), Span(start, start + len(part)))


def test_excerpt_marks_the_place() -> None:
    assert marked("p(a).\nq(bad, c).\nr(d).\n", "bad") == ("q(bad, c).", "  ^^^")


def test_excerpt_of_an_empty_place_has_one_caret() -> None:
    assert excerpt(Source("p(a)"), Span(4, 4)) == ("p(a)", "    ^")
    assert excerpt(Source(""), Span(0, 0)) == ("", "^")


def test_excerpt_leaves_spaces_at_the_end_away() -> None:
    assert marked("q(bad).  \t \r\nr(a).", "bad") == ("q(bad).", "  ^^^")


def test_excerpt_of_several_lines_shows_the_first() -> None:
    assert marked("p(X) :-\n    q(Y).", "p(X) :-\n    q(Y)") == ("p(X) :-", "^^^^^^^")


def test_excerpt_counts_wide_and_combining_characters() -> None:
    assert marked('塔("東京", bad)', "bad") == ('塔("東京", bad)', " " * 11 + "^^^")
    assert marked("p(東京)", "東京") == ("p(東京)", "  ^^^^")
    assert marked("p(cafe\u0301, bad)", "bad") == ("p(cafe\u0301, bad)", "        ^^^")


def test_excerpt_shows_tabs_and_control_characters_as_one_column() -> None:
    assert marked("\t\tp(bad)", "bad") == ("  p(bad)", "    ^^^")
    assert marked("p(\x00\x1b, bad)", "bad") == ("p(··, bad)", "      ^^^")


@pytest.mark.parametrize("before", [0, 10, 50, 95, 96, 97, 150, 300])
@pytest.mark.parametrize("after", [0, 10, 96, 300])
def test_excerpt_cuts_a_long_line_around_the_place(before: int, after: int) -> None:
    text = "a" * before + "BAD" + "z" * after
    line, carets = marked(text, "BAD")
    start = line.index("BAD")
    assert carets == " " * start + "^^^"
    assert len(line) <= 96 + len("......")
    assert line.strip(".") in text
    assert line.startswith("...") == (not text.startswith(line.strip(".")))
    assert line.endswith("...") == (not text.endswith(line.strip(".")))


def test_excerpt_of_a_long_place_marks_what_is_shown() -> None:
    line, carets = marked("p(" + "x" * 300 + ")", "x" * 300)
    assert line == "p(" + "x" * 94 + "..."
    assert carets == "  " + "^" * 94


def test_offsets_of_lines_and_columns() -> None:
    source = Source("ab\ncd\n")
    assert [source.offset_of(1, 2), source.offset_of(2, 1), source.offset_of(9, 1)] == [1, 3, 6]
