"""Options and fixtures that every test shares."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("TIDELOG_CHECKED", "1")  # before anything imports the kernel: tests run in the checked build
# Tests on Spark are many short jobs, for which its optimising compiler takes more time than it saves: half of all.
os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")

settings.register_profile("tidelog", deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
settings.register_profile("nightly", deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
settings.load_profile("tidelog")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-nightly", action="store_true", help="run the long random tests too")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background; the processes that tests start would not hear it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--run-nightly"):
        settings.load_profile("nightly")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests on Spark come first: they share two processes, and the others fill up what these leave."""
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)
    if config.getoption("--run-nightly"):
        return
    for item in items:
        if "nightly" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="a long random run: `make nightly`"))


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
