"""Users are told of rules that find nothing because of the kinds of values: once, and only of those."""

from __future__ import annotations

import datetime
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.commands import run

from tidelog import KnowledgeBase, TidelogWarning
from tidelog.local.insight import silence

RULES = 'late: late(X) :- job(X, T), T < "2025". known(X) :- job(X, _).\n'
JOB = ("job", "backup", datetime.date(2024, 5, 1))


@contextmanager
def told() -> Iterator[list[str]]:
    """The codes and places of the warnings inside."""
    found: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield found
        assert all(issubclass(one.category, TidelogWarning) for one in caught)
        found += [str(one.message).partition(": the rule")[0] for one in caught]


def test_once_when_facts_come() -> None:
    kb = KnowledgeBase(RULES)
    with told() as found:
        kb.update(insert=[JOB])
        kb.update(insert=[("job", "copy", datetime.date(2024, 5, 2))])
    assert found == ["<rules>:1:29: warning TL105"]
    assert kb.count("late") == 0


def test_when_facts_are_in_the_program() -> None:
    with told() as found:
        KnowledgeBase(f'{RULES} job("b", date("2024-05-01")).').count("late")
    assert found == ["<rules>:1:29: warning TL105"]


def test_of_rules_that_are_added() -> None:
    kb = KnowledgeBase("known(X) :- job(X, _).")
    with told() as found:
        kb.update(insert=[JOB])
        kb.add_rules("late(X) :- job(X, T), T < 5.")
    assert found == ["<added rules>:1:23: warning TL105"]


def test_not_of_what_may_hold_or_has_no_facts() -> None:
    kb = KnowledgeBase(RULES + "more(X) :- never(X), job(X, T), T < 5.")
    with told() as found:
        kb.update(insert=[("job", "a", "2024"), JOB])
        kb.update(delete=[("job", "a", "2024")])
    assert found == []


def test_rules_above_a_closed_relation() -> None:
    kb = KnowledgeBase(
        'path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z). far(X) :- path(X, Y), Y < date("2024-01-01").'
    )
    with told() as found:
        kb.update(insert=[("edge", 1, 2)])
    assert found == [], "what a closed relation holds is not looked through"


def test_large_relations_are_not_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silence, "_MOST_ROWS", 0)
    with told() as found:
        KnowledgeBase(RULES).update(insert=[JOB])
    assert found == []


def test_looking_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silence, "_LOOKS", 1)
    kb = KnowledgeBase("late(X) :- job(X, T), b(X), T < 5.")
    with told() as found:
        kb.update(insert=[JOB])
        kb.update(insert=[("b", "backup")])
    assert found == []


def test_logging_is_told_if_it_is_set_up(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "tidelog.rules"), told():
        KnowledgeBase(RULES).update(insert=[JOB])
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "TL105" in caplog.text


@pytest.mark.filterwarnings("always::tidelog.errors.TidelogWarning")
def test_commands_say_so(tmp_path: Path) -> None:
    (tmp_path / "job.csv").write_text("name,at\nbackup,2024-05-01\n", encoding="utf-8")
    status, printed, said = run("run", "-", "--facts", tmp_path, "--quiet", text=RULES)
    assert status == 0
    assert "known" in printed
    assert "warning TL105: the rule derives nothing: `T` is date" in said


def test_not_of_contradictions_and_of_all_triples() -> None:
    kb = KnowledgeBase("inconsistent(r, X) :- p(X, Y), Y < a. q(X) :- triple(X, _, Y), Y < a. small(X) :- p(X, Y), Y < a.")
    with told() as found:
        kb.update(insert=[("p", 1, 2), ("triple", 1, 2, 3)])
    assert found == ["<rules>:1:92: warning TL105"]


def test_copies_have_been_told() -> None:
    kb = KnowledgeBase(RULES)
    with told() as found:
        kb.update(insert=[JOB])
        other = kb.copy()
        other.update(insert=[("job", "copy", datetime.date(2024, 5, 2))])
    assert found == ["<rules>:1:29: warning TL105"]
