"""For `tests/test_errors.py`: what provokes the errors of Spark's side, without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog.errors import TidelogError
from tidelog.spark.data.spark_dictionary import MOST_TERMS, check_terms
from tidelog.spark.ingest.sources import read_errors_explained
from tidelog.spark.session.java import find_java
from tidelog.spark.session.lineage import lost_blocks_explained


def no_java(folder: Path) -> str:
    (folder / "bin").mkdir()
    (folder / "bin" / "java").write_text("", encoding="utf-8")
    (folder / "release").write_text('JAVA_VERSION="1.8.0_402"\n', encoding="utf-8")
    with pytest.raises(TidelogError) as caught:
        find_java({"JAVA_HOME": str(folder), "PATH": ""}, "4.3.0", bundled=lambda: None)
    return str(caught.value).replace(str(folder), "/opt/java8")


def lost_rows(folder: Path) -> str:
    with pytest.raises(TidelogError) as caught, lost_blocks_explained():
        raise RuntimeError("[CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND] Checkpoint block rdd_1_0 not found!")
    return str(caught.value)


def unknown_table(folder: Path) -> str:
    exception = type("AnalysisException", (Exception,), {"__module__": "pyspark.errors.exceptions.captured"})
    with pytest.raises(TidelogError) as caught, read_errors_explained("sales.edges"):
        raise exception("[TABLE_OR_VIEW_NOT_FOUND] The table or view `sales`.`edges` cannot be found.")
    return str(caught.value)


def too_many_values(folder: Path) -> str:
    with pytest.raises(TidelogError) as caught:
        check_terms(MOST_TERMS + 1)
    return str(caught.value)


DIRECT = {"TL089": [too_many_values], "TL085": [no_java], "TL086": [lost_rows], "TL087": [unknown_table]}
