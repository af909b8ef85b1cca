"""`tidelog stream`, as a user calls it, ends it, and lets it go on."""

from __future__ import annotations

import csv
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.cli.commands import PATIENCE, WITHOUT_KERNEL
from typer.testing import CliRunner

from tidelog import KnowledgeBase
from tidelog.cli import app
from tidelog.errors import fail
from tidelog.streams.following import Following
from tidelog.streams.journal import Journal

RULES = """\
@relation edge(src: string, dst: string) .
@relation temp(turbine: string key, celsius: float) .
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
hot(T) :- temp(T, C), C > 20.
"""
UPDATES: list[dict[str, Any]] = [
    {"id": "a", "insert": [["edge", "b", "c"], ["temp", "t1", 30]]},
    {"id": "b", "upsert": [["temp", "t1", 10]], "delete": [["edge", "a", "b"]]},
    {"insert": [["edge", "a", "b"]], "upsert": [["temp", "t2", 40]]},
    {"id": "d", "delete": [["edge", "b", "c"]], "upsert": [["temp", "t1", 50]]},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.dl").write_text(RULES, encoding="utf-8")
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "edge.csv").write_text("src,dst\na,b\n", encoding="utf-8")
    write(tmp_path / "u.jsonl", UPDATES)
    return tmp_path


def write(path: Path, updates: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(update) + "\n" for update in updates), encoding="utf-8")


def run(*args: str | Path, text: str | None = None) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["stream", "rules.dl", "--facts", "facts", *map(str, args)], input=text)
    return result.exit_code, result.stdout, result.stderr


def changes(text: str) -> list[dict[str, Any]]:
    """The changes, without what they took."""
    return [{key: value for key, value in json.loads(line).items() if key != "stats"} for line in text.splitlines()]


EXPECTED = [
    {
        "id": "a",
        "inserted": {"edge": [["b", "c"]], "hot": [["t1"]], "path": [["a", "c"], ["b", "c"]], "temp": [["t1", 30.0]]},
        "deleted": {},
    },
    {
        "id": "b",
        "inserted": {"temp": [["t1", 10.0]]},
        "deleted": {"edge": [["a", "b"]], "hot": [["t1"]], "path": [["a", "b"], ["a", "c"]], "temp": [["t1", 30.0]]},
    },
    {
        "id": None,
        "inserted": {"edge": [["a", "b"]], "hot": [["t2"]], "path": [["a", "b"], ["a", "c"]], "temp": [["t2", 40.0]]},
        "deleted": {},
    },
    {
        "id": "d",
        "inserted": {"hot": [["t1"]], "temp": [["t1", 50.0]]},
        "deleted": {"edge": [["b", "c"]], "path": [["a", "c"], ["b", "c"]], "temp": [["t1", 10.0]]},
    },
]


def test_changes_are_printed(folder: Path) -> None:
    status, out, err = run("--updates", "u.jsonl", "--quiet")
    assert (status, changes(out), err) == (0, EXPECTED, "")


@pytest.mark.parametrize("form", ["file", "folder", "stdin"])
def test_changes_are_written(form: str, folder: Path) -> None:
    (folder / "inbox").mkdir()
    write(folder / "inbox" / "1.jsonl", UPDATES[:1])
    write(folder / "inbox" / "2.jsonl", UPDATES[1:])
    updates = {"file": "u.jsonl", "folder": "inbox", "stdin": "-"}[form]
    text = (folder / "u.jsonl").read_text(encoding="utf-8")
    status, out, err = run("--updates", updates, "--out", "changes.jsonl", text=text)
    assert (status, out) == (0, "")
    assert changes((folder / "changes.jsonl").read_text(encoding="utf-8")) == EXPECTED
    lines = err.splitlines()
    assert lines[0].startswith("edge: 1 row")
    assert re.match(r"update 1 \(id a\): facts in 5, out 0, [\d.]+ ms \(.*\), marks \d+, backlog \d$", lines[1])
    assert re.match(r"update 3: facts in 5, out 0, ", lines[3])
    assert re.match(r"4 updates: facts in 13, out 9, [\d.]+ s$", lines[-1])


