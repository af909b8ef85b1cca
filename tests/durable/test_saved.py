"""Saving: new folders, copies, compaction, and what a loss of power or a full disk leaves at every moment of it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import pytest
from tests.durable.killed_writer import RULES as HISTORY_RULES
from tests.durable.killed_writer import Replica, change
from tests.durable.saved_folders import RULES, FailingOperations, crashed, everything, opened

from tidelog import KnowledgeBase, TidelogError, Update
from tidelog.durable import journal, saved
from tidelog.durable.acknowledged import Acknowledged
from tidelog.durable.file_operations import FileOperations
from tidelog.durable.manifest import Manifest, SavedSnapshot
from tidelog.durable.saved import Saved


def test_saved_and_kept_up_to_date(tmp_path: Path) -> None:
    kb = KnowledgeBase(RULES)
    kb.update(insert=[("edge", "c", "d")])
    kb.save(tmp_path / "kb", durability="fsync")
    kb.update(insert=[("edge", "d", "e")])
    facts = everything(kb)
    with opened(crashed(tmp_path / "kb", tmp_path / "copy")) as other:
        assert everything(other) == facts
        assert other.recovery is not None
        assert other.recovery.updates == 1
    kb.close()


def test_a_folder_with_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear …")
    with pytest.raises(TidelogError, match=r"TL060.*has other files in it"):
        KnowledgeBase(RULES).save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_folder_that_is_used_is_refused(tmp_path: Path) -> None:
    opened(tmp_path / "kb", RULES).close()
    with pytest.raises(TidelogError, match=r"TL063: there is a saved knowledge base in .* already"):
        KnowledgeBase("p(1).").save(tmp_path / "kb")
    opened(tmp_path / "kb", RULES).close()


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path / "kb", RULES), pytest.raises(TidelogError, match=r"TL063.*open for writing already"):
        opened(tmp_path / "kb")
    opened(tmp_path / "kb").close()


def test_an_unknown_durability(tmp_path: Path) -> None:
    with pytest.raises(TidelogError, match=r"TL074.*durability='always'"):
        KnowledgeBase(RULES).save(tmp_path / "kb", durability="always")
    assert not (tmp_path / "kb").exists()
    with opened(tmp_path / "kb", RULES) as kb, pytest.raises(TidelogError, match=r"TL065.*is open with durability='none'"):
        kb.save(tmp_path / "kb", durability="fsync")


def test_saved_elsewhere_it_is_a_copy(tmp_path: Path) -> None:
    with opened(tmp_path / "kb", RULES) as kb:
        kb.save(tmp_path / "copy")
        copied = everything(kb)
        kb.update(insert=[("edge", "c", "d")])
        with opened(tmp_path / "copy") as copy:
            assert everything(copy) == copied != everything(kb)
    with opened(tmp_path / "kb") as kb:
        assert ("edge", "c", "d") in kb


# --- compaction ----------------------------------------------------------------------------------------------------------


def test_a_journal_larger_than_the_snapshot_is_compacted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "LEAST_JOURNAL", 100)
    with opened(tmp_path / "kb", RULES) as kb:
        assert kb.saved is not None
        sizes = []
        for at in range(2_000):
            kb.update(upsert=[("stock", "a", at)])
            assert kb.saved.journal is not None
            sizes.append(kb.saved.journal.size)
        facts = everything(kb)
        folders = sorted(path.name for path in (tmp_path / "kb").glob("snapshot-*"))
    assert len(folders) == 1
    assert folders != ["snapshot-1"]
    assert sum(after < before for before, after in pairwise(sizes)) > 3
    assert (tmp_path / "kb" / "manifest.sqlite").stat().st_size < 200_000
    with opened(tmp_path / "kb") as kb:
        assert everything(kb) == facts
        assert kb.recovery is not None
        assert kb.recovery.sequence == 2_000


def test_a_compaction_that_fails_is_tried_again_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "LEAST_JOURNAL", 100)
    files = FailingOperations(10**9)
    with opened(tmp_path / "kb", RULES, files=files) as kb:
        files.left = 0
        with pytest.warns(RuntimeWarning, match=r"could not be compacted(?s:.*)No space left"):
            kb.replay(Update(upsert=(("stock", "a", at),)) for at in range(1_000))
        files.left = 10**9
        for at in range(2_000):
            kb.update(upsert=[("stock", "b", at)])
        facts = everything(kb)
        assert not (tmp_path / "kb" / "snapshot-1").exists()
    with opened(tmp_path / "kb") as kb:
        assert everything(kb) == facts


@pytest.mark.parametrize("left", range(1, 22))
def test_a_full_disk_at_every_moment_of_saving(tmp_path: Path, left: int) -> None:
    files = FailingOperations(10**9)
    with opened(tmp_path / "kb", RULES, files=files) as kb:
        kb.update(insert=[("edge", "c", "d")])
        before = everything(kb)
        files.left = left - 1
        with pytest.raises(TidelogError, match=r"TL060: cannot write .*No space left on device"):
            kb.save(tmp_path / "kb")
        assert everything(kb) == before
        kb.update(insert=[("edge", "d", "e")])
        files.left = 10**9
        with opened(crashed(tmp_path / "kb", tmp_path / "copy")) as other:
            assert everything(other) == everything(kb)
        kb.save(tmp_path / "kb")
        before = everything(kb)
    with opened(tmp_path / "kb") as kb:
        assert everything(kb) == before


# --- a loss of power -----------------------------------------------------------------------------------------------------


class Disk(FileOperations):
    """File operations that call back after each, and know what would be left of the files if the power went.

    Of a file, what was synced is left; of a folder, the names that were there when it was synced.  What is removed may be gone or
    not.
    """

    def __init__(self, root: Path, after: Callable[[], None]) -> None:
        super().__init__(syncs=False)
        self._root, self._after = root, after
        self._contents: dict[Path, bytes] = {}
        self.names: dict[Path, set[Path]] = {}

    def sync_file(self, file: BinaryIO, path: Path) -> None:
        self._after()
        super().sync_file(file, path)
        self._contents[path] = path.read_bytes()
        self._after()

    def sync_folder(self, path: Path) -> None:
        self._after()
        self.names[path] = set(path.iterdir())
        self._after()

    def remove_file(self, path: Path) -> None:
        self._after()
        super().remove_file(path)
        self._after()

    def remove_folder(self, path: Path) -> None:
        self._after()
        for file in sorted(path.glob("*")):
            file.unlink()
            self._after()
        super().remove_folder(path)
        self._after()

    def left(self, to: Path) -> None:
        """What is left of the files, beside the manifest as it is now: SQLite answers for that itself."""
        shutil.rmtree(to, ignore_errors=True)
        to.mkdir()
        for path in self._root.glob("manifest.sqlite*"):
            shutil.copy(path, to)
        (to / "manifest.sqlite-shm").unlink(missing_ok=True)
        for path in self.names.get(self._root, ()):
            for file in self.names.get(path, ()):
                if file in self._contents and file.exists():
                    target = to / file.relative_to(self._root)
                    target.parent.mkdir(exist_ok=True)
                    target.write_bytes(self._contents[file])


def test_a_loss_of_power_at_every_moment_of_saving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With unsynced writes dropped, what is left opens with everything that was acknowledged."""
    moments: list[int] = []
    expected: list[dict[str, list[str]]] = []

    def power_goes() -> None:
        moments.append(1)
        if expected:
            disk.left(tmp_path / "left")
            with opened(tmp_path / "left") as found:
                assert everything(found) == expected[-1]

    disk = Disk(tmp_path / "kb", power_goes)
    switch = Manifest.switch

    def observed(manifest: Manifest, snapshot: SavedSnapshot) -> None:
        if manifest.path.is_relative_to(tmp_path / "kb"):
            power_goes()
            switch(manifest, snapshot)
            power_goes()
        else:
            switch(manifest, snapshot)

    monkeypatch.setattr(Manifest, "switch", observed)
    with opened(tmp_path / "kb", RULES, files=disk) as kb:
        for at in range(3):
            expected.append(everything(kb))
            kb.save(tmp_path / "kb")
            expected.clear()
            kb.update(insert=[("edge", f"n{at}", "a"), ("stock", f"n{at}", at)])
        expected.append(everything(kb))
        kb.save(tmp_path / "kb")
    assert len(moments) > 100


