"""What a stream has done, in files, and going on from there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tidelog import TidelogError
from tidelog.streams.journal import Journal, Position
from tidelog.streams.update import Update


def state(out: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(out.with_name(out.name + ".state").read_text(encoding="utf-8"))
    return found


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "changes.jsonl"


def written(out: Path, stats: Path | None = None, *, resume: bool = False, count: int = 2) -> Journal:
    """A journal with some more changes."""
    journal = Journal(out, stats, resume=resume)
    with journal:
        for _ in range(count):
            number = journal.position.finished + 1
            update = Update(f"id {number}", place=f"/some/where/u.jsonl:{number}")
            journal.add(update, number, f"change {number}\n", "heading\n", f"row {number}\n")
    return journal


def test_each_change_is_written_and_noted(out: Path, tmp_path: Path) -> None:
    journal = written(out, tmp_path / "stats.csv")
    assert out.read_text(encoding="utf-8") == "change 1\nchange 2\n"
    assert (tmp_path / "stats.csv").read_text(encoding="utf-8") == "heading\nrow 1\nrow 2\n"
    assert journal.position == Position(2, "/some/where/u.jsonl:2", "id 2", (18, 20))
    assert state(out) == {"finished": 2, "place": "/some/where/u.jsonl:2", "id": "id 2", "sizes": [18, 20], "sequence": -1}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["changes.jsonl", "changes.jsonl.state", "stats.csv"]


def test_without_resume_everything_begins_anew(out: Path) -> None:
    written(out, count=5)
    written(out, count=1)
    assert out.read_text(encoding="utf-8") == "change 1\n"
    assert state(out)["finished"] == 1


def test_going_on_cuts_off_what_was_not_finished(out: Path, tmp_path: Path) -> None:
    stats = tmp_path / "stats.csv"
    written(out, stats)
    for path in (out, stats):
        with path.open("a", encoding="utf-8") as file:
            file.write("a change that nobody noted\nhalf a li")
    written(out, stats, resume=True, count=1)
    assert out.read_text(encoding="utf-8") == "change 1\nchange 2\nchange 3\n"
    assert stats.read_text(encoding="utf-8") == "heading\nrow 1\nrow 2\nrow 3\n"


def test_going_on_before_the_first_change(out: Path) -> None:
    assert written(out, resume=True, count=0).position == Position(sizes=(0,))
    assert written(out, resume=True, count=1).position.finished == 1


def test_statistics_that_come_later(out: Path, tmp_path: Path) -> None:
    written(out)
    written(out, tmp_path / "stats.csv", resume=True, count=1)
    assert (tmp_path / "stats.csv").read_text(encoding="utf-8") == "heading\nrow 3\n"


def test_nothing_is_touched_before_the_work_begins(out: Path) -> None:
    written(out)
    before = out.read_bytes(), state(out)
    Journal(out)
    assert (out.read_bytes(), state(out)) == before


def test_standard_output(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with Journal(None, tmp_path / "stats.csv") as journal:
        journal.add(Update(1), 1, "change\n", "heading\n", "row\n")
    assert capsys.readouterr().out == "change\n"
    assert [path.name for path in tmp_path.iterdir()] == ["stats.csv"]


@pytest.mark.parametrize(
    ("last", "count", "problem"),
    [
        (Update("x", place="u.jsonl:7"), 6, "the stream ends after 6 updates"),
        (None, 1, "the stream ends after 1 update"),
        (Update("y", place="u.jsonl:7"), 7, r"the stream has u.jsonl:7 \(id y\) in its place"),
        (Update("x", place="v.jsonl:7"), 7, r"the stream has v.jsonl:7 \(id x\) in its place"),
    ],
)
def test_another_stream_is_noticed(last: Update | None, count: int, problem: str) -> None:
    with pytest.raises(TidelogError, match=rf"TL077: cannot resume after update 7, a/u.jsonl:7 \(id x\): {problem}"):
        Position(7, "a/u.jsonl:7", "x").check(last, count)


def test_the_same_stream_seen_from_elsewhere() -> None:
    Position(7, "a/u.jsonl:7", "x").check(Update("x", place="../b/u.jsonl:7"), 7)


def test_states_that_cannot_be_used(out: Path) -> None:
    out.write_text("{}\n", encoding="utf-8")
    with pytest.raises(TidelogError, match=r"TL077: .* there is no changes\.jsonl\.state beside it"):
        Journal(out, resume=True)
    written(out)
    out.write_text("{}\n", encoding="utf-8")
    with pytest.raises(TidelogError, match=r"TL077: .* it is shorter than changes.jsonl.state says"):
        Journal(out, resume=True)
    for damaged in ("", "[]", '{"finished": 1}', '{"finished": "x", "place": "", "id": 1, "sizes": []}'):
        out.with_name("changes.jsonl.state").write_text(damaged, encoding="utf-8")
        with pytest.raises(TidelogError, match=r"TL077: cannot resume: .* is damaged"):
            Journal(out, resume=True)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TidelogError, match=r"TL060: cannot write .* there is no such folder"):
        Journal(tmp_path / "missing" / "changes.jsonl")
    (tmp_path / "changes.jsonl").mkdir()
    with pytest.raises(TidelogError, match="TL060: cannot write"):
        Journal(tmp_path / "changes.jsonl").__enter__()


def test_the_state_of_a_saved_knowledge_base_is_noted(out: Path) -> None:
    journal = Journal(out)
    journal.begin_at(7)
    with journal:
        assert state(out)["sequence"] == 7
        journal.add(Update(1), 1, "change\n", "heading\n", "row\n", sequence=8)
    journal = Journal(out, resume=True)
    journal.begin_at(99)
    assert (journal.position.finished, journal.position.sequence) == (1, 8)
