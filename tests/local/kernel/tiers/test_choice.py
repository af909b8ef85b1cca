"""When plain Python runs an entry point, and when it is exchanged for compiled code."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import pytest

from tidelog.core.arrays import Int64s
from tidelog.local.kernel import arithmetic, build, join, layout, terms
from tidelog.local.kernel.tiers import choice, folder, plain, requests
from tidelog.local.kernel.tiers.forms import Entry
from tidelog.local.kernel.tiers.signatures import signature_of


class _Asked:
    """What is asked of another process."""

    def __init__(self) -> None:
        self.names: list[str] = []


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Asked]:
    """A process that has just begun, with nothing compiled; it asks nobody."""
    found = _Asked()
    monkeypatch.setattr(requests, "ask", found.names.append)
    monkeypatch.setattr(requests, "ask_for_all", lambda: found.names.append("all"))
    monkeypatch.setattr(folder, "CACHE_FOLDER", None)
    monkeypatch.setattr(choice._choice, "spent", 0.0)
    monkeypatch.setattr(choice._choice, "has_large_data", False)
    monkeypatch.setattr(choice._choice, "is_announced", True)
    with choice.forced("auto"):
        yield found


def _counter(decorator: Callable[[Any], Any] = build.kernel) -> Any:
    """An entry that nobody has called."""

    @decorator
    def count(M: Int64s, numbers: Int64s) -> int:
        return len(M) + len(numbers)

    return count


SMALL = np.zeros((2, layout.TABLE_WIDTH), np.int64)


def test_little_work_is_done_in_plain_python(asked: _Asked) -> None:
    count = _counter()
    assert count(SMALL, np.zeros(3, np.int64)) == 5
    assert not count.is_compiled
    assert count.spent > 0
    assert asked.names == []


def test_large_data_is_compiled_at_once(asked: _Asked) -> None:
    count = _counter()
    assert count(SMALL, np.zeros(1 << 15, np.int64)) == 2 + (1 << 15)
    assert count.is_compiled
    assert asked.names == ["all"]


def test_a_large_table_is_much_to_do_for_what_visits_all_of_it(asked: _Asked) -> None:
    count, walk, tables = _counter(), _counter(build.table_walk), SMALL.copy()
    tables[1, layout.COUNT] = 1 << 13
    assert count(tables, np.zeros(1, np.int64)) == walk(tables, np.zeros(1, np.int64)) == 3
    assert (count.is_compiled, walk.is_compiled) == (False, True)


def test_many_terms_are_much_to_do_for_what_visits_all_of_them(asked: _Asked) -> None:
    @build.table_walk
    def visit(T: Int64s) -> int:
        return len(T)

    header = np.zeros(terms.WIDTH, np.int64)
    visit(header)
    assert not cast("Entry", visit).is_compiled
    header[terms.COUNT] = 1 << 13
    visit(header)
    assert cast("Entry", visit).is_compiled


def test_rules_over_large_tables_are_compiled_earlier(asked: _Asked) -> None:
    tables = SMALL.copy()
    tables[1, layout.COUNT] = 1 << 13
    for given, is_compiled in ((SMALL, False), (tables, True)):
        run = _counter(build.plan_runner)
        run.spent = 0.4
        run(given, np.zeros(1, np.int64))
        assert run.is_compiled is is_compiled


def test_what_takes_long_is_asked_for_and_compiled_in_the_end(asked: _Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    count, args = _counter(), (SMALL, np.zeros(3, np.int64))
    monkeypatch.setattr(choice._choice, "spent", 0.11)
    count(*args)
    assert asked.names == [choice.name_of(count, signature_of(args))]
    assert not count.is_compiled
    count.spent = 1.01
    assert count(*args) == 5
    assert count.is_compiled


def test_what_is_kept_is_used_after_a_tenth_of_a_second(asked: _Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    count, args = _counter(), (SMALL, np.zeros(3, np.int64))
    monkeypatch.setattr(folder, "is_kept", lambda _: True)
    count(*args)
    assert not count.is_compiled
    monkeypatch.setattr(choice._choice, "spent", 0.11)
    assert count(*args) == 5
    assert count.is_compiled
    assert asked.names == []


def test_what_is_kept_is_used_at_once_where_data_is_large(asked: _Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    count, other = _counter(), _counter()
    count(SMALL, np.zeros(1 << 15, np.int64))
    other(SMALL, np.zeros(3, np.int64))
    assert not other.is_compiled
    monkeypatch.setattr(folder, "is_kept", lambda _: True)
    other(SMALL, np.zeros(3, np.int64))
    assert other.is_compiled


def test_what_keeps_out_other_threads_is_plain_only_without_any(asked: _Asked) -> None:
    alone, together = _counter(build.exclusive), _counter(build.exclusive)
    others = plain.threads() - 1
    if not others:
        alone(SMALL, np.zeros(1, np.int64))
        assert not alone.is_compiled
    leave = threading.Event()
    other = threading.Thread(target=leave.wait)
    other.start()
    together(SMALL, np.zeros(1, np.int64))
    leave.set()
    other.join()
    assert together.is_compiled


@pytest.mark.parametrize(("mode", "is_compiled"), [("always", True), ("never", False)])
def test_a_mode_that_the_environment_names(asked: _Asked, mode: str, is_compiled: bool) -> None:
    count = _counter()
    with choice.forced(mode):
        assert count(SMALL, np.zeros(1 << 15 if mode == "never" else 1, np.int64)) > 0
    assert count.is_compiled is is_compiled
    assert asked.names == []


def test_everything_that_runs_can_be_recorded(asked: _Asked) -> None:
    count, args = _counter(), (SMALL, np.zeros(3, np.int64))
    with choice.forced("always"):
        count(*args)
    with choice.recorded() as names:
        count(*args)
        count(*args)
    assert [name for name in names if "(" in name] == [choice.name_of(count, signature_of(args))]
    assert count(*args) == 5


def test_compiling_is_announced_once(capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, asked: _Asked) -> None:
    choice._choice.is_announced = False
    with caplog.at_level(logging.INFO, "tidelog"):
        for _ in range(2):
            _counter()(SMALL, np.zeros(1 << 15, np.int64))
    assert capsys.readouterr().err.count("compiling the kernel (each time, as no folder for it can be written") == 1
    assert [record.name for record in caplog.records if record.name.startswith("tidelog")] == ["tidelog"]


def test_a_name_is_enough_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[str] = []
    monkeypatch.setattr("tidelog.local.kernel.tiers.compiled.note_kept", kept.append)
    monkeypatch.setattr(folder, "is_kept", kept.__contains__)
    monkeypatch.setattr(folder, "claim", lambda _: True)
    name = choice.name_of(cast("Entry", terms.intern_one), "(int64[1C],int64,int64)")
    choice.compiled_by_name(name)
    choice.compiled_by_name(name)
    assert kept == [name]


@pytest.mark.skipif(build.CHECKED, reason="the checked build calls no services by their addresses: TIDELOG_CHECKED=0")
def test_a_plan_that_was_made_in_plain_python_finds_its_services() -> None:
    addresses = join.service_addresses(computes=True, reads_virtual=False)
    choice._exchange(cast("Entry", join.run))
    assert addresses[0] == arithmetic.evaluate_at.address != 0
