"""A folder of this machine: what a write that fails leaves behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.stores.behaviour import check_store

from tidelog.stores.local import LocalStore, synchronise


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
    LocalStore(tmp_path).make_durable("missing")
    assert list(tmp_path.iterdir()) == []


def test_a_local_folder(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "store")
    check_store(store)
    assert store.can_exclude
