"""What is asked of another process, which compiles ahead."""

from __future__ import annotations

from io import StringIO

import pytest

from tidelog.local.kernel.tiers import requests


class _Process:
    def __init__(self) -> None:
        self.stdin = StringIO()


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> _Process:
    found = _Process()
    monkeypatch.setattr(requests, "_started", lambda: found)
    monkeypatch.setattr(requests, "_asked", set())
    monkeypatch.setattr(requests, "_process", [])
    return found


def test_each_thing_is_asked_for_once(process: _Process) -> None:
    for name in ("a:f()", "a:g()", "a:f()"):
        requests.ask(name)
    requests.ask_for_all()
    requests.ask_for_all()
    lines = process.stdin.getvalue().splitlines()
    assert lines[:2] == ["a:f()", "a:g()"]
    assert [requests.is_for_all(line) for line in lines] == [False, False, True]


def test_a_process_that_has_ended_is_not_asked_any_more(process: _Process, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(_: str) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(process.stdin, "write", write)
    requests.ask("a:f()")
    requests.ask("a:g()")
    assert requests._process == [None]


def test_without_a_process_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "_asked", set())
    monkeypatch.setattr(requests, "_process", [])
    monkeypatch.setattr("sys.executable", "")
    requests.ask("a:f()")
    assert requests._process == [None]
