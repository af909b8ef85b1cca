"""The journal: entries before acknowledgement, exact values, retraction, refusals, and the thread that syncs."""

from __future__ import annotations

import gc
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.durable.saved_folders import RULES, FailingOperations, crashed, everything, opened

from tidelog import IRI, KnowledgeBase, TidelogError, Update
from tidelog.durable import journal as journals
from tidelog.durable.journal import Journal, encoded
from tidelog.durable.manifest import Manifest
from tidelog.local.kb import LocalKnowledgeBase
from tidelog.local.transaction import Transaction
from tidelog.values import Value, from_python


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[LocalKnowledgeBase]:
    with opened(tmp_path / "kb", RULES) as kb:
        yield kb


def journal_of(kb: LocalKnowledgeBase) -> Journal:
    assert isinstance(kb.saved.journal, Journal)
    return kb.saved.journal


@pytest.mark.parametrize(
    "thing", ["a", 1, True, 2.5, date(2026, 1, 1), IRI("http://e/a"), np.str_("b"), np.float64(0.1), from_python(3)]
)
def test_an_update_is_written_as_a_stream_reads_it(thing: Any) -> None:
    line = encoded(([("p", thing, "b")], [("q",)], [], [], ["r(X) :- p(X, _)."]))
    update = Update.from_json(line)
    (fact,) = update.insert
    assert from_python(fact[1]) == (thing if isinstance(thing, Value) else from_python(thing))
    assert (fact[0], fact[2], update.delete, update.add_rules) == ("p", "b", (("q",),), ("r(X) :- p(X, _).",))


def test_iterators_are_read_once(kb: LocalKnowledgeBase, tmp_path: Path) -> None:
    kb.update(insert=(("edge", "x", name) for name in "yz"), add_rules=iter(["p(X) :- edge(X, _)."]))
    facts = everything(kb)
    with opened(crashed(tmp_path / "kb", tmp_path / "copy")) as other:
        assert everything(other) == facts


def test_a_refused_update_is_not_recorded(kb: LocalKnowledgeBase) -> None:
    with pytest.raises(TidelogError, match="TL040"):
        kb.update(upsert=[("stock", "a", "many")])
    assert journal_of(kb).sequence == 0
    assert journal_of(kb).manifest.read()[1] == []


