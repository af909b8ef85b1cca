"""Files of rows: written bit by bit, and not there without a row."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tidelog import IRI, KnowledgeBase
from tidelog.pipeline.streaming import change_feed as feed
from tidelog.pipeline.streaming.change_feed import RowFile, rows_of
from tidelog.stores.local import LocalStore


@pytest.mark.parametrize("form", ["json", "parquet"])
def test_rows_are_written_bit_by_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.setattr(feed, "_AT_ONCE", 3)
    kb = KnowledgeBase("q(X, Y) :- p(X), Y = X + 1. s(X) :- r(X).")
    changes = [kb.update(insert=[("p", 1), ("p", 2), ("r", IRI("http://e/x"))]), kb.update(delete=[("p", 1)])]
    path = tmp_path / "new" / "feed"
    written = RowFile(LocalStore(path.parent), path.name, form)
    assert not path.parent.exists()
    for batch, change in enumerate(changes):
        written.write(rows_of(batch, f"u{batch}", change))
    assert path.exists(), "before the end"
    written.close()
    if form == "json":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    else:
        rows = [{**row, "fact": json.loads(row["fact"])} for row in pq.read_table(path).to_pylist()]
    found = {(row["batch"], row["update"], row["relation"], str(row["fact"]), row["change"], row["kind"]) for row in rows}
    assert len(rows) == len(found) == 8
    assert {row for row in found if row[0] == 1} == {
        (1, "u1", "p", "[1]", "-", "explicit"),
        (1, "u1", "q", "[1, 2]", "-", "derived"),
    }
    assert (0, "u0", "s", "[{'iri': 'http://e/x'}]", "+", "derived") in found


def test_without_a_row_there_is_no_file(tmp_path: Path) -> None:
    for store in (LocalStore(tmp_path), None):
        written = RowFile(store, "nothing", "json")
        written.write([] if store else [{"row": 1}])
        written.close()
        assert not written.has_rows
    assert list(tmp_path.iterdir()) == []