def test_a_loss_of_power_at_every_moment_of_a_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Updates, loads and rule changes, with a compaction every few of them."""
    monkeypatch.setattr(saved, "LEAST_JOURNAL", 400)
    replica, copy, snapshots = Replica(), tmp_path / "left", set[int]()
    states = [replica.at(number) for number in range(15)]
    moments = [0, 0]

    def power_goes() -> None:
        if not acknowledged:
            return
        disk.left(copy)
        with opened(copy) as found:
            assert found.recovery is not None
            number = found.recovery.sequence
            assert acknowledged[-1] <= number <= acknowledged[-1] + 1
            assert everything(found) == states[number]
            snapshots.add(found.recovery.snapshot)
        moments[number - acknowledged[-1]] += 1

    disk, acknowledged = Disk(tmp_path / "kb", power_goes), list[int]()
    with opened(tmp_path / "kb", HISTORY_RULES, files=disk) as kb:
        for number in range(1, 15):
            acknowledged.append(number - 1)
            change(kb, number)
            acknowledged[-1] = number
            power_goes()
    assert len(snapshots) > 1, "there were compactions"
    assert moments[0] > 40


@pytest.mark.parametrize("durability", ["fsync", "batch"])
def test_a_journal_of_which_any_last_part_was_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durability: str
) -> None:
    """What SQLite has not synced of the WAL may be missing, from any byte on, or be another content."""
    monkeypatch.setattr(journal, "SYNC_SECONDS", 60)  # no thread writes the WAL back in the meantime
    replica, chance, sizes = Replica(), random.Random(5), [0]
    states = [replica.at(number) for number in range(4)]
    wal = tmp_path / "kb" / "manifest.sqlite-wal"
    opened(tmp_path / "kb", HISTORY_RULES).close()
    with opened(tmp_path / "kb", None, durability) as kb:
        for number in range(1, 4):  # without a load, which has a file of its own
            change(kb, number)
            sizes.append(wal.stat().st_size)
        crashed(tmp_path / "kb", tmp_path / "copy")
    whole = (tmp_path / "copy" / wal.name).read_bytes()
    assert len(whole) == sizes[-1]
    cuts = {cut + more for cut in sizes[1:] for more in (-1, 0)} | set(chance.choices(range(sizes[-1]), k=6))
    for cut in sorted(cuts):
        rest = chance.choice((b"", bytes(sizes[-1] - cut), chance.randbytes(sizes[-1] - cut)))
        left = crashed(tmp_path / "copy", tmp_path / "left")
        (left / wal.name).write_bytes(whole[:cut] + rest)
        written = max(number for number, size in enumerate(sizes) if size <= cut)
        if durability == "fsync":  # the number of the last change is never ahead of what is on disk
            number_file = Acknowledged(left)
            number_file.write(written)
            number_file.close()
        with opened(left) as found:
            assert found.recovery is not None
            assert found.recovery.sequence == written
            assert everything(found) == states[written]


def test_leftovers_are_removed(tmp_path: Path) -> None:
    with opened(tmp_path / "kb", RULES) as kb:
        facts = everything(kb)
    (tmp_path / "kb" / "snapshot-9").mkdir()
    (tmp_path / "kb" / "loads").mkdir()
    (tmp_path / "kb" / "loads" / "1.arrow").write_bytes(b"not acknowledged")
    with opened(tmp_path / "kb") as kb:
        assert everything(kb) == facts
        assert not (tmp_path / "kb" / "snapshot-9").exists()
        assert not (tmp_path / "kb" / "loads" / "1.arrow").exists()
        assert isinstance(kb.saved, Saved)
