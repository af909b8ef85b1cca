"""A saved knowledge base that is open for writing: its folder, lock, manifest and journal; saving, compaction, closing.

    folder/manifest.sqlite         the snapshot that counts, and the journal of the changes since
    folder/snapshot-7/*.arrow      the files of the snapshot
    folder/loads/12.arrow          the rows of the bulk load that is change 12
    folder/lock                    held while a process writes

A new snapshot is written to a folder of its own, and is on disk before the manifest names it; then the old one is removed.
"""

from __future__ import annotations

import warnings
from pathlib import Path

from tidelog.durable.acknowledged import NAME as ACKNOWLEDGED
from tidelog.durable.file_operations import FileOperations
from tidelog.durable.folder_lock import FolderLock
from tidelog.durable.journal import LOADS, Journal, Refusal
from tidelog.durable.manifest import NAME, Manifest, SavedSnapshot
from tidelog.durable.rule_text import text_of
from tidelog.durable.snapshot import files_of, write_snapshot
from tidelog.errors import TidelogError, fail
from tidelog.local.kb import LocalKnowledgeBase

LEAST_JOURNAL = 4 << 20
"""A journal of fewer bytes is not compacted."""
DURABILITY = ("fsync", "batch", "none")


class Saved:
    """The folder of an open knowledge base."""

    def __init__(self, folder: Path, durability: str, files: FileOperations | None = None) -> None:
        """Lock the folder, which is made if need be, and open its manifest."""
        if durability not in DURABILITY:
            choices = ", ".join(map(repr, DURABILITY))
            raise fail("TL074", f"there is no durability={durability!r}", fix=f"choose one of {choices}")
        self.folder, self.durability = folder, durability
        self.files = files or FileOperations(syncs=durability != "none")
        try:
            self.files.make_folder(folder)
        except OSError as error:
            fix = "check the path, the rights and the space"
            raise fail("TL060", f"cannot make the folder {folder}: {error.strerror or error}", fix=fix) from error
        _refuse_other_files(folder)
        self._lock = FolderLock(folder)
        try:
            self.manifest = Manifest(folder, durability)
            self.files.sync_folder(folder)
        except BaseException:
            self._lock.release()
            raise
        self.journal: Journal | None = None
        self._number = self._snapshot_size = 0
        self._try_again_at = 0
        self.created_with = ""
        """The text of the rules that the knowledge base was created with."""

    def attach(self, kb: LocalKnowledgeBase, snapshot: SavedSnapshot, last: tuple[int, int], size: int) -> None:
        """Write every change of a knowledge base from now on; `last` are number and checksum of the last change."""
        self._number, self.created_with = snapshot.number, snapshot.description["created_with"]
        self._snapshot_size = sum(file.size for file in files_of(snapshot.description))
        if self.durability != "fsync":
            self.files.remove_file(self.folder / ACKNOWLEDGED)
            self.files.sync_folder(self.folder)
        self.journal = Journal(self.folder, self.manifest, self.files, self.durability, last)
        self.journal.size = size
        self.journal.before_change = lambda: self._compact_if_due(kb)
        kb.record_in(self.journal, self)
        self.remove_leftovers({f"snapshot-{self._number}"})
        self.journal.begin()

    def refuse_if_used(self) -> None:
        """Raise an error if there is a saved knowledge base."""
        if self.manifest.read()[0] is not None:
            fix = "choose an empty folder, or open this one: `KnowledgeBase.open(…)`"
            raise fail("TL063", f"there is a saved knowledge base in {self.folder} already", fix=fix)

    def save(self, kb: LocalKnowledgeBase) -> SavedSnapshot:
        """Write a new snapshot of everything, and let it count."""
        engine = kb.engine
        if engine.changes and engine.has_derived:
            kb.derive()
        journal, number = self.journal, self._number + 1
        sequence, chain = (journal.sequence, journal.chain) if journal is not None else (0, 0)
        path = f"snapshot-{number}"
        rules = text_of(kb.schema)
        self.created_with = self.created_with or rules.text
        try:
            self.files.remove_folder(self.folder / path)
            description = write_snapshot(self.files, self.folder, path, engine, rules)
        except OSError as error:
            fix = "make room, or check the rights of the folder; what was saved before is as it was"
            raise fail("TL060", f"cannot write {self.folder / path}: {error.strerror or error}", fix=fix) from error
        snapshot = SavedSnapshot(
            number, sequence, chain, {**description, "options": kb.options, "created_with": self.created_with}
        )
        self.manifest.switch(snapshot)
        self._number, self._snapshot_size = number, sum(file.size for file in files_of(description))
        if journal is not None:
            journal.size = 0
        self.remove_leftovers({path})
        return snapshot

    def _compact_if_due(self, kb: LocalKnowledgeBase) -> None:
        """Write a new snapshot when the journal has grown larger than the last one; a failure is tried again later."""
        journal = self.journal
        if journal is None or journal.size <= max(LEAST_JOURNAL, self._snapshot_size, self._try_again_at):
            return
        if kb.engine.changes and kb.engine.has_derived:
            return  # loaded facts wait to be derived; the next read or update does that
        try:
            self.save(kb)
            self._try_again_at = 0
        except TidelogError as error:
            self._try_again_at = 2 * journal.size
            warnings.warn(f"the journal could not be compacted, and goes on growing: {error}", RuntimeWarning, stacklevel=4)

    def remove_leftovers(self, kept: set[str]) -> int:
        """Remove snapshots that do not count, and files of loads that are no longer in the journal; how many there were."""
        if self.journal is None:
            return 0
        first = self.journal.sequence + 1 if not self.journal.size else 0
        count = 0
        for path in self.folder.glob("snapshot-*"):
            if path.name not in kept:
                self.files.remove_folder(path)
                count += 1
        for path in (self.folder / LOADS).glob("*.arrow"):
            number = int(path.stem) if path.stem.isdigit() else 0
            if number < first or number > self.journal.sequence:
                self.files.remove_file(path)
                count += 1
        return count

    def is_at(self, folder: Path) -> bool:
        """Whether this is that folder."""
        return folder.exists() and self.folder.exists() and folder.samefile(self.folder)

    def close(self) -> None:
        """Let everything be on disk, as far as the durability promises, and free the lock."""
        try:
            if self.journal is not None and self.journal.is_forked:
                pass  # all of it belongs to the other process; SQLite's connections do not survive a fork
            elif self.journal is not None:
                self.journal.close()
            else:
                self.manifest.close()
        finally:
            self._lock.release()


