"""The journal of a saved knowledge base: each change is written before it is acknowledged.

`take` is called when a change arrives, `record` as the last step before its transaction commits, and `retract` if it does not
commit after all.  An update is a line of JSON, as in streams; a bulk load is an Arrow file and an entry that names it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tidelog.durable.acknowledged import Acknowledged
from tidelog.durable.file_operations import FileOperations, WrittenFile
from tidelog.durable.manifest import Entry, Manifest, chained
from tidelog.errors import TidelogError, fail
from tidelog.files.text.json_values import to_json
from tidelog.local.saving import Given
from tidelog.values import from_python

if TYPE_CHECKING:
    import pyarrow as pa

    from tidelog.files.columns import MixedColumn, TypedColumn

Facts = Sequence[tuple[Any, ...]]
LOADS = "loads"
"""The folder of the files of bulk loads."""
SYNC_SECONDS = 0.1
"""With `batch`, what was written is on disk after so many seconds, and what the sync itself takes."""
_PLAIN = frozenset({str, int, float, bool})
"""Types that JSON gives back as they are."""
_encode = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode
_NAMES = ("insert", "delete", "upsert", "remove_rules", "add_rules")


class Journal:
    """Writes the changes of an open knowledge base."""

    def __init__(self, folder: Path, manifest: Manifest, files: FileOperations, durability: str, last: tuple[int, int]) -> None:
        """`last` are the number and the checksum of the last change that is there."""
        self.folder, self.manifest, self._files = folder, manifest, files
        self.sequence, self.chain = last
        self.durability = durability
        self.size = 0
        """The bytes of the changes since the snapshot."""
        self.before_change: Callable[[], None] = lambda: None
        """Called when a change arrives, before anything is done about it."""
        self._given: Given = ((), (), (), (), ())
        self._process = os.getpid()
        self._recorded: tuple[int, int, int] | None = None
        """The number, checksum and size before the entry that was written last, while it can be retracted."""
        self._syncer = _Syncer(folder) if durability == "batch" else None
        self._acknowledged = Acknowledged(folder) if durability == "fsync" else None
        if self._syncer is not None:  # also where nobody closes the knowledge base
            weakref.finalize(self, self._syncer.stop).atexit = False

    def begin(self) -> None:
        """Do ahead what the first change would have to do, so that it is as quick as any."""
        if self._syncer is not None:
            self._syncer.begin()

    @property
    def is_forked(self) -> bool:
        """Whether another process has opened it, and this one was forked from that."""
        return os.getpid() != self._process

    def refuse_if_forked(self) -> None:
        """Raise an error if the folder belongs to another process."""
        if self.is_forked:
            fix = "open it with `read_only=True`, or write from that process alone"
            raise fail("TL065", f"{self.folder} belongs to the process from which this one was forked", fix=fix)

    def take(
        self,
        insert: Iterable[tuple[Any, ...]] = (),
        delete: Iterable[tuple[Any, ...]] = (),
        upsert: Iterable[tuple[Any, ...]] = (),
        remove_rules: str | Iterable[str] = (),
        add_rules: str | Iterable[str] = (),
    ) -> Given:
        """A change arrives; its parts, as lists."""
        self.refuse_if_forked()
        self._recorded = None
        self.before_change()
        self._given = _list(insert), _list(delete), _list(upsert), _texts(remove_rules), _texts(add_rules)
        return self._given

    def record(self) -> None:
        """Write the update that was taken; an error means that it has not been written."""
        self._add("update", encoded(self._given).encode())

    def record_load(
        self,
        relation: str,
        columns: Sequence[TypedColumn | MixedColumn],
        rows: int,
        *,
        upsert: bool,
        names: tuple[str, ...] | None = None,
    ) -> None:
        """Write the rows of a bulk load to a file, and the entry that names it."""
        from tidelog.durable.columns import table_of_load

        named = {"names": names} if names is not None else {}
        self._add_load(table_of_load(columns, rows), {"relation": relation, "upsert": upsert, "rows": rows, **named})

    def record_triples(self, columns: Sequence[pa.Array], how: Mapping[str, object]) -> None:
        """Write the keys of triples to a file, and the entry that names it and says what they become."""
        import pyarrow as pa

        table = pa.table({f"k{at}": column for at, column in enumerate(columns)})
        self._add_load(table, {"relation": "", "upsert": False, "rows": table.num_rows, "rdf": dict(how)})

    def _add_load(self, table: pa.Table, described: dict[str, Any]) -> None:
        from tidelog.durable.columns import write_table

        path = f"{LOADS}/{self.sequence + 1}.arrow"
        try:
            self._files.remove_file(self.folder / path)  # of a load that was not acknowledged
            self._files.make_folder(self.folder / LOADS)
            written = write_table(self._files, self.folder, path, table)
            self._files.sync_folder(self.folder / LOADS)
            self._files.sync_folder(self.folder)
        except OSError as error:
            raise _unwritten(self.folder / path, error.strerror or error) from error
        self._add("load", json.dumps({**described, "file": written.to_json()}).encode(), written.size)

    def _add(self, kind: str, body: bytes, more: int = 0) -> None:
        before, sequence = (self.sequence, self.chain, self.size), self.sequence + 1
        checksum = chained(self.chain, sequence, kind, body)
        self._recorded = before  # an exception may come after the entry is written
        try:
            self.manifest.add(sequence, kind, body, checksum)
        except sqlite3.Error as error:  # SQLite has written all of the entry, or nothing
            self._recorded = None
            raise _unwritten(self.manifest.path, error) from error
        self.sequence, self.chain = sequence, checksum
        self.size += len(body) + more
        if self._syncer is not None:
            if not self._syncer.is_waiting:
                self._syncer.wake()
        elif self._acknowledged is not None:
            self._acknowledged.write(self.sequence)

    def retract(self) -> None:
        """The change was not committed: remove its entry, if it has one.  A second time changes nothing."""
        if self._recorded is not None:
            self.sequence, self.chain, self.size = self._recorded
            if self._acknowledged is not None:
                self._acknowledged.write(self.sequence)
            with self.manifest.refusing():
                self.manifest.remove_after(self.sequence)
            self._recorded = None

    def close(self) -> None:
        """Wait until everything is on disk, as far as the durability promises it."""
        if self._syncer is not None:
            self._syncer.close()
        if self._acknowledged is not None:
            self._acknowledged.close()
        self.manifest.close()


class Refusal:
    """In place of a journal, where nothing may change: a knowledge base that is closed, or open for reading only."""

    def __init__(self, problem: str, fix: str) -> None:
        self._problem, self._fix = problem, fix

    def take(self, *_given: object) -> Given:
        """Refuse a change."""
        raise fail("TL065", self._problem, fix=self._fix)

    def record(self) -> None:
        """Nothing was taken."""

    def record_load(self, *_given: object, upsert: bool, names: tuple[str, ...] | None = None) -> None:
        """Nothing was taken."""

    def record_triples(self, *_given: object) -> None:
        """Nothing was taken."""

    def retract(self) -> None:
        """Nothing was taken."""


class _Syncer:
    """A thread that writes the WAL back and waits for the disk, shortly after something has been written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.is_waiting = False
        """Whether a sync is to come that will include what is written now."""
        self._ends, self._wakes = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self.failed: TidelogError | None = None

    def wake(self) -> None:
        """Something has been written."""
        if self.failed is not None:
            raise self.failed
        self.is_waiting = True
        self.begin()
        self._wakes.set()

    def begin(self) -> None:
        """Start the thread, if it has not been started."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="tidelog-sync", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        try:
            manifest = Manifest(self._folder)
            while True:
                self._wakes.wait()
                self._wakes.clear()
                self._ends.wait(SYNC_SECONDS)
                self.is_waiting = False
                with manifest.refusing():
                    manifest.sync()
                if self._ends.is_set() and not self._wakes.is_set():
                    break
            manifest.close()
        except TidelogError as error:
            self.failed = error  # raised by the next change

    def close(self) -> None:
        """Sync what is left, and end."""
        self.stop()
        if self._thread is not None:
            self._thread.join()

    def stop(self) -> None:
        """Let the thread sync what is left, and end some time soon."""
        self._ends.set()
        self._wakes.set()


def encoded(given: Given) -> str:
    """An update as a line of JSON (`streams.update`)."""
    insert, delete, upsert, *rules = given
    parts = (_plain(insert), _plain(delete), _plain(upsert), *rules)
    return _encode({name: part for name, part in zip(_NAMES, parts, strict=True) if part})


def _plain(facts: Facts) -> Sequence[Any]:
    """Facts with arguments that JSON gives back as the same values."""
    if set(map(type, chain.from_iterable(facts))) <= _PLAIN:
        return facts
    return [[name, *(to_json(from_python(arg).content) for arg in args)] for name, *args in facts]


def _list(facts: Iterable[tuple[Any, ...]]) -> Facts:
    return facts if isinstance(facts, list | tuple) else list(facts)


def _texts(given: str | Iterable[str]) -> Sequence[str]:
    return [given] if isinstance(given, str) else _list(given)  # type: ignore[arg-type, return-value]


def _unwritten(path: Path, problem: object) -> TidelogError:
    fix = "make room, or check the rights of the folder; the knowledge base is as before, and the change can be tried again"
    return fail("TL066", f"the change could not be recorded in {path}: {problem}", fix=fix)


class RecordedLoad(NamedTuple):
    """A bulk load of the journal."""

    relation: str
    upsert: bool
    file: WrittenFile
    rdf: Mapping[str, Any] | None
    """What the triples of a load of RDF become; None for any other load."""
    names: tuple[str, ...] | None = None
    """The names of the columns in the source."""


def load_of(entry: Entry) -> RecordedLoad:
    """What an entry says of a bulk load."""
    described = json.loads(entry.body)
    file = WrittenFile.from_json(described["file"])
    names = tuple(described["names"]) if "names" in described else None
    return RecordedLoad(described["relation"], described["upsert"], file, described.get("rdf"), names)
