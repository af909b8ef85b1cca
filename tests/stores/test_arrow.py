"""A file system of pyarrow."""

from __future__ import annotations

from pathlib import Path

from pyarrow import fs
from tests.stores.behaviour import check_store

from tidelog.stores.arrow import ArrowStore


def test_a_file_system_of_pyarrow(tmp_path: Path) -> None:
    store = ArrowStore("mock://sink", (fs.LocalFileSystem(), str(tmp_path / "sink")))
    assert (store.address("a"), store.can_exclude) == ("mock://sink/a", False)
    check_store(store)
