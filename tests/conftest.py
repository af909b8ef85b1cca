"""Options and fixtures that every test shares."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from tests.nightly import SHARE, scale

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Tests start a hundred processes, some of them on Spark's workers: none of them should compile all of the package anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault("TIDELOG_CHECKED", "1")  # before anything imports the kernel: tests run in the checked build
os.environ.setdefault("TIDELOG_COMPILE", "always")  # but where a test says otherwise
# Tests on Spark are many short jobs, for which its optimising compiler takes more time than it saves: half of all.
os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")

settings.register_profile("tidelog", deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
settings.register_profile("nightly", deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
settings.load_profile("tidelog")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-nightly", action="store_true", help="run the long random tests too")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "by_night(examples): a test of every day that `make nightly` gives more examples")
    config.addinivalue_line("markers", "spark: runs on Spark; `make nightly-spark` runs the nightly ones")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background; the processes that tests start would not hear it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--run-nightly"):
        settings.load_profile("nightly")


def pytest_report_header(config: pytest.Config) -> str | None:
    return f"nightly: a share of {SHARE:g} (TIDELOG_NIGHTLY)" if config.getoption("--run-nightly") else None


@pytest.hookimpl(trylast=True)  # tests/spark/conftest.py and the places of the differential suite mark what runs on Spark
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what runs on Spark, put the longest first, and take the nightly tests as they are asked for."""
    for item in items:
        if item.get_closest_marker("spark") is not None:
            mark_for_spark(item)
    items.sort(key=_rank)
    if config.getoption("--run-nightly"):
        if left_out := set(scale(items)):
            config.hook.pytest_deselected(items=[item for item in items if item in left_out])
            items[:] = [item for item in items if item not in left_out]
        return
    for item in items:
        if "nightly" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="a long random run: `make nightly`"))


# --- Spark ---------------------------------------------------------------------------------------------------------------

_LONG = {"test_streaming.py", "test_long_runs.py", "test_long_streams.py"}
"""Nearly as long as all others on Spark together: they have a process, and a Spark, of their own."""

_OWN_PROCESS = {"test_kb_connect.py", "test_reading_connect.py", "test_streaming.py"}
"""Files in which tests without the session of this process start a Spark in a process of their own."""


def mark_for_spark(item: pytest.Item) -> None:
    """Tests that share the session of a process are one group for xdist; PySpark's own warnings are ignored.

    It warns of pandas 3, which we do not use through it, and leaves its sockets to the garbage collector.  Tests that start a
    Spark in a process of their own are in no group.
    """
    has_own_process = item.path.name in _OWN_PROCESS and "spark" not in getattr(item, "fixturenames", ())
    if not has_own_process:
        item.add_marker(pytest.mark.xdist_group("spark, long" if item.path.name in _LONG else "spark"))
    item.add_marker(pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"))
    item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
    item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))


def _rank(item: pytest.Item) -> int:
    """First the groups that share a Spark, then what starts processes of its own, which takes long, then all others.

    The workers of xdist take tests in this order: short ones are left to fill up what the long ones leave.
    """
    if item.get_closest_marker("xdist_group") is not None:
        return 0
    return 1 if item.get_closest_marker("spark") is not None or item.path.name in _PROCESSES else 2


_PROCESSES = {"test_interruption.py", "test_stream.py", "test_stream_state.py", "test_build.py"}


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A private session of a Spark with two cores, one for all tests of a process, started when the first one asks for it."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    from tidelog.errors import TidelogError
    from tidelog.spark.session.java import find_java
    from tidelog.spark.session.private_session import session

    try:
        find_java(os.environ)
    except TidelogError as error:
        pytest.skip(str(error))
    started = session(memory="2g", cores=2, app_name="tidelog-tests")
    yield started
    started.stop()


# --- others --------------------------------------------------------------------------------------------------------------


def corpus_folder() -> Path | None:
    """Test material from outside the project, if it is there."""
    named = os.environ.get("TIDELOG_CORPUS")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "corpus"
    return folder if folder.is_dir() else None


@pytest.fixture
def python_takes_the_signal() -> Iterator[None]:
    """Ctrl-C is Python's, as usual; a job in the background ignores it, and a Spark that was started has a handler of its own."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
