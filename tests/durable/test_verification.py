"""`verify`: what is right, and what is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.durable.saved_folders import RULES, opened

from tidelog import TidelogError
from tidelog.durable.verification import verify


@pytest.mark.parametrize("recompute", [True, False])
def test_a_folder_that_is_right(tmp_path: Path, recompute: bool) -> None:
    with opened(tmp_path / "kb", RULES) as kb:
        kb.update(insert=[("edge", "c", "d"), ("other", 1, 2.5)], upsert=[("stock", "q", 1)])
        kb.load("edge", pa.table({"a": ["d"], "b": ["e"]}))
        kb.add_rules("far(X) :- path(X, e).")
        found = verify(tmp_path / "kb", recompute=recompute)  # beside the writer
        assert found.facts == sum(kb.count(name) for name in kb.relations)
    assert (found.entries, found.recomputed) == (3, found.facts if recompute else None)
    assert str(found).endswith("derived from scratch" if recompute else " facts")


def test_facts_that_do_not_follow_are_found(tmp_path: Path) -> None:
    with opened(tmp_path / "kb", RULES) as kb:
        table = kb.engine.state.tables["degree"]
        table.insert(np.array([[0, 0]], np.int32))
        kb.save(tmp_path / "kb")
    verify(tmp_path / "kb")
    with pytest.raises(TidelogError, match=r"TL062.*`degree` has 3 facts, and 2 follow from the explicit facts"):
        verify(tmp_path / "kb", recompute=True)


def test_damage_is_found(tmp_path: Path) -> None:
    opened(tmp_path / "kb", RULES).close()
    path = next((tmp_path / "kb").rglob("table-0.arrow"))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(TidelogError, match=r"TL062.*table-0.arrow is damaged at byte"):
        verify(tmp_path / "kb")


def test_nothing_to_verify(tmp_path: Path) -> None:
    with pytest.raises(TidelogError, match=r"TL060.*there is no saved knowledge base"):
        verify(tmp_path)
