"""A folder of updates as a streaming source: offsets and batches, without a Spark."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")
from pyspark.sql.streaming.datasource import ReadAllAvailable
from pyspark.sql.types import StructType

from tidelog.errors import TidelogError, fail
from tidelog.spark.ingest import update_folder
from tidelog.spark.ingest.update_folder import UpdateFolder, entries


def test_batches_follow_names_and_lines_and_see_one_update_ahead(tmp_path: Path) -> None:
    reader = UpdateFolder({"path": str(tmp_path), "updates": "2"}).streamReader(StructType())
    (tmp_path / "2.jsonl").write_text('{"id": "c"}\n', encoding="utf-8")
    (tmp_path / "1.jsonl").write_text('{"id": "a"}\n\n{"id": "b"}\n', encoding="utf-8")
    start = reader.initialOffset()
    middle = reader.latestOffset(start, reader.getDefaultReadLimit())
    (first,) = reader.partitions(start, middle)
    assert [(file, line, ahead) for file, line, _, _, ahead in reader.read(first)] == [
        ("1.jsonl", 1, False),
        ("1.jsonl", 3, False),
        ("2.jsonl", 1, True),
    ]
    end = reader.latestOffset(middle, ReadAllAvailable())
    (second,) = reader.partitions(middle, end)
    assert [(text, ahead) for _, _, text, _, ahead in reader.read(second)] == [('{"id": "c"}', False)]
    assert reader.latestOffset(end, ReadAllAvailable()) == end
    (tmp_path / "0.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(TidelogError, match="TL077"):
        reader.latestOffset(end, ReadAllAvailable())


def test_damaged_text_is_an_entry_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(b"{}\n\xff\n")
    (tmp_path / "2.jsonl.gz").write_bytes(b"no gzip")
    assert [(file, line, problem and problem[:6]) for file, line, _, problem in entries(tmp_path, ("", 0))] == [
        ("1.jsonl", 1, None),
        ("1.jsonl", 2, "TL061:"),
        ("2.jsonl.gz", 1, "TL083:"),
    ]


def test_what_cannot_be_read_for_a_moment_is_not_lost(tmp_path: Path) -> None:
    """A file that fails, is gone or is shorter when a batch is read that was planned with it."""
    reader = UpdateFolder({"path": str(tmp_path), "updates": "10"}).streamReader(StructType())
    (tmp_path / "1.jsonl").write_text("{}\n{}\n", encoding="utf-8")
    (tmp_path / "2.jsonl").write_text("{}\n", encoding="utf-8")
    start = reader.initialOffset()
    end = reader.latestOffset(start, reader.getDefaultReadLimit())
    (planned,) = reader.partitions(start, end)
    assert len(list(reader.read(planned))) == 3
    with patch.object(update_folder, "lines_of", side_effect=fail("TL060", "Input/output error")), pytest.raises(TidelogError):
        list(reader.read(planned))
    (tmp_path / "1.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(TidelogError, match="TL077"):
        list(reader.read(planned))
    (tmp_path / "1.jsonl").unlink()
    with pytest.raises(TidelogError, match="TL077"):
        list(reader.read(planned))
