"""Stores: small files that are replaced at once, on this machine and elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow import fs

from tidelog.errors import TidelogError
from tidelog.pipeline.batch.stores import LocalStore, RemoteStore, Store, store_at, synchronise


@pytest.fixture(params=["local", "remote"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """The two kinds of stores, over one folder."""
    if request.param == "local":
        return LocalStore(tmp_path / "sink")
    return RemoteStore("mock://sink", (fs.LocalFileSystem(), str(tmp_path / "sink")))


def test_stores_by_their_path(tmp_path: Path) -> None:
    assert isinstance(store_at(str(tmp_path)), LocalStore)
    plain = store_at(f"file://{tmp_path}")
    assert isinstance(plain, LocalStore)
    assert plain.folder == tmp_path
    with pytest.raises(TidelogError, match="TL093: cannot reach nowhere://x/y"):
        store_at("nowhere://x/y")


def test_stores_read_replace_list_and_remove(store: Store) -> None:
    assert store.read("a/b.txt") is None
    assert store.entries("a") == []
    store.replace("a/b.txt", "one")
    store.replace("a/b.txt", "two")
    assert store.read("a/b.txt") == "two"
    assert store.entries("a") == ["b.txt"]
    store.make_durable("a")
    store.remove("a/b.txt")
    store.remove("a/b.txt")
    store.replace("a/c.txt", "three")
    store.remove("a")
    assert store.entries() == []


def test_a_write_that_fails_leaves_the_old_text_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LocalStore(tmp_path)
    store.replace("a.txt", "old")

    def full(path: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device", str(target), None, str(path))

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        store.replace("a.txt", "new")
    assert store.read("a.txt") == "old"
    assert store.entries() == ["a.txt"]


def test_synchronising_what_is_not_there_does_nothing(tmp_path: Path) -> None:
    synchronise(tmp_path / "missing")
    assert list(tmp_path.iterdir()) == []
