"""`tidelog profile` and `tidelog plan`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.commands import GOOD, run

from tidelog import KnowledgeBase

STEPS = '{"insert": [["e", "c", "d"]]}\n{"delete": [["e", "a", "b"]]}\n'


def test_profile(tmp_path: Path) -> None:
    (tmp_path / "updates.jsonl").write_text(STEPS, encoding="utf-8")
    out = tmp_path / "p.html"
    status, printed, said = run("profile", "-", "--updates", tmp_path / "updates.jsonl", "--out", out, text=GOOD)
    assert (status, printed.splitlines()[0].split(",")[0], said) == (0, "3 evaluations", f"the profile -> {out}\n")
    assert "Time of each rule" in out.read_text(encoding="utf-8")


def test_profile_as_json() -> None:
    status, printed, _ = run("profile", "-", "--json", "--no-modules", text=GOOD)
    assert status == 0
    assert [(rule["name"], rule["derivations"]) for rule in sorted(json.loads(printed)["rules"], key=lambda r: r["name"])] == [
        ("line 2", 2),
        ("line 3", 1),
    ]


def test_nothing_saved_is_changed(tmp_path: Path) -> None:
    (tmp_path / "updates.jsonl").write_text(STEPS, encoding="utf-8")
    with KnowledgeBase.open(tmp_path / "kb", GOOD):
        pass
    assert run("profile", "--open", tmp_path / "kb", "--updates", tmp_path / "updates.jsonl")[0] == 0
    with KnowledgeBase.open(tmp_path / "kb") as kb:
        assert sorted(kb["e"]) == [("a", "b"), ("b", "c")]


def test_profile_needs_a_program() -> None:
    assert run("profile")[0] == 2
    assert run("plan")[0] == 2


def test_plan() -> None:
    status, printed, _ = run("plan", "-", "r", "--measure", "--no-modules", text=GOOD)
    assert status == 0
    assert printed.splitlines()[:3] == [
        "r(X, Y) :- e(X, Y).",
        "  expected  counted  literal  matched by",
        "         2        2  e(X, Y)  all rows",
    ]
    assert json.loads(run("plan", "-", "--json", text=GOOD)[1])[-1]["note"] == "a module keeps this relation closed"
    assert "TL073" in run("plan", "-", "s", text=GOOD)[2]


def test_plan_of_a_saved_one(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "kb", GOOD):
        pass
    assert run("plan", "r", "--open", tmp_path / "kb")[1].startswith("r(X, Y) :- e(X, Y).")