def save(kb: LocalKnowledgeBase, folder: Path, durability: str | None, files: FileOperations | None = None) -> None:
    """Save a knowledge base to a new folder, and keep it up to date there; to the one that it has: compact."""
    saved: Saved | None = kb.saved
    if saved is not None and saved.is_at(folder):
        if durability not in (None, saved.durability):
            fix = f"leave durability out, or close it and open it with durability={durability!r}"
            raise fail("TL065", f"{folder} is open with durability={saved.durability!r}", fix=fix)
        if saved.journal is not None:
            saved.journal.refuse_if_forked()
        saved.save(kb)
        return
    kb.refuse_if_closed()
    new = Saved(folder, durability or "batch", files)
    try:
        new.refuse_if_used()
        kb.derive()
        snapshot = new.save(kb)
    except BaseException:
        new.close()
        raise
    if saved is not None:  # a copy: later changes still go to the folder before
        new.close()
        return
    new.attach(kb, snapshot, (snapshot.sequence, snapshot.chain), 0)


def close(kb: LocalKnowledgeBase) -> None:
    """End; changes are refused from now on."""
    saved: Saved | None = kb.saved
    if saved is not None:
        saved.close()
    kb.record_in(Refusal("the knowledge base is closed", "open it again: `KnowledgeBase.open(…)`"), None)


def _refuse_other_files(folder: Path) -> None:
    """A folder with other things in it is hardly meant."""
    names = {path.name for path in folder.iterdir()}
    if names and NAME not in names and not names <= {"lock"}:
        fix = "choose an empty folder, or one that does not exist"
        raise fail("TL060", f"{folder} has other files in it, and no saved knowledge base", fix=fix)
