"""The interface of saving; `tests/durable` tests what it does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog import TidelogError
from tidelog.lasting import Lasting


def test_an_engine_that_cannot_be_saved_says_so(tmp_path: Path) -> None:
    with Lasting() as thing, pytest.raises(TidelogError, match=r"TL074.*engine=.spark. cannot be saved"):
        thing.save(tmp_path)
    assert thing.recovery is None
