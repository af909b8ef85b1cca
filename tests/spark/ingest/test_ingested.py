"""What ingesting gives; the step to it runs on Spark in tests/spark/ingest/test_reading.py."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tidelog.spark.ingest.ingested import Ingested


def test_columns_of_keys_are_counted() -> None:
    frame: Any = SimpleNamespace(columns=["k0", "k1", "reject"])
    assert Ingested("edge", frame, "", 3, 0).width == 2


def test_facts_in_blocks_are_kept_so() -> None:
    frame: Any = SimpleNamespace(columns=["k0"])
    blocks: Any = object()
    assert Ingested("edge", frame, "", 3, 0).kept is frame
    assert Ingested("edge", frame, "", 3, 0, blocks=blocks).kept is blocks
