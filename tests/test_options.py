"""What a knowledge base is made from: where the program comes from, and which values options have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tidelog import KnowledgeBase, Source, TidelogError
from tidelog.options import bytes_of, check_limits, folder_beside, machine_memory, refuse, size_of, source_of

PATHS = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."


@pytest.mark.parametrize("text", ["", " ", "p(a).", "p(X) :- q(X).", "p(a).\n", "no such file."])
def test_a_text_has_a_space_a_line_break_or_a_final_dot(text: str) -> None:
    assert (source_of(text).text, source_of(text).name) == (text, "<rules>")


def test_anything_else_is_a_path(tmp_path: Path) -> None:
    path = tmp_path / "odd name."
    path.write_text("p(a).", encoding="utf-8")
    assert source_of(str(path)).name == str(path)
    for missing in (tmp_path / "missing.dl", "missing.dl", "p"):
        with pytest.raises(TidelogError, match="TL060"):
            source_of(missing)


def test_a_very_long_text_is_no_path() -> None:
    text = "p(a). " * 10_000
    assert source_of(text).text == text
    assert source_of("p(\0).").name == "<rules>"


def test_the_folder_of_a_program(tmp_path: Path) -> None:
    path = tmp_path / "rules.dl"
    path.write_text("p(a).", encoding="utf-8")
    for rules in (path, str(path), Source("p(a).", str(path))):
        assert folder_beside(rules) == tmp_path
    for rules in ("p(a).", Source("p(a)."), Source("p(a).", "<stdin>")):
        assert folder_beside(rules) == Path()


def test_values_of_options() -> None:
    refuse(engine="spark", algorithm="bf", marking=True)
    with pytest.raises(TidelogError, match=r"(?s)TL074: there is no algorithm='magic'.*choose one of 'auto', 'ranked', 'bf'"):
        refuse(engine="local", algorithm="magic")


# --- as users see it -----------------------------------------------------------------------------------------------------


def test_rules_are_a_text_a_path_or_a_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rules.dl"
    path.write_text(PATHS + "edge(a, b).", encoding="utf-8")
    for rules in (path, str(path), Source(path.read_text(encoding="utf-8"), str(path)), PATHS + "edge(a, b)."):
        assert set(KnowledgeBase(rules)["path"]) == {("a", "b")}
    monkeypatch.chdir(tmp_path)
    assert set(KnowledgeBase("rules.dl")["path"]) == {("a", "b")}
    spaced = tmp_path / "my rules.dl"
    path.rename(spaced)
    assert set(KnowledgeBase(str(spaced))["path"]) == {("a", "b")}


@pytest.mark.parametrize(
    "options",
    [
        {"engine": "flink"},
        {"algorithm": "magic"},
        {"marking": "always"},
        {"partitions": 3},
    ],
    ids=str,
)
def test_options_that_are_not_there(options: dict[str, object]) -> None:
    with pytest.raises(TidelogError) as caught:
        KnowledgeBase("p(a).", **options)  # type: ignore[arg-type]
    assert [problem.code for problem in caught.value.diagnostics] == ["TL074"]
    assert caught.value.diagnostics[0].fix


@pytest.mark.parametrize(
    "options", [{"algorithm": "rematerialise"}, {"marking": False}, {"marking": True}, {"engine": "local"}], ids=str
)
def test_options_that_are_there(options: dict[str, object]) -> None:
    assert list(KnowledgeBase("p(a).", **options)["p"]) == [("a",)]  # type: ignore[arg-type]


# --- text or path ----------------------------------------------------------------------------------------------------------


def test_a_text_with_a_line_break_is_never_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in ("p(a).\n", "\np(a).", "p(a)\n", "rules.dl\n", "p(a).\r\n"):
        (tmp_path / text).write_text("q(b).", encoding="utf-8")
        assert source_of(text).name == "<rules>"
    assert list(KnowledgeBase("p(a).\n").facts()) == [("p", "a")]


def test_a_path_that_does_not_exist_says_what_a_text_is() -> None:
    with pytest.raises(TidelogError, match=r"(?s)TL060: cannot read p\(a\).*a text of rules ends with a dot"):
        source_of("p(a)")


@pytest.mark.parametrize("odd", [None, 5, b"p(a).", ["p(a)."], object()])
def test_what_is_no_program(odd: object) -> None:
    with pytest.raises(TidelogError, match=r"TL071: .* is not a program"):
        KnowledgeBase(odd)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ["p\0", Path("p\0.dl"), "\ud800.dl"])
def test_a_path_that_no_file_can_have(path: str | Path) -> None:
    with pytest.raises(TidelogError, match=r"TL060: .* cannot be a path"):
        KnowledgeBase(path)
    with pytest.raises(TidelogError, match=r"TL060: .* cannot be a path"):
        KnowledgeBase("p(a).", folder=path)


def test_one_and_zero_are_no_truth_values() -> None:
    strange: list[Any] = [0, 1, 1.0, [], {}]
    for odd in strange:
        with pytest.raises(TidelogError, match="TL074: there is no marking="):
            KnowledgeBase(marking=odd)


def test_limits_are_numbers() -> None:
    check_limits(None, 0.5, limit_facts=1)
    for name in ("limit_facts", "limit_seconds", "limit_rounds", "limit_memory", "limit_text"):
        is_size = name in ("limit_memory", "limit_text")
        strange: list[Any] = ["much" if is_size else "5", float("nan"), -1, [], True]
        for odd in strange:
            message = f"TL074: there is no {name}='much'" if odd == "much" else f"TL071: .* is not a value of {name}"
            with pytest.raises(TidelogError, match=message):
                KnowledgeBase("p(a).", **{name: odd})
    with pytest.raises(TidelogError, match=r"TL071: .* is not a value of progress"):
        KnowledgeBase("p(a).", progress=5)  # type: ignore[arg-type]


def test_limits_in_bytes_may_be_sizes() -> None:
    assert [bytes_of(given, "limit_memory") for given in (None, 5, "2 GB", "512MiB")] == [None, 5, 2_000_000_000, 1 << 29]
    with pytest.raises(TidelogError, match="TL070"):
        KnowledgeBase("n(1). n(X + 1) :- n(X).", limit_memory="2 MB").count("n")
    with pytest.raises(TidelogError, match="TL070"):
        KnowledgeBase("p(1).   ", limit_text="5B")


# --- sizes --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2 GB", 2_000_000_000),
        ("512MiB", 512 << 20),
        ("1.5g", 1_500_000_000),
        ("100", 100),
        ("0 GB", None),
        ("x", None),
        ("2 XB", None),
        ("9" * 400, None),
    ],
)
def test_sizes(text: str, size: int | None) -> None:
    assert size_of(text) == size


def test_the_memory_of_this_machine() -> None:
    assert machine_memory() > 1 << 20
