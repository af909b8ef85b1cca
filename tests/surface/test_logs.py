"""What is written to Python's logging."""

from __future__ import annotations

import logging
import subprocess
import sys
import warnings

import pyarrow as pa
import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.changes import ChangeStatistics
from tidelog.surface.logs import log_update


def test_loads_and_rules_are_info_and_updates_debug(caplog: pytest.LogCaptureFixture) -> None:
    kb = KnowledgeBase("q(X) :- p(X).")
    with caplog.at_level(logging.DEBUG, "tidelog"):
        kb.load("p", pa.table({"x": [1, 2, 2]}))
        kb.update(insert=[("p", 3), ("p", 1)])
        kb.add_rules("r(X) :- q(X).")
    told = [(record.name, record.levelname, record.getMessage()) for record in caplog.records]
    assert [entry[:2] for entry in told] == [
        ("tidelog.load", "INFO"),
        ("tidelog.update", "DEBUG"),
        ("tidelog.rules", "INFO"),
        ("tidelog.update", "DEBUG"),
    ]
    assert told[0][2].startswith("p: 3 rows from an Arrow table")
    assert told[0][2].endswith("; 2 new facts")
    assert told[1][2].startswith("1 inserted, 0 deleted, 1 without effect, in ")
    assert told[2][2].startswith("1 rule added, 0 removed, in ")


def test_an_update_that_fails_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    kb = KnowledgeBase("q(X) :- p(X).")
    with caplog.at_level(logging.DEBUG, "tidelog"), pytest.raises(TidelogError):
        kb.update(insert=[("p", 1, 2)])
    assert caplog.records == []


def test_nothing_is_written_that_nobody_asks_for(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "tidelog"):
        log_update(ChangeStatistics("bf"), None)
    assert caplog.records == []


def test_without_a_configuration_only_failures_are_seen() -> None:
    code = """
from tidelog import KnowledgeBase
kb = KnowledgeBase("q(X) :- p(X).")
kb.update(insert=[("p", 0)])
kb.subscribe("q", lambda change: 1 / 0)
kb.update(insert=[("p", 1)])
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said = [line for line in ran.stderr.splitlines() if "compiling" not in line]
    assert said[0].startswith("a function that subscribed to `q` failed")
    assert said[-1] == "ZeroDivisionError: division by zero"


def test_what_is_probably_wrong_with_a_rule_is_a_warning() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        KnowledgeBase("order(1, ann). r(C) :- order(N, C). s(X) :- order(X, _), X < X. t(X) :- later(X).")
        KnowledgeBase("r(X) :- order(X, _).")
    assert [str(warning.message).split()[1:3] for warning in caught] == [["warning", "TL102:"], ["warning", "TL103:"]]
