"""Users are told of rules that find nothing because of the kinds of values: once, and only of those."""

from __future__ import annotations

import datetime
import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.commands import run

from tidelog import KnowledgeBase, TidelogWarning
from tidelog.local.insight import columns_at_hand, silence

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
        found += [str(one.message)[: re.search(r"TL\d+", str(one.message)).end()] for one in caught]  # type: ignore[union-attr]


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
    assert found == ["<rules>:1:29: warning TL107"], "of the date alone, which has no order with a text"


def test_rules_above_a_closed_relation() -> None:
    kb = KnowledgeBase(
        'path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z). far(X) :- path(X, Y), Y < date("2024-01-01").'
    )
    with told() as found:
        kb.update(insert=[("edge", 1, 2)])
    assert found == [], "what a closed relation holds is not looked through"


def test_large_relations_are_not_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns_at_hand, "_MOST_ROWS", 0)
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


# --- values that some rows have -------------------------------------------------------------------------------------------


def test_a_text_that_comes_later_is_told_of_once() -> None:
    kb = KnowledgeBase("total(S) :- S = sum { N : order(_, N) }. many(X) :- order(X, N), N > 3. all(X) :- order(X, _).")
    with told() as found:
        kb.update(insert=[("order", "a", 1), ("order", "b", 2.5)])
        assert list(kb["total"]) == [(3.5,)]
    assert found == []
    with told() as found:
        kb.update(insert=[("order", "c", "n/a")])
        kb.update(insert=[("order", "d", "none")])
        assert list(kb["total"]) == []
    assert found == ["<rules>:1:13: warning TL107", "<rules>:1:66: warning TL107"]


def test_the_fact_is_shown() -> None:
    kb = KnowledgeBase("total(S) :- S = sum { N : order(_, N) }.")
    with pytest.warns(TidelogWarning, match=r'as in `order`, such as `order\(b, "n/a"\)`'):
        kb.update(insert=[("order", "a", 1), ("order", "b", "n/a")])


def test_not_of_declared_columns_and_of_all_triples() -> None:
    kb = KnowledgeBase(
        "@relation order(name: string, items: int) . total(S) :- S = sum { N : order(_, N) }. big(X) :- triple(X, _, N), N > 3."
    )
    with told() as found:
        kb.update(insert=[("order", "a", 1), ("triple", 1, 2, "a"), ("triple", 1, 2, 3)])
    assert found == []


def test_queries_without_an_answer() -> None:
    kb = KnowledgeBase(RULES.replace('"2025"', 'date("2025-01-01")'))
    kb.update(insert=[JOB])
    with told() as found:
        for _ in range(2):
            assert not kb.query('job(X, T), T > "2020"')
            assert not kb.query('job(X, T), T < date("2020-01-01")')
            assert not kb.query("job(X, _), Y = int(X)")
    assert found == ["<query>:1:12: warning TL105"] * 2
