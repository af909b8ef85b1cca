"""The keys of a TOML table: taken one by one, and every problem with the path of its key."""

from __future__ import annotations

from typing import Any

import pytest

from tidelog.pipeline.job.toml_checks import Problems, Section
from tidelog.source import Source


def section(content: dict[str, Any], place: str = "engine") -> tuple[Section, Problems]:
    problems = Problems(Source("", "job.toml"))
    return Section(content, place, problems), problems


def messages(problems: Problems) -> list[str]:
    return [problem.message for problem in problems.diagnostics]


def test_values_of_each_type() -> None:
    content: dict[str, Any] = {"a": "x", "b": True, "c": 3, "d": 2.5, "e": {"k": "v"}, "f": "auto", "g": [{"h": 1}, {}]}
    part, problems = section(content)
    assert part.has("a")
    assert part.text("a") == "x"
    assert part.truth("b", default=False) is True
    assert (part.whole("c"), part.number("d"), part.texts("e"), part.header("f")) == (3, 2.5, {"k": "v"}, "auto")
    first, second = part.sections("g")
    assert (first.at("h"), second.place, first.raw("h")) == ("engine.g[1].h", "engine.g[2]", 1)
    part.finish()
    assert messages(problems) == []


def test_keys_that_are_missing_have_defaults() -> None:
    part, problems = section({})
    assert (part.text("a"), part.choice("b", ("x", "y"), "y"), part.truth("c", default=True)) == (None, "y", True)
    assert (part.whole("d", 7), part.number("e"), part.texts("f"), part.header("g")) == (7, None, {}, "auto")
    assert part.sections("h") == []
    assert messages(problems) == []


@pytest.mark.parametrize(
    ("take", "value", "problem"),
    [
        ("text", 3, "it is a whole number, and a text is expected"),
        ("text", "  ", "it is empty"),
        ("text", "${HOME}", "environment variables are not replaced here"),
        ("whole", True, "it is true or false, and a whole number is expected"),
        ("whole", 0, "0 is below 1"),
        ("number", -1.5, "-1.5 is not above 0"),
        ("header", "yes", "'yes' is none of true, false and \"auto\""),
        ("texts", [{}], "it is an array of tables, and a table is expected"),
    ],
)
def test_values_that_are_wrong(take: str, value: object, problem: str) -> None:
    part, problems = section({"key": value})
    getattr(part, take)("key")
    assert messages(problems) == [f"engine.key: {problem}"]
    assert part.is_broken("key", "other")
    assert not part.is_broken("other")


def test_a_choice_suggests_the_nearest_word() -> None:
    part, problems = section({"placement": "kernal"})
    assert part.choice("placement", ("auto", "kernel"), "auto") == "auto"
    assert problems.diagnostics[0].fix == "did you mean `kernel`?"


def test_options_are_texts() -> None:
    part, problems = section({"options": {"fetchsize": 1000, "ssl": True, "url": "x", "list": [1]}})
    assert part.options("options") == {"fetchsize": "1000", "ssl": "true", "url": "x"}
    assert messages(problems) == ["engine.options.list: it is an array, and a text, a number or true or false is expected"]


def test_a_required_key_and_unknown_ones() -> None:
    part, problems = section({"nmae": "x"}, "")
    assert part.text("name", required=True) is None
    part.finish()
    assert messages(problems) == ["name: it is missing", "nmae: there is no such key"]
    assert [problem.fix for problem in problems.diagnostics] == ["add `name = …`", "did you mean `name`?"]
