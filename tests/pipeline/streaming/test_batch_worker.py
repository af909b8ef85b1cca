"""A micro-batch applied update by update: refused updates, failures, and the look at the next one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tidelog import Change, FactsByRelation, KnowledgeBase, TidelogError, Update
from tidelog.errors import fail
from tidelog.pipeline.streaming.arrivals import Arrivals, Arrived
from tidelog.pipeline.streaming.batch_worker import BatchResult, UpdateWorker
from tidelog.pipeline.streaming.change_feed import RowFile
from tidelog.stores.local import LocalStore


class NoChange(Change):
    """A change of nothing, as the Spark engine gives it."""

    def explicit(self) -> list[object]:
        return []


class StandIn:
    """A knowledge base that notes what it is given, and fails where it is told to."""

    def __init__(self, failures: dict[object, str] | None = None) -> None:
        self.relations: dict[str, object] = {}
        self.program = KnowledgeBase("").program
        self.failures = failures or {}
        self.seen: list[tuple[Update, Update | None]] = []

    def apply(self, update: Update, next_update: Callable[[], Update | None]) -> Change:
        self.seen.append((update, next_update()))
        if update.id in self.failures:
            raise fail(self.failures[update.id], "told to")
        return NoChange(*(FactsByRelation(lambda _: {}),) * 2)


def arrived(*ids: object) -> list[Arrived]:
    return [Arrived("u.jsonl", line, json.dumps({"id": one}) if one != "broken" else "{") for line, one in enumerate(ids, 1)]


def result(folder: Path) -> BatchResult:
    return BatchResult(3, RowFile(None, "", "json"), RowFile(LocalStore(folder), "dead.jsonl", "json"))


def apply(
    kb: StandIn, arrivals: Arrivals, done: BatchResult, *, stops: bool = False
) -> tuple[list[str], list[tuple[int, Any, int]]]:
    said, shown = list[str](), list[tuple[int, Any, int]]()
    worker = UpdateWorker(kb, said.append, stops_at_broken=stops)
    with done:
        worker.apply(arrivals, done, 10, lambda number, change, waiting: shown.append((number, change.id, waiting)))
    return said, shown


def test_each_update_sees_the_next_one(tmp_path: Path) -> None:
    kb, done = StandIn(), result(tmp_path)
    first, second, ahead = arrived(1, 2, 3)
    _, shown = apply(kb, Arrivals([first, second], ahead, done=4, behind=5), done)
    assert [(update.id, after.id if after is not None else None) for update, after in kb.seen] == [(1, 2), (2, 3)]
    assert kb.seen[0][1] is kb.seen[1][0], "an update that was read ahead is not read again"
    assert shown == [(11, 1, 6), (12, 2, 5)]
    assert (done.updates, done.rows, done.last, done.broken) == (2, 6, second, 0)
    assert [update.number for update in done.applied] == [11, 12]


def test_an_update_without_an_id_goes_by_its_place(tmp_path: Path) -> None:
    _, shown = apply(StandIn(), Arrivals(arrived(None)), result(tmp_path))
    assert shown == [(11, "u.jsonl:1", 0)]


def test_refused_updates_go_to_the_dead_letters(tmp_path: Path) -> None:
    kb, done = StandIn({2: "TL040"}), result(tmp_path)
    said, shown = apply(kb, Arrivals(arrived(1, "broken", 2, 3)), done)
    assert [number for number, _, _ in shown] == [11, 12]
    assert (done.updates, done.broken, done.rows) == (2, 2, 4)
    assert kb.seen[0][1] is None, "the next update cannot be read"
    assert said[1] == "u.jsonl:3: set aside: TL040: told to"
    letters = [json.loads(line) for line in (tmp_path / "dead.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(letter["batch"], letter["line"], letter["text"]) for letter in letters] == [(3, 2, "{"), (3, 3, '{"id": 2}')]
    assert "TL076" in letters[0]["reason"]


def test_a_job_may_stop_at_a_refused_update(tmp_path: Path) -> None:
    done = result(tmp_path)
    apply(StandIn({2: "TL040"}), Arrivals(arrived(1, 2, 3)), done, stops=True)
    assert (done.updates, done.rows, done.broken) == (1, 1, 0)
    assert done.stopped_at is not None
    assert str(done.stopped_at) == "u.jsonl:2 (id 2): error TL040: told to"


def test_the_place_of_an_error_is_said_once(tmp_path: Path) -> None:
    done = result(tmp_path)
    apply(StandIn(), Arrivals(arrived("u.jsonl:1", "broken")), done, stops=True)
    assert done.stopped_at is not None
    assert str(done.stopped_at).startswith("u.jsonl:2:2: error TL076: this is not JSON")


def test_a_failure_of_the_machine_ends_the_batch(tmp_path: Path) -> None:
    with pytest.raises(TidelogError, match="TL086"):
        apply(StandIn({2: "TL086"}), Arrivals(arrived(1, 2)), result(tmp_path))


def test_a_file_that_could_not_be_read_is_a_refused_update(tmp_path: Path) -> None:
    done = result(tmp_path)
    said, _ = apply(StandIn(), Arrivals([Arrived("u.jsonl", 1, None, "TL060: cannot read u.jsonl")]), done)
    assert said == ["u.jsonl:1: set aside: TL060: cannot read u.jsonl"]
    assert done.broken == 1
