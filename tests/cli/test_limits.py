"""Limits as options of commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.commands import GOOD, run

from tidelog.cli.limits import LONGEST, MOST_FACTS, Limits
from tidelog.errors import TidelogError
from tidelog.options import machine_memory, size_of
from tidelog.text_limits import LONGEST_TEXT


def test_the_defaults() -> None:
    options = Limits(MOST_FACTS, None, None, "auto", LONGEST, None).options()
    assert options["limit_memory"] == machine_memory()
    assert options["limit_text"] == LONGEST_TEXT == size_of(LONGEST)


def test_sizes_have_units() -> None:
    limits = Limits(1, 2.0, 3, "2 GB", "1kib", Path("data"))
    assert limits.options() == {
        "limit_facts": 1,
        "limit_seconds": 2.0,
        "limit_rounds": 3,
        "limit_memory": 2_000_000_000,
        "limit_text": 1024,
        "input_root": Path("data"),
    }


def test_a_size_that_is_none() -> None:
    with pytest.raises(TidelogError, match="there is no --limit-memory 'much'"):
        Limits(1, None, None, "much", LONGEST, None).options()
    assert run("run", "-", "--limit-text", "x", text=GOOD)[0] == 1
