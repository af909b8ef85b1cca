"""The state of a streaming job: readable after an end at any moment, and written by one job at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tidelog import TidelogError
from tidelog.pipeline.streaming.change_feed import RowFile
from tidelog.pipeline.streaming.stream_state import Commit, StreamState, hidden
from tidelog.stores import local
from tidelog.stores.local import LocalStore

pytest.importorskip("pyspark")
from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot


class CrashError(BaseException):
    """The process is gone."""


def edges(*pairs: str) -> ExplicitSnapshot:
    columns = {f"k{at}": pa.array([f"s{pair[at]}" for pair in pairs], pa.string()) for at in range(2)}
    return ExplicitSnapshot("edge", 2, pa.table(columns), len(pairs))


def held(state: StreamState) -> set[str]:
    """The facts of the last commit."""
    tables: list[Any] = [kept.keys for kept in state.facts(None)]  # type: ignore[arg-type]
    rows = [row["k0"][1:] + row["k1"][1:] for table in tables for row in table.to_pylist()]
    assert len(rows) == len(set(rows))
    return set(rows)


STEPS: list[tuple[str, str, set[str]]] = [
    ("cd", "", {"ab", "bc", "cd"}),
    ("de", "ab", {"bc", "cd", "de"}),
    ("", "", {"bc", "cd", "de"}),
    ("ab", "de", {"ab", "bc", "cd"}),
]


def work(folder: Path, state: StreamState | None = None, most: int = 99) -> None:
    """What a job does, from where it stands to the end: commits with changes and feed, and a snapshot in the middle."""
    state = state or StreamState(folder / "state")
    if state.open() is None:
        assert state.last is not None
        state.commit(Commit(snapshot=state.write_snapshot([edges("ab", "bc")])))
    first = state.last.updates  # type: ignore[union-attr]
    while (done := state.last.updates) < min(len(STEPS), first + most):  # type: ignore[union-attr]
        inserted, deleted, _ = STEPS[done]
        changes = [(sign, edges(pair)) for sign, pair in ((False, deleted), (True, inserted)) if pair]
        path = folder / "feed" / f"{done}.jsonl"
        rows = RowFile(LocalStore(path.parent), hidden(path.name, state.epoch), "json")
        rows.write([{"step": done}])
        rows.close()
        assert state.last is not None
        log = (*state.last.log, *state.write_log(changes))
        state.commit(replace(state.last, updates=done + 1, log=log, files=(str(path),)))
        if done == 1:
            kept = [edges(*sorted(held(state)))]
            state.commit(replace(state.last, snapshot=state.write_snapshot(kept), log=(), files=()))


def crash() -> None:
    raise CrashError


def happening(after: int, event: Callable[[], None]) -> Any:
    """Let something happen once, before the so-many-th call that changes something on disk, or lists what is there."""
    calls = iter(range(after))
    has_happened = False

    def counted(inner: Any) -> Any:
        def call(*args: Any, **options: Any) -> Any:
            nonlocal has_happened
            if next(calls, None) is None and not has_happened:
                has_happened = True
                event()
            return inner(*args, **options)

        return call

    from contextlib import ExitStack

    stack = ExitStack()
    for owner, name in (
        (os, "link"),
        (Path, "replace"),
        (Path, "mkdir"),
        (Path, "unlink"),
        (pq, "write_table"),
        (local, "synchronise"),
        (LocalStore, "replace"),
        (LocalStore, "remove"),
        (LocalStore, "entries"),
        (LocalStore, "read"),
    ):
        stack.enter_context(patch.object(owner, name, counted(getattr(owner, name))))
    return stack


def moments() -> Iterator[int]:
    yield from range(1, 1000)


def test_an_end_at_any_moment(tmp_path: Path) -> None:
    work(tmp_path / "undisturbed")
    expected = sorted(path.name for path in (tmp_path / "undisturbed" / "feed").iterdir())
    ended = 0
    for moment in moments():
        folder = tmp_path / str(moment)
        try:
            with happening(moment, crash):
                work(folder)
        except CrashError:
            ended += 1
        else:
            break
        state = StreamState(folder / "state")
        last = state.open()
        if last is not None:
            before = {"ab", "bc"} if not last.updates else STEPS[last.updates - 1][2]
            assert held(state) == before
            shown = sorted(path.name for path in (folder / "feed").glob("[0-9]*"))
            assert shown == [f"{at}.jsonl" for at in range(last.updates)], "nothing is missing, and nothing too early"
        work(folder)
        assert sorted(path.name for path in (folder / "feed").glob("[0-9]*")) == expected
        final = StreamState(folder / "state")
        final.open()
        assert held(final) == STEPS[-1][2]
        assert len(list((folder / "state" / "snapshots").iterdir())) == 1
    assert ended > 40


@pytest.mark.parametrize("steps", [1, *(pytest.param(steps, marks=pytest.mark.nightly) for steps in (0, len(STEPS)))])
def test_another_job_begins_at_any_moment(tmp_path: Path, steps: int) -> None:
    """It works everything off, or a little, and comes to rest; the first one goes on then, and finds out."""
    work(tmp_path / "undisturbed")
    expected = sorted(path.name for path in (tmp_path / "undisturbed" / "feed").iterdir())
    found_out = finished = 0
    for moment in moments():
        folder = tmp_path / str(moment)
        other = StreamState(folder / "state")
        has_begun = False

        def another(folder: Path = folder, other: StreamState = other) -> None:
            nonlocal has_begun
            has_begun = True
            work(folder, other, steps)

        try:
            with happening(moment, another):
                work(folder)
        except (TidelogError, FileNotFoundError):  # of the feed, which this test writes by itself
            found_out += 1
        else:
            finished += 1
        if not has_begun:
            break
        work(folder)
        assert sorted(path.name for path in (folder / "feed").glob("[0-9]*")) == expected
        final = StreamState(folder / "state")
        assert (last := final.open()) is not None
        assert (held(final), last.updates) == (STEPS[-1][2], len(STEPS))
    assert found_out > 40
    assert finished < 20, "only before the first one has begun, or at its end"


def test_without_commits_a_checkpoint_is_not_gone_on_from(tmp_path: Path) -> None:
    work(tmp_path)
    (tmp_path / "state" / "checkpoint").mkdir()
    (commit,) = (tmp_path / "state" / "commits").iterdir()
    commit.unlink()
    with pytest.raises(TidelogError, match=r"TL077.*no commits"):
        StreamState(tmp_path / "state").open()


def test_a_snapshot_that_is_damaged_is_said(tmp_path: Path) -> None:
    work(tmp_path)
    (snapshot,) = (tmp_path / "state" / "snapshots").iterdir()
    for is_there in (True, False):
        (snapshot / "0.parquet").write_bytes(b"PAR1")
        if not is_there:
            (snapshot / "0.parquet").unlink()
        state = StreamState(tmp_path / "state")
        state.open()
        with pytest.raises(TidelogError, match="TL077"):
            held(state)


def test_a_job_that_was_taken_over_cannot_commit(tmp_path: Path) -> None:
    work(tmp_path)
    old, new = StreamState(tmp_path / "state"), StreamState(tmp_path / "state")
    old.open()
    new.open()
    assert old.last is not None
    assert new.last is not None
    with pytest.raises(TidelogError, match="TL093"):
        old.commit(replace(old.last, updates=99))
    new.commit(replace(new.last, updates=5))
    with patch.object(StreamState, "check_epoch", lambda *_: None), pytest.raises(TidelogError, match="TL093"):
        old.commit(replace(old.last, updates=99))  # even if it looked in the very moment before
    again = StreamState(tmp_path / "state")
    assert (last := again.open()) is not None
    assert last.updates == 5


def test_a_damaged_state_is_said(tmp_path: Path) -> None:
    work(tmp_path)
    (commit,) = (tmp_path / "state" / "commits").iterdir()
    commit.write_text(json.dumps({"number": 1}), encoding="utf-8")
    with pytest.raises(TidelogError, match="TL077"):
        StreamState(tmp_path / "state").open()


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("", encoding="utf-8")
    with pytest.raises(TidelogError, match=r"TL077: cannot resume from the state in .*/out/state: Not a directory"):
        _ = StreamState(tmp_path / "out/state").has_commits
    assert not StreamState(tmp_path / "new").has_commits
