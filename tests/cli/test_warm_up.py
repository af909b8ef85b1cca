"""`tidelog warm-up`."""

from __future__ import annotations

import pytest
from tests.cli.commands import run

from tidelog.local.kernel.tiers import folder, warm_up

ONE = "tidelog.local.kernel.terms:intern_one(int64[1C],int64,int64)"


@pytest.mark.skipif(folder.CACHE_FOLDER is None, reason="no folder for compiled code can be written")
def test_the_kernel_is_compiled_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "common", lambda: [ONE])
    assert run("warm-up")[0] == 0
    assert run("warm-up") == (0, f"the kernel is compiled: {folder.CACHE_FOLDER}\n", "")


def test_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "CACHE_FOLDER", None)
    assert run("warm-up") == (1, "", "no folder for compiled code can be written: set TIDELOG_CACHE_DIR\n")
