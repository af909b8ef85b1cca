"""The manifest: a SQLite database in WAL mode with the snapshot that counts, and the journal of the changes since.

Each row of the journal has a checksum that goes on from that of the row before, so a row that is missing, changed or out of order
is found.  SQLite's own pages have no checksums; `check` has SQLite look through them.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from tidelog.durable.acknowledged import last_acknowledged
from tidelog.errors import TidelogError, fail

NAME = "manifest.sqlite"
FORMAT = 1
"""The version of the saved form; a newer one is refused."""
_APPLICATION = 0x7469646C
_SYNCHRONOUS = {"fsync": "FULL", "batch": "NORMAL", "none": "OFF"}
_TABLES = (
    """CREATE TABLE snapshot (
        number INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, chain INTEGER NOT NULL,
        description BLOB NOT NULL, checksum INTEGER NOT NULL
    )""",
    "CREATE TABLE journal (sequence INTEGER PRIMARY KEY, kind TEXT NOT NULL, body BLOB NOT NULL, checksum INTEGER NOT NULL)",
)
_BATCH_PAGES = 10_000
"""In `batch` a thread writes the WAL back; the writer does so itself only beyond so many pages."""


@dataclass(frozen=True, slots=True)
class SavedSnapshot:
    """The snapshot that counts."""

    number: int
    sequence: int
    """The number of the last change that it contains."""
    chain: int
    """The checksum of that change."""
    description: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """A change in the journal."""

    sequence: int
    kind: str
    """`update` or `load`."""
    body: bytes
    checksum: int

    @classmethod
    def after(cls, sequence: int, chain: int, kind: str, body: bytes) -> Entry:
        """The entry that follows one with that number and checksum."""
        return cls(sequence + 1, kind, body, chained(chain, sequence + 1, kind, body))


def chained(chain: int, sequence: int, kind: str, body: bytes) -> int:
    """The checksum of an entry, which goes on from that of the entry before."""
    return zlib.crc32(body, zlib.crc32(b"%d %s " % (sequence, kind.encode()), chain))


class Manifest:
    """An open manifest."""

    def __init__(self, folder: Path, durability: str = "batch", *, read_only: bool = False) -> None:
        """Open the manifest of a folder, or begin one."""
        self.path, self._durability = folder / NAME, durability
        is_new = not read_only and not self.path.exists()
        self._connection = self._connect(read_only=read_only)
        self.execute = self._connection.execute
        with self.refusing():
            if is_new:
                self.execute("PRAGMA auto_vacuum = INCREMENTAL")
            if not read_only:
                self.execute("PRAGMA journal_mode = WAL")
                self.execute(f"PRAGMA synchronous = {_SYNCHRONOUS[durability]}")
                if durability == "batch":
                    self.execute(f"PRAGMA wal_autocheckpoint = {_BATCH_PAGES}")
            if is_new or (not read_only and self._is_blank()):
                self._begin()
            self._check_version()

    def _connect(self, *, read_only: bool) -> sqlite3.Connection:
        if not read_only:
            with self.refusing():
                return sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        if not self.path.exists():
            raise fail("TL060", f"cannot open {self.path.parent}: there is no saved knowledge base", fix="check the path")
        last: sqlite3.Error | None = None
        wal = self.path.with_name(f"{NAME}-wal")
        for options in ("mode=ro", "mode=ro&immutable=1"):
            if "immutable" in options and wal.exists() and wal.stat().st_size:
                break  # the WAL has changes that an immutable database does not show
            try:
                uri = f"{self.path.absolute().as_uri()}?{options}"
                connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            except sqlite3.Error as error:
                last = error
            else:
                return connection
        raise self._error(last or sqlite3.OperationalError("unable to open database file"))

    def _is_blank(self) -> bool:
        """Whether a process ended before it had written anything."""
        return not self._one("SELECT count(*) FROM sqlite_master") and not self._one("PRAGMA application_id")

    def _begin(self) -> None:
        with self.transaction():
            self.execute(f"PRAGMA application_id = {_APPLICATION}")
            self.execute(f"PRAGMA user_version = {FORMAT}")
            for table in _TABLES:
                self.execute(table)

    def _check_version(self) -> None:
        if self._one("PRAGMA application_id") != _APPLICATION:
            message = f"{self.path} is damaged at byte 68, or is not the manifest of a saved knowledge base"
            raise fail("TL062", message, fix="check the path")
        if (found := self._one("PRAGMA user_version")) != FORMAT:
            problem = f"{self.path} has format {found}, and this version of Tidelog reads format {FORMAT}"
            raise fail("TL062", problem, fix="open it with the version of Tidelog that saved it, or a newer one")

    def _one(self, query: str) -> Any:
        row = self.execute(query).fetchone()
        return None if row is None else row[0]

    # --- errors ----------------------------------------------------------------------------------------------------------

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Turn errors of SQLite into errors that name the file."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._error(error) from error

    def _error(self, error: sqlite3.Error) -> TidelogError:
        if isinstance(error, sqlite3.OperationalError) and not _is_about_the_content(error):
            return fail("TL060", f"cannot use {self.path}: {error}", fix="check the path, the rights and the space")
        return self.damage(f"SQLite says: {error}")

    def damage(self, problem: str) -> TidelogError:
        """The error for a manifest that is not as it was written."""
        fix = "restore the folder from a copy; nothing of it has been read"
        return fail("TL062", f"{self.path} is damaged: {problem}", fix=fix)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Several statements that take effect together."""
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self.execute("ROLLBACK")
            raise

    # --- reading ---------------------------------------------------------------------------------------------------------

    def read(self) -> tuple[SavedSnapshot | None, list[Entry]]:
        """The snapshot that counts and the journal behind it, of one moment; checked."""
        known = last_acknowledged(self.path.parent)
        snapshot, entries = self._read()
        last = entries[-1].sequence if entries else snapshot.sequence if snapshot is not None else 0
        if last < known:
            path = self.path.with_name(f"{NAME}-wal")
            fix = "restore the folder from a copy; nothing of it has been read"
            raise fail("TL062", f"{path} is damaged: changes {last + 1:,} to {known:,} are missing", fix=fix)
        return snapshot, entries

    def _read(self) -> tuple[SavedSnapshot | None, list[Entry]]:
        with self.refusing():
            self.execute("BEGIN")
            try:
                problems = [str(row[0]) for row in self.execute("PRAGMA quick_check")]
                if problems != ["ok"]:
                    raise self.damage(f"{problems[0]}{self._offset(problems[0])}")
                snapshot = self._snapshot()
                return snapshot, list(self._entries(snapshot)) if snapshot is not None else []
            finally:
                self.execute("COMMIT")

    def _offset(self, problem: str) -> str:
        words = problem.replace(":", " ").split()
        pages = [int(after) for word, after in pairwise(words) if word.lower() == "page" and after.isdigit()]
        return f" (from byte {(pages[0] - 1) * int(self._one('PRAGMA page_size')):,} on)" if pages else ""

    def _snapshot(self) -> SavedSnapshot | None:
        rows = self.execute("SELECT number, sequence, chain, description, checksum FROM snapshot").fetchall()
        if not rows:
            if self._one("SELECT count(*) FROM journal"):
                raise self.damage("there is a journal without a snapshot")
            return None
        number, sequence, chain, description, checksum = rows[0]
        if len(rows) > 1 or not isinstance(description, bytes):
            raise self.damage("the row of the snapshot is not one that was written")
        if chained(chain, sequence, str(number), description) != checksum:
            raise self.damage("the checksum of the row of the snapshot is wrong")
        return SavedSnapshot(number, sequence, chain, json.loads(description))

    def _entries(self, snapshot: SavedSnapshot) -> Iterator[Entry]:
        sequence, chain = snapshot.sequence, snapshot.chain
        for row in self.execute("SELECT sequence, kind, body, checksum FROM journal ORDER BY sequence"):
            entry = Entry(*row)
            if not isinstance(entry.kind, str) or not isinstance(entry.body, bytes):
                raise self.damage(f"entry {sequence + 1} of the journal is not one that was written")
            if entry != Entry.after(sequence, chain, entry.kind, entry.body):
                raise self.damage(f"the checksum of entry {sequence + 1} of the journal is wrong, or the entry is missing")
            yield entry
            sequence, chain = entry.sequence, entry.checksum

    # --- writing ---------------------------------------------------------------------------------------------------------

    def add(self, sequence: int, kind: str, body: bytes, checksum: int) -> None:
        """Write an entry of the journal; with `fsync`, it is on disk then."""
        self.execute("INSERT INTO journal VALUES (?, ?, ?, ?)", (sequence, kind, body, checksum))

    def remove_after(self, sequence: int) -> None:
        """Remove the entries behind a number."""
        self.execute("DELETE FROM journal WHERE sequence > ?", (sequence,))

    def switch(self, snapshot: SavedSnapshot) -> None:
        """Let another snapshot count; the journal ends with it.  On disk then, unless the durability is `none`."""
        description = json.dumps(snapshot.description, ensure_ascii=False).encode()
        checksum = chained(snapshot.chain, snapshot.sequence, str(snapshot.number), description)
        with self.refusing():
            if self._durability == "batch":  # before the old files go, the switch has to be on disk
                self.execute("PRAGMA synchronous = FULL")
            with self.transaction():
                self.execute("DELETE FROM snapshot")
                row = snapshot.number, snapshot.sequence, snapshot.chain, description, checksum
                self.execute("INSERT INTO snapshot VALUES (?, ?, ?, ?, ?)", row)
                self.execute("DELETE FROM journal WHERE sequence <= ?", (snapshot.sequence,))
            self.execute("PRAGMA incremental_vacuum").fetchall()
            self.execute(f"PRAGMA synchronous = {_SYNCHRONOUS[self._durability]}")
            self.sync()

    def sync(self) -> None:
        """Write everything back from the WAL, and wait until it is on disk; not with `none`."""
        self.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def close(self) -> None:
        """Close the database; the last one to close it removes the WAL."""
        self._connection.close()


def read_saved(folder: Path) -> tuple[SavedSnapshot, list[Entry]]:
    """The snapshot and the journal of a folder that another process may write to; an error if there is none."""
    manifest = Manifest(folder, read_only=True)
    try:
        snapshot, entries = manifest.read()
    finally:
        manifest.close()
    if snapshot is None:
        raise fail("TL060", f"cannot open {folder}: there is no saved knowledge base", fix="check the path")
    return snapshot, entries


def _is_about_the_content(error: sqlite3.OperationalError) -> bool:
    """Whether an operational error tells of damage, and not of rights, locks or space."""
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
