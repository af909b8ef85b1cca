"""The manifest: what was written is read, anything else is refused with the name of the file."""

from __future__ import annotations

import random
import shutil
import sqlite3
from dataclasses import astuple
from pathlib import Path

import pytest
from tests.durable.saved_folders import crashed

from tidelog import TidelogError
from tidelog.durable.manifest import FORMAT, NAME, Entry, Manifest, SavedSnapshot

WAL = f"{NAME}-wal"


def begun(folder: Path, durability: str = "none", entries: int = 0) -> tuple[Manifest, list[Entry]]:
    """A manifest with a snapshot and some entries."""
    folder.mkdir(exist_ok=True)
    manifest = Manifest(folder, durability)
    manifest.switch(SavedSnapshot(1, 0, 0, {"text": "é"}))
    added: list[Entry] = []
    for at in range(entries):
        last = added[-1] if added else Entry(0, "", b"", 0)
        added.append(Entry.after(last.sequence, last.checksum, "update", b'{"insert":[["p",%d]]}' % at * 20))
        manifest.add(*astuple(added[-1]))
    return manifest, added


def read(folder: Path) -> list[Entry]:
    manifest = Manifest(folder, "none")
    try:
        snapshot, entries = manifest.read()
        assert snapshot == SavedSnapshot(1, 0, 0, {"text": "é"})
        return entries
    finally:
        manifest.close()


def read_or_refused(folder: Path) -> list[Entry] | str:
    """The entries, or the error."""
    try:
        return read(folder)
    except TidelogError as error:
        return str(error)


@pytest.mark.parametrize("durability", ["fsync", "batch", "none"])
def test_what_is_written_is_read(tmp_path: Path, durability: str) -> None:
    manifest, entries = begun(tmp_path, durability, 50)
    assert manifest.read() == (SavedSnapshot(1, 0, 0, {"text": "é"}), entries)
    manifest.remove_after(40)
    manifest.close()
    assert read(tmp_path) == entries[:40]


def test_a_snapshot_ends_the_journal_before_it(tmp_path: Path) -> None:
    manifest, entries = begun(tmp_path, entries=5)
    manifest.switch(SavedSnapshot(2, 3, entries[2].checksum, {}))
    assert manifest.read() == (SavedSnapshot(2, 3, entries[2].checksum, {}), entries[3:])
    manifest.close()


def test_a_newer_format_and_another_database_are_refused(tmp_path: Path) -> None:
    begun(tmp_path)[0].close()
    with sqlite3.connect(tmp_path / NAME) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    with pytest.raises(TidelogError, match=rf"TL062.*manifest.sqlite has format {FORMAT + 1}, and this version of Tidelog reads"):
        Manifest(tmp_path)
    (tmp_path / NAME).unlink()
    with sqlite3.connect(tmp_path / NAME) as connection:
        connection.execute("CREATE TABLE other (a)")
    with pytest.raises(TidelogError, match=r"TL062.*not the manifest of a saved knowledge base"):
        Manifest(tmp_path)
    (tmp_path / NAME).write_bytes(b"a text that is not a database" * 100)
    with pytest.raises(TidelogError, match=r"TL062.*file is not a database"):
        Manifest(tmp_path)


@pytest.mark.parametrize("change", ["body = x'00'", "kind = 'load'", "checksum = checksum + 1", "sequence = sequence + 100"])
@pytest.mark.parametrize("at", [1, 3, 5])
def test_an_entry_that_was_not_written_so_is_refused(tmp_path: Path, change: str, at: int) -> None:
    begun(tmp_path, entries=5)[0].close()
    with sqlite3.connect(tmp_path / NAME) as connection:
        connection.execute(f"UPDATE journal SET {change} WHERE sequence = {at}")
    with pytest.raises(
        TidelogError, match=rf"TL062.*the checksum of entry {at} of the journal is wrong, or the entry is missing"
    ):
        read(tmp_path)


def test_a_missing_entry_is_refused(tmp_path: Path) -> None:
    begun(tmp_path, entries=5)[0].close()
    with sqlite3.connect(tmp_path / NAME) as connection:
        connection.execute("DELETE FROM journal WHERE sequence = 2")
    with pytest.raises(TidelogError, match=r"TL062.*entry 2 of the journal"):
        read(tmp_path)


def test_every_truncation_of_the_wal_leaves_a_prefix(tmp_path: Path) -> None:
    """SQLite recovers up to the last whole transaction; what was written behind is as if it had never been."""
    manifest, entries = begun(tmp_path / "kb", entries=40)
    copy = crashed(tmp_path / "kb", tmp_path / "copy")
    manifest.close()
    whole = (copy / WAL).read_bytes()
    found: set[int] = set()
    for size in (*range(0, len(whole), 997), len(whole)):
        broken = crashed(copy, tmp_path / "broken")
        (broken / WAL).write_bytes(whole[:size])
        left = read_or_refused(broken)
        if isinstance(left, str):
            assert size < 8 * 4096  # the database itself was still in the WAL
            assert "TL062" in left
        else:
            assert left == entries[: len(left)]
            found.add(len(left))
    assert 40 in found
    assert len(found) > 10


@pytest.mark.parametrize("name", [NAME, WAL])
def test_every_flipped_bit_leaves_a_prefix_or_is_refused_with_the_file(tmp_path: Path, name: str) -> None:
    manifest, entries = begun(tmp_path / "kb", entries=40)
    if name == NAME:
        manifest.close()
    copy = crashed(tmp_path / "kb", tmp_path / "copy")
    manifest.close()
    whole = (copy / name).read_bytes()
    chance, refused = random.Random(20), 0
    for _ in range(150):
        broken = crashed(copy, tmp_path / "broken")
        at, damaged = chance.randrange(len(whole)), bytearray(whole)
        damaged[at] ^= 1 << chance.randrange(8)
        (broken / name).write_bytes(damaged)
        left = read_or_refused(broken)
        if isinstance(left, str):
            assert "TL06" in left
            assert NAME in left
            refused += 1
        else:
            assert left == (entries if name == NAME else entries[: len(left)])
    assert refused or name == WAL


def test_a_full_disk_refuses_an_entry_and_keeps_the_others(tmp_path: Path) -> None:
    manifest, entries = begun(tmp_path, entries=3)
    pages = manifest.execute("PRAGMA page_count").fetchone()[0]
    manifest.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(sqlite3.Error, match="full"):
        manifest.add(4, "update", bytes(100_000), 0)
    assert manifest.read()[1] == entries
    manifest.close()
    shutil.rmtree(tmp_path)
