"""One Spark for all tests of a process, started when the first of them asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tidelog.errors import TidelogError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_HERE = Path(__file__).parent
_LONG = {"test_streaming.py", "test_long_runs.py"}
"""About as long as all others together: they have a process, and a Spark, of their own."""
_CONNECTED = {"test_kb_connect.py", "test_reading_connect.py"}
"""Each test starts a Spark for itself."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """PySpark warns of pandas 3, which we do not use through it, and leaves its sockets to the garbage collector."""
    for item in items:
        if _HERE in item.path.parents:
            name = item.path.name
            group = "spark, long" if name in _LONG else f"spark, {name}" if name in _CONNECTED else "spark"
            item.add_marker(pytest.mark.xdist_group(group))
            item.add_marker(pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"))
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A private session of a Spark with two cores."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    from tidelog.spark.session.java import find_java
    from tidelog.spark.session.private_session import session

    try:
        import os

        find_java(os.environ)
    except TidelogError as error:
        pytest.skip(str(error))
    started = session(memory="2g", cores=2, app_name="tidelog-tests")
    yield started
    started.stop()
