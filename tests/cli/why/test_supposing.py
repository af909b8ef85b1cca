"""`tidelog what-if`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.commands import EDGES, RULES, run

from tidelog import KnowledgeBase
from tidelog.cli.why.supposing import clauses


@pytest.fixture
def given(tmp_path: Path) -> tuple[str | Path, ...]:
    (tmp_path / "rules.dl").write_text(RULES, encoding="utf-8")
    (tmp_path / "edge.csv").write_text(EDGES, encoding="utf-8")
    return "what-if", tmp_path / "rules.dl", "--facts", tmp_path, "--quiet"


def test_it_says_what_an_update_would(given: tuple[str | Path, ...], tmp_path: Path) -> None:
    kb = KnowledgeBase(RULES)
    kb.load("edge", tmp_path / "edge.csv")
    change = kb.what_if(add_rules="edge(new, newer).", remove_rules="edge(a, b).")
    status, text, _ = run(*given, "--insert", "edge(new, newer)", "--delete", "edge(a, b).")
    assert status == 0
    assert text.count("\n+ ") + text.startswith("+ ") == sum(map(len, change.inserted.values()))
    assert text.count("\n- ") + text.startswith("- ") == sum(map(len, change.deleted.values()))
    assert "+ edge(new, newer)" in text.splitlines()
    status, text, _ = run(*given, "--insert", "edge(new, newer)", "--json")
    assert json.loads(text)["inserted"]["edge"] == [["new", "newer"]]


def test_rules_and_wrong_calls(given: tuple[str | Path, ...]) -> None:
    assert run(*given, "--insert", "other(X) :- edge(X, _)")[1].splitlines()[-1] == "1 rule added, 0 removed"
    assert run(*given)[0] == 2
    assert run(*given, "--insert", "edge(X)")[0] == 1


def test_the_final_dot_may_be_left_away() -> None:
    assert [clauses(text) for text in ("p(a)", "p(a). ", "p(a) ")] == ["p(a).", "p(a). ", "p(a)."]