def test_the_example() -> None:
    example = Path(__file__).parents[2] / "examples" / "stream"
    args = ["stream", example / "turbines.dl", "--facts", example / "facts", "--updates", example / "updates.jsonl", "--quiet"]
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exit_code == 0
    assert [change["id"] for change in changes(result.stdout)] == ["06:00", "06:10", "06:20", "06:30", "06:40"]
    assert changes(result.stdout)[-1]["deleted"]["alarm"] == [["t1"], ["t2"]]


def test_statistics(folder: Path) -> None:
    assert run("--updates", "u.jsonl", "--out", "c.jsonl", "--stats", "s.csv", "--algorithm", "dred", "--quiet")[0] == 0
    with (folder / "s.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["update"] for row in rows] == ["1", "2", "3", "4"]
    assert [row["id"] for row in rows] == ["a", "b", "", "d"]
    assert [(row["inserted"], row["deleted"], row["facts_in"], row["facts_out"]) for row in rows][1] == ("1", "2", "1", "5")
    assert "dred: as asked for" in rows[1]["algorithm"]
    assert float(rows[1]["seconds"]) >= float(rows[1]["seconds_deletion"]) > 0


def test_options_are_passed_on(folder: Path) -> None:
    assert run("--updates", "u.jsonl", "--marking", "off", "--no-modules", "--quiet")[0] == 0
    assert run("--updates", "u.jsonl", "--starting-over", "refuse", "--quiet")[0] == 0
    status, _, err = run("--updates", "u.jsonl", "--algorithm", "magic")
    assert (status, "TL074" in err) == (1, True)
    status, _, err = run("--updates", "u.jsonl", "--limit-facts", "3")
    assert status == 1
    assert "u.jsonl:1 (id a): error TL070" in err
    assert run("--updates", "u.jsonl", "--resume")[0] == 2
    assert CliRunner().invoke(app, ["stream", "-", "--updates", "-"]).exit_code == 2
    assert run()[0] == 2
    assert run("--updates", "missing.jsonl")[0] == 1


def test_a_wrong_program_leaves_the_changes_alone(folder: Path) -> None:
    run("--updates", "u.jsonl", "--out", "c.jsonl", "--quiet")
    before = (folder / "c.jsonl").read_bytes()
    (folder / "rules.dl").write_text("p(X) :- q(Y).", encoding="utf-8")
    assert run("--updates", "u.jsonl", "--out", "c.jsonl")[0] == 1
    assert (folder / "c.jsonl").read_bytes() == before


def test_an_update_that_is_wrong_ends_the_stream_and_can_be_mended(folder: Path) -> None:
    write(folder / "u.jsonl", [*UPDATES[:2], {"id": "bad", "insert": [["edge", "x"]]}, *UPDATES[2:]])
    status, _, err = run("--updates", "u.jsonl", "--out", "c.jsonl", "--quiet")
    assert status == 1
    assert err.startswith("u.jsonl:3 (id bad): error TL020: ")
    write(folder / "u.jsonl", UPDATES)
    assert run("--updates", "u.jsonl", "--out", "c.jsonl", "--quiet", "--resume")[0] == 0
    assert changes((folder / "c.jsonl").read_text(encoding="utf-8")) == EXPECTED


@pytest.mark.parametrize("finished", range(5))
@pytest.mark.parametrize("stdin", [False, True])
def test_going_on_after_any_update(finished: int, stdin: bool, folder: Path) -> None:
    updates = "-" if stdin else "u.jsonl"
    write(folder / "u.jsonl", UPDATES[:finished])
    first = (folder / "u.jsonl").read_text(encoding="utf-8")
    assert run("--updates", updates, "--out", "c.jsonl", "--stats", "s.csv", "--resume", "--quiet", text=first)[0] == 0
    with (folder / "c.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "half a li')
    write(folder / "u.jsonl", UPDATES)
    whole = (folder / "u.jsonl").read_text(encoding="utf-8")
    status, _, err = run("--updates", updates, "--out", "c.jsonl", "--stats", "s.csv", "--resume", text=whole)
    assert status == 0
    assert changes((folder / "c.jsonl").read_text(encoding="utf-8")) == EXPECTED
    assert len((folder / "s.csv").read_text(encoding="utf-8").splitlines()) == 5
    assert f"{4 - finished} update" in err.splitlines()[-1]
    assert f"update {finished + 1}" in err or finished == 4


# --- with a saved knowledge base -----------------------------------------------------------------------------------------


def test_a_saved_knowledge_base_keeps_the_state(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, expected, _ = run("--updates", "u.jsonl", "-q")
    write(folder / "u.jsonl", UPDATES[:2])
    arguments = "--updates", "u.jsonl", "--out", "out.jsonl", "--open", "kb"
    status, _, said = run(*arguments)
    assert status == 0, said
    assert "kb: a new knowledge base" in said
    write(folder / "u.jsonl", UPDATES)
    monkeypatch.setattr(Following, "replay", None)  # nothing is applied again
    status, _, said = run(*arguments, "--resume")
    assert status == 0, said
    assert re.search(r"kb: snapshot 1 with \d+ facts, 2 updates replayed", said)
    assert changes((folder / "out.jsonl").read_text(encoding="utf-8")) == changes(expected)


def test_a_saved_knowledge_base_keeps_its_options(folder: Path) -> None:
    with KnowledgeBase("p(X, Z) :- p(X, Y), p(Y, Z). p(1, 2).", modules=False, algorithm="dred", marking=False) as kb:
        kb.save("other")
    Path("v.jsonl").write_text('{"insert": [["p", 2, 3]]}\n{"delete": [["p", 2, 3]]}\n')
    arguments = "stream", "--updates", "v.jsonl", "--out", "v.out", "--open", "other", "-q"
    assert CliRunner().invoke(app, arguments).exit_code == 0
    told = [json.loads(line) for line in Path("v.out").read_text().splitlines()]
    assert told[1]["stats"]["algorithm"].startswith("dred")
    assert "1 answer" in CliRunner().invoke(app, ["query", "--open", "other", "p(1, X)"]).output


@pytest.mark.parametrize("at", range(len(UPDATES)))
def test_an_update_that_is_saved_and_not_written_down_is_written_down_later(
    folder: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    _, expected, _ = run("--updates", "u.jsonl", "-q")
    arguments = "--updates", "u.jsonl", "--out", "out.jsonl", "--open", "kb", "-q"
    add, seen = Journal.add, list[object]()

    def crash(journal: Journal, *args: Any, **options: Any) -> None:
        if len(seen) == at:
            raise MemoryError
        seen.append(args)
        add(journal, *args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "add", crash)
        assert run(*arguments)[0] == 1
    status, _, said = run(*arguments, "--resume")
    assert status == 0, said
    assert changes((folder / "out.jsonl").read_text(encoding="utf-8")) == changes(expected)


def test_a_folder_that_others_have_changed_is_not_gone_on_with(folder: Path) -> None:
    arguments = "--updates", "u.jsonl", "--out", "out.jsonl", "--open", "kb", "-q"
    assert run(*arguments)[0] == 0
    with KnowledgeBase.open(folder / "kb") as kb:
        kb.update(insert=[("edge", "x", "y")])
        kb.update(insert=[("edge", "x", "z")])
    status, _, said = run(*arguments, "--resume")
    assert status == 1
    assert "error TL077: cannot resume: kb has 2 changes that are not in this stream's output" in said


def test_another_stream_is_not_gone_on_with(folder: Path) -> None:
    run("--updates", "u.jsonl", "--out", "c.jsonl", "--quiet")
    before = (folder / "c.jsonl").read_bytes()
    write(folder / "u.jsonl", UPDATES[:2])
    status, _, err = run("--updates", "u.jsonl", "--out", "c.jsonl", "--resume", "--quiet")
    assert status == 1
    assert err.startswith("error TL077: cannot resume after update 4, u.jsonl:4 (id d): the stream ends after 2 updates\n")
    assert (folder / "c.jsonl").read_bytes() == before


# --- ending it -----------------------------------------------------------------------------------------------------------


def started(*args: str, env: Mapping[str, str] = WITHOUT_KERNEL, **options: Any) -> subprocess.Popen[bytes]:
    code = "from tidelog.cli import main; main()"
    return subprocess.Popen([sys.executable, "-c", code, "stream", "rules.dl", "--facts", "facts", *args], env=env, **options)


def wait_for_lines(path: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a file has so many lines."""
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert process.poll() is None, "it ended too early"
        select.select([], [], [], 0.02)


@pytest.mark.parametrize(
    ("form", "number", "status"),
    [
        ("file", signal.SIGTERM, 0),
        ("folder", signal.SIGINT, 130),
        ("pipe", signal.SIGTERM, 0),
        ("pipe", signal.SIGINT, 130),
        pytest.param("file", signal.SIGINT, 130, marks=pytest.mark.nightly),
        pytest.param("folder", signal.SIGTERM, 0, marks=pytest.mark.nightly),
    ],
)
def test_a_stream_that_waits_is_ended_and_goes_on(form: str, number: int, status: int, folder: Path) -> None:
    (folder / "inbox").mkdir()
    write(folder / "inbox" / "1.jsonl", UPDATES[:2])
    write(folder / "u.jsonl", UPDATES[:2])
    first = (folder / "u.jsonl").read_bytes()
    updates = {"file": "u.jsonl", "folder": "inbox", "pipe": "-"}[form]
    options = ["--updates", updates, "--out", "c.jsonl", "--follow", "--resume"]
    process = started(*options, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(first)
    process.stdin.flush()
    wait_for_lines(folder / "c.jsonl", 2, process)
    process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == status
    assert b"stopped after 2 updates" in err
    write(folder / "inbox" / "2.jsonl", UPDATES[2:])
    write(folder / "u.jsonl", UPDATES)
    process = started(*options, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin is not None
    process.stdin.write((folder / "u.jsonl").read_bytes())
    process.stdin.flush()
    wait_for_lines(folder / "c.jsonl", 4, process)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    assert changes((folder / "c.jsonl").read_text(encoding="utf-8")) == EXPECTED


COUNTING = "n(X) :- start(X). n(X + 1) :- n(X), X < 3000000.\n@relation start(x: int) .\n"


def test_the_update_in_hand_is_finished(folder: Path) -> None:
    (folder / "rules.dl").write_text(COUNTING, encoding="utf-8")
    write(folder / "u.jsonl", [{"insert": [["start", 2_999_999]]}, {"insert": [["start", 0]]}, {"insert": [["other", 1]]}])
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = started("--updates", "u.jsonl", "--stats", "s.csv", env=os.environ, **pipes)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert len(out.splitlines()) in (0, 1, 2), "the last update may have been begun already"
    assert all(json.loads(line)["deleted"] == {} for line in out.splitlines())


def test_a_second_ctrl_c_does_not_wait(folder: Path) -> None:
    (folder / "rules.dl").write_text(COUNTING.replace("3000000", "3000000000"), encoding="utf-8")
    write(folder / "u.jsonl", [{"insert": [["start", 2_999_999_999]]}, {"insert": [["start", 0]]}])
    process = started("--updates", "u.jsonl", env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        select.select([], [], [], 1)
    process.communicate(timeout=PATIENCE)
    assert process.returncode in (130, -signal.SIGINT), "the second may come when everything is over"


# --- on a terminal -------------------------------------------------------------------------------------------------------


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    ours, theirs = pty.openpty()
    yield ours, theirs
    os.close(ours)


def test_the_picture_on_a_terminal(folder: Path, terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    environment = {**WITHOUT_KERNEL, "TERM": "xterm", "COLUMNS": "120", "LINES": "40"}
    process = started("--updates", "u.jsonl", "--out", "c.jsonl", stdin=subprocess.DEVNULL, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    try:
        while data := os.read(ours, 4096):
            shown += data
    except OSError:  # the other side is closed
        pass
    assert process.wait(timeout=PATIENCE) == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert re.search(r"update +4 \(id d\)", text)
    assert re.search(r"facts +in 13, out 9 +last: in 2, out 4", text)
    assert "phases" in text
    assert re.search(r"marks +[0-9]", text)  # how many, `auto` decides by what updates cost
    assert re.search(r"backlog +0", text)
    assert "4 updates: facts in 13, out 9" in text


# --- updates that are set aside ------------------------------------------------------------------------------------------

BROKEN: list[dict[str, Any]] = [*UPDATES[:1], {"id": "bad", "insert": [["edge", "x"]]}, *UPDATES[1:]]


def aside(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def with_errors(folder: Path) -> None:
    write(folder / "u.jsonl", BROKEN)
    lines = (folder / "u.jsonl").read_text(encoding="utf-8").splitlines()
    (folder / "u.jsonl").write_text("\n".join([*lines[:3], "no JSON", *lines[3:], "{"]) + "\n", encoding="utf-8")


def test_updates_with_errors_are_set_aside(folder: Path) -> None:
    with_errors(folder)
    status, _, err = run("--updates", "u.jsonl", "--out", "c.jsonl", "--on-error", "set-aside")
    assert status == 0
    assert changes((folder / "c.jsonl").read_text(encoding="utf-8")) == EXPECTED
    found = aside(folder / "c.jsonl.set-aside")
    assert [(entry["number"], entry["errors"][0]["code"]) for entry in found] == [(2, "TL020"), (4, "TL076"), (7, "TL076")]
    assert found[0]["update"] == BROKEN[1]
    assert "u.jsonl:2 (id bad): error TL020" in err
    assert ", 3 set aside, " in err.splitlines()[-1]


def test_without_it_the_first_error_ends_the_stream(folder: Path) -> None:
    with_errors(folder)
    assert run("--updates", "u.jsonl", "--out", "c.jsonl", "--on-error", "stop", "--quiet")[0] == 1
    assert len(changes((folder / "c.jsonl").read_text(encoding="utf-8"))) == 1
    assert not (folder / "c.jsonl.set-aside").exists()
    assert run("--updates", "u.jsonl", "--on-error", "set-aside")[0] == 2


@pytest.mark.parametrize("saved", [(), ("--open", "kb")], ids=["replayed", "saved"])
@pytest.mark.parametrize("first", range(1, 8))
def test_a_stream_that_sets_aside_is_resumed(folder: Path, first: int, saved: tuple[str, ...]) -> None:
    with_errors(folder)
    whole = (folder / "u.jsonl").read_text(encoding="utf-8")
    (folder / "u.jsonl").write_text("".join(whole.splitlines(keepends=True)[:first]), encoding="utf-8")
    options = ("--updates", "u.jsonl", "--out", "c.jsonl", "--on-error", "set-aside", "--quiet", *saved)
    assert run(*options)[0] == 0
    (folder / "u.jsonl").write_text(whole, encoding="utf-8")
    assert run(*options, "--resume")[0] == 0
    assert changes((folder / "c.jsonl").read_text(encoding="utf-8")) == EXPECTED
    assert [entry["number"] for entry in aside(folder / "c.jsonl.set-aside")] == [2, 4, 7]


def test_what_is_wrong_with_the_folder_is_set_aside_by_nobody(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise fail("TL066", "the disk is full")

    monkeypatch.setattr("tidelog.streams.following.Following._applied", fails)
    assert run("--updates", "u.jsonl", "--out", "c.jsonl", "--on-error", "set-aside", "--quiet")[0] == 1
    assert aside(folder / "c.jsonl.set-aside") == []
