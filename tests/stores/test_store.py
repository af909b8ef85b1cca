"""Cleaning up, and temporary files of this machine."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tidelog.errors import TidelogError
from tidelog.stores.arrow import ArrowStore
from tidelog.stores.local import LocalStore
from tidelog.stores.store import copied


def test_what_cannot_be_removed_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with caplog.at_level(logging.WARNING, "tidelog.stores"):
        LocalStore(tmp_path / "file").remove("below")
        ArrowStore("nowhere://x/y").remove("a")
    assert [record.message.partition(":")[0] for record in caplog.records] == ["cannot remove file", "cannot remove nowhere"]
    with pytest.raises(TidelogError, match="TL093: cannot reach nowhere://x/y"):
        ArrowStore("nowhere://x/y").read("a")


def test_temporary_files() -> None:
    found = list[str]()

    def fill(path: Path) -> None:
        path.write_text("here", encoding="utf-8")

    with copied(fill, lambda path: found.append(path.read_text(encoding="utf-8"))) as path:
        path.write_text(path.read_text(encoding="utf-8") + "!", encoding="utf-8")
    assert found == ["here!"]
    assert not path.parent.exists()
