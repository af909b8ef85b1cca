"""Arguments as users give them: what is meant is taken, and anything else is refused with TL071 or TL060."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog.arguments import called, iterable, number, path_of, shown, texts_of_rules, truth, wrong
from tidelog.errors import TidelogError


class Unspeakable:
    """An object that cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


class PathOfBytes:
    def __fspath__(self) -> bytes:
        return b"edges.csv"


def test_objects_in_messages() -> None:
    assert shown(("edge", 1)) == "('edge', 1)"
    assert shown("x" * 1000) == "'" + "x" * 78 + "…"
    assert shown(10**5000) == "<int>", "Python refuses to write so many digits"
    assert shown(Unspeakable()) == "<Unspeakable>"


def test_the_error_says_what_is_wrong_and_what_to_do() -> None:
    error = wrong("a query", 5, "give a text")
    assert str(error) == "error TL071: 5 of type int is not a query\n    fix: give a text"


def test_paths() -> None:
    assert path_of("a/b.csv") == path_of(Path("a/b.csv")) == Path("a/b.csv")
    assert path_of("\udcff.csv") == Path("\udcff.csv"), "the name of a file whose bytes are not UTF-8"


@pytest.mark.parametrize("given", [None, 5, b"edges.csv", PathOfBytes(), ["a"], Unspeakable()])
def test_what_is_no_path(given: object) -> None:
    with pytest.raises(TidelogError, match=r"TL071: .* is not a path"):
        path_of(given)


@pytest.mark.parametrize(("given", "why"), [("a\0b", "it has a NUL character"), ("\ud800", "it is not Unicode text")])
def test_paths_that_no_file_can_have(given: str, why: str) -> None:
    with pytest.raises(TidelogError, match=f"TL060: .* cannot be a path: {why}"):
        path_of(given)


def test_rules_are_one_text_or_several() -> None:
    assert texts_of_rules("p(a).") == texts_of_rules(["p(a)."]) == texts_of_rules(iter(("p(a).",))) == ["p(a)."]
    for odd in (5, [5], b"p(a).", [None]):
        with pytest.raises(TidelogError, match=r"TL071: .* is not a text of rules"):
            texts_of_rules(odd)  # type: ignore[arg-type]


def test_iterables() -> None:
    assert list(iterable(range(2), "a range", "")) == [0, 1]
    with pytest.raises(TidelogError, match="TL071: 5 of type int is not a range"):
        iterable(5, "a range", "give one")  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [None, 0, 1, 2**70])
def test_whole_numbers(given: object) -> None:
    number(given, "limit_facts", whole=True)


@pytest.mark.parametrize("given", ["5", 1.5, True, -1, [], float("nan")])
def test_what_is_no_whole_number(given: object) -> None:
    with pytest.raises(TidelogError, match=r"TL071: .* is not a value of limit_facts"):
        number(given, "limit_facts", whole=True)


def test_numbers() -> None:
    number(0.5, "limit_seconds", whole=False)
    for odd in (float("nan"), -0.5, "1"):
        with pytest.raises(TidelogError, match="TL071"):
            number(odd, "limit_seconds", whole=False)


def test_functions() -> None:
    called(None, "progress")
    called(print, "progress")
    with pytest.raises(TidelogError, match="TL071: 5 of type int is not a value of progress"):
        called(5, "progress")


@pytest.mark.parametrize("given", [None, 1, "True", [True]])
def test_what_is_neither_true_nor_false(given: object) -> None:
    truth(True, "anew")
    with pytest.raises(TidelogError, match=r"TL071.*is not a value of anew"):
        truth(given, "anew")
