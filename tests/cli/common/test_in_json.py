"""`--json` of every command."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.cli.commands import run

from tidelog import KnowledgeBase, TidelogError
from tidelog.cli import app
from tidelog.cli.common.in_json import errors_of, problem_of
from tidelog.program.program import check
from tidelog.source import Source


def said(*args: str | Path, text: str | None = None) -> Any:
    status, out, _ = run(*args, "--json", text=text)
    assert status == 0
    return json.loads(out)


def test_every_command_has_it() -> None:
    groups = [group.typer_instance for group in app.registered_groups if group.typer_instance is not None]
    commands = [command for one in (app, *groups) for command in one.registered_commands]
    takes = {command.name: "as_json" in inspect.signature(command.callback or app).parameters for command in commands}
    without = [name for name, does in takes.items() if not does]
    assert without == []
    assert len(commands) >= 13
    assert isinstance(app, typer.Typer)


def test_run_and_query(folder: Path, edges: Path, tmp_path: Path) -> None:
    rules = folder / "rules.dl"
    assert said("run", rules, "--facts", edges, "--quiet") == {
        "facts": {"path": [["a", "b"], ["a", "c"], ["b", "b"], ["b", "c"], ["c", "b"], ["c", "c"]], "back": [["b"], ["c"]]}
    }
    out = tmp_path / "out"
    files = said("run", rules, "--facts", edges, "--out", out, "--quiet")["files"]
    assert files == [
        {"relation": "path", "facts": 6, "path": str(out / "path.csv")},
        {"relation": "back", "facts": 2, "path": str(out / "back.csv")},
    ]
    answers = said("query", rules, "path(a, X)", "--facts", edges, "--quiet")
    assert answers == {"columns": ["X"], "answers": [["b"], ["c"]]}
    assert said("query", rules, "path(a, b)", "--facts", edges, "--quiet") == {"columns": [], "answers": [[]]}


def test_texts(folder: Path, tmp_path: Path) -> None:
    found = said("check", folder / "good.dl")
    assert found["rules"] == ["r(X, Y) :- e(X, Y).", "r(X, Z) :- r(X, Y), e(Y, Z)."]
    assert (found["facts"], found["warnings"], found["modules"]) == (2, [], [{"relation": "r", "kind": "linear transitive"}])
    edge = found["relations"][0]
    assert edge["columns"] == [{"name": "a", "type": "string", "key": False}, {"name": "b", "type": "string", "key": False}]
    assert (edge["name"], edge["is_declared"], edge["is_derived"], edge["stratum"]) == ("e", True, False, 0)
    shown = said("format", folder / "good.dl")
    assert shown["is_canonical"] is False
    assert said("format", "-", text=shown["text"]) == {"program": "<stdin>", "is_canonical": True, "text": shown["text"]}
    status, out, err = run("format", folder / "good.dl", "--check", "--json")
    assert (status, err) == (1, "")
    assert json.loads(out)["is_canonical"] is False
    picture = said("graph", folder / "good.dl", "--out", tmp_path / "g.svg")
    assert picture["picture"] == str(tmp_path / "g.svg")
    assert picture["boxes"] > 0


def test_a_saved_knowledge_base(tmp_path: Path) -> None:
    KnowledgeBase.open(tmp_path / "kb", "q(X) :- p(X). p(1).").close()
    found = said("verify", tmp_path / "kb", "--recompute")
    assert (found["folder"], found["facts"], found["recomputed"]) == (str(tmp_path / "kb"), 2, 2)


def test_ontologies(folder: Path, tmp_path: Path) -> None:
    assert said("consistency", folder / "good.dl", "--quiet") == {"is_consistent": True, "contradictions": []}
    assert "rule" in said("ontology", "--owl-rl")["program"] or ":-" in said("ontology", "--owl-rl")["program"]
    assert said("ontology", "--owl-rl", "--out", tmp_path / "rl.dl")["file"] == str(tmp_path / "rl.dl")


def test_explanations(folder: Path, tmp_path: Path) -> None:
    assert said("explain", folder / "good.dl", "r(a, c)", "--quiet")
    written = said("explain", folder / "good.dl", "r(a, c)", "--quiet", "--out", tmp_path / "why.html")
    assert written["file"] == str(tmp_path / "why.html")


def test_profiles_and_plans(folder: Path) -> None:
    assert said("profile", folder / "good.dl")
    assert said("plan", folder / "good.dl")


def test_a_stream(folder: Path) -> None:
    (folder / "u.jsonl").write_text('{"id": 1, "insert": [["edge", "a", "b"]]}\n', encoding="utf-8")
    status, out, err = run("stream", folder / "rules.dl", "--updates", folder / "u.jsonl", "--json", "--quiet")
    assert (status, json.loads(out)["id"]) == (0, 1)
    summary = json.loads(err)
    assert summary.pop("seconds") >= 0
    assert summary == {"updates": 1, "facts_in": 2, "facts_out": 0, "set_aside": 0, "stopped": False}


def test_jobs(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("1\n2\n", encoding="utf-8")
    (tmp_path / "rules.dl").write_text("@relation p(x: int).\nq(X) :- p(X).\n", encoding="utf-8")
    (tmp_path / "job.toml").write_text(
        '[program]\npath = "rules.dl"\n\n[engine]\nname = "local"\n\n'
        '[[source]]\nrelation = "p"\npath = "p.csv"\nheader = false\n\n'
        '[[sink]]\nrelation = "q"\npath = "out/q"\nformat = "csv"\n',
        encoding="utf-8",
    )
    job = said("pipeline", "check", tmp_path / "job.toml")
    assert (job["engine"], job["sinks"][0]["relation"]) == ("local", "q")
    assert said("pipeline", "run", tmp_path / "job.toml", "--dry-run")["sources"][0]["relation"] == "p"
    manifest = said("pipeline", "run", tmp_path / "job.toml", "--quiet")
    assert manifest["counts"]["q"] == 2


def test_errors(folder: Path) -> None:
    status, out, err = run("check", folder / "bad.dl", "--json")
    assert (status, out) == (1, "")
    first = json.loads(err)["errors"][0]
    assert first["code"] == "TL030"
    assert (first["file"], first["line"], first["place"]) == (str(folder / "bad.dl"), 1, f"{folder / 'bad.dl'}:1:3")
    assert first["fix"]


def test_a_problem_without_a_place_and_one_with_notes() -> None:
    with pytest.raises(TidelogError) as caught:
        KnowledgeBase().count("p")
    assert errors_of(caught.value) == {"errors": [{"code": "TL073", "message": "there is no relation `p`", "fix": None}]}
    with pytest.raises(TidelogError) as caught:
        check(Source("p(X) :- q(X), not p(X).", "a.dl"))
    assert problem_of(caught.value.diagnostics[0])["notes"]