@pytest.mark.parametrize("how", ["update", "rules", "stream", "load", "replay"])
def test_what_is_not_committed_is_retracted(
    kb: LocalKnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    before = everything(kb)
    actions: dict[str, Callable[[], object]] = {
        "update": lambda: kb.update(insert=[("edge", "x", "y")]),
        "rules": lambda: kb.add_rules("p(X) :- edge(X, _)."),
        "stream": lambda: kb.apply(Update(insert=(("edge", "x", "y"),))),
        "load": lambda: kb.load("edge", pa.table({"a": ["x"], "b": ["y"]})),
        "replay": lambda: kb.replay([Update(insert=(("edge", "x", "y"),))]),
    }

    def fail(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(Transaction, "commit", fail)
        with pytest.raises(MemoryError):
            actions[how]()
    assert everything(kb) == before
    with opened(crashed(tmp_path / "kb", tmp_path / "copy")) as other:
        assert everything(other) == before
    actions[how]()
    assert journal_of(kb).sequence == 1
    with opened(crashed(tmp_path / "kb", tmp_path / "copy")) as other:
        assert everything(other) == everything(kb) != before


def test_a_full_disk_rolls_the_update_back(kb: LocalKnowledgeBase) -> None:
    before, manifest = everything(kb), journal_of(kb).manifest
    pages = manifest.execute("PRAGMA page_count").fetchone()[0]
    manifest.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(TidelogError, match=r"TL066: the change could not be recorded in .*manifest.sqlite: .*full"):
        kb.update(insert=[("text", "x" * 100_000)])
    assert everything(kb) == before
    manifest.execute("PRAGMA max_page_count = 1000000")
    kb.update(insert=[("text", "x" * 100_000)])
    assert kb.count("text") == 1


def test_a_full_disk_rolls_a_load_back(tmp_path: Path) -> None:
    files = FailingOperations(10**9)
    with opened(tmp_path / "kb", RULES, files=files) as kb:
        before = everything(kb)
        for left in range(3):
            files.left = left
            with pytest.raises(TidelogError, match=r"TL066.*loads/1.arrow: No space left on device"):
                kb.load("edge", pa.table({"a": ["x"], "b": ["y"]}))
            assert everything(kb) == before
        files.left = 10**9
        kb.load("edge", pa.table({"a": ["x"], "b": ["y"]}))
        after = everything(kb)
    with opened(tmp_path / "kb") as kb:
        assert everything(kb) == after != before


def test_a_folder_that_became_read_only(kb: LocalKnowledgeBase) -> None:
    before = everything(kb)
    journal_of(kb).manifest.execute("PRAGMA query_only = 1")
    with pytest.raises(TidelogError, match=r"TL066.*readonly"):
        kb.update(insert=[("edge", "x", "y")])
    assert everything(kb) == before


def test_a_closed_knowledge_base_can_be_read_and_not_changed(tmp_path: Path) -> None:
    kb = opened(tmp_path / "kb", RULES)
    kb.close()
    kb.close()
    assert kb.count("edge") == 2
    for change in (lambda: kb.update(insert=[("edge", "x", "y")]), lambda: kb.save(tmp_path / "other")):
        with pytest.raises(TidelogError, match="TL065: the knowledge base is closed"):
            change()
    unsaved = KnowledgeBase(RULES)
    unsaved.close()
    with pytest.raises(TidelogError, match="TL065"):
        unsaved.update(insert=[("edge", "x", "y")])


def test_batch_syncs_soon_and_when_it_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[float] = []
    sync = Manifest.sync

    def observed(manifest: Manifest) -> None:
        sync(manifest)
        synced.append(time.perf_counter())

    monkeypatch.setattr(Manifest, "sync", observed)
    monkeypatch.setattr(journals, "SYNC_SECONDS", 0.01)
    with opened(tmp_path / "kb", RULES, "batch") as kb:
        synced.clear()
        kb.update(insert=[("edge", "x", "y")])
        while not synced:
            time.sleep(0.001)
        wal = (tmp_path / "kb" / "manifest.sqlite-wal").stat().st_size
        monkeypatch.setattr(journals, "SYNC_SECONDS", 3600)
        kb.update(insert=[("edge", "x", "z")])
        count = len(synced)
    assert len(synced) > count
    assert wal
    copy = crashed(tmp_path / "kb", tmp_path / "copy")
    with opened(copy) as kb:
        assert ("edge", "x", "z") in kb


def test_a_sync_that_fails_is_reported_by_the_next_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kb = opened(tmp_path / "kb", RULES, "batch")

    def fail(_: Manifest) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR
        raise error

    monkeypatch.setattr(journals, "SYNC_SECONDS", 0.001)
    with monkeypatch.context() as patch:
        patch.setattr(Manifest, "sync", fail)
        kb.update(insert=[("edge", "x", "y")])
        syncer = journal_of(kb)._syncer
        assert syncer is not None
        while syncer.failed is None:
            time.sleep(0.001)
        before = everything(kb)
        with pytest.raises(TidelogError, match=r"TL060.*disk I/O error"):
            kb.update(insert=[("edge", "x", "z")])
    assert everything(kb) == before
    kb.close()
    with opened(tmp_path / "kb") as kb:
        assert everything(kb) == before


def syncing() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "tidelog-sync"]


def test_what_syncs_is_there_before_the_first_change_and_goes_with_the_knowledge_base(tmp_path: Path) -> None:
    gc.collect()
    before = syncing()
    kb: Any = opened(tmp_path / "kb", RULES, "batch")
    (mine,) = [thread for thread in syncing() if thread not in before]
    kb.update(insert=[("edge", "x", "y")])
    del kb  # nobody closes it
    gc.collect()
    mine.join()
    with opened(tmp_path / "kb", durability="none") as kb:
        assert ("edge", "x", "y") in kb
        assert [thread for thread in syncing() if thread not in before] == []
