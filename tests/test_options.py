"""What a knowledge base is made from: where the program comes from, and which values options have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog import KnowledgeBase, Source, TidelogError
from tidelog.options import folder_beside, refuse, source_of

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
    with pytest.raises(TidelogError, match=r"(?s)TL074: there is no algorithm='magic'.*choose one of 'auto', 'bf'"):
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
