"""The local engine gives exactly the results of other engines' test suites, from scratch and update by update."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.corpus import (
    INCREMENTAL,
    WHOLE,
    check_transactions,
    incremental_case,
    needs_corpus,
    program_text,
    read,
    stream_name,
    uses_bit_functions,
)
from tests.differential.corpus_streams import found, history_streams, is_short, marking_streams, revisions, rules_of
from tests.differential.update_histories import skip_unless_there
from tests.local_engine import held, rows_of

from tidelog import KnowledgeBase, Source
from tidelog.values import from_python


@needs_corpus
@pytest.mark.parametrize("modules", [True, False], ids=["modules", "rules"])
@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_case(path: Path, modules: bool) -> None:
    case = read(path)
    if uses_bit_functions(case["rules"]):
        pytest.skip("the language has no bit functions")
    kb = KnowledgeBase(Source(program_text(case), path.name), modules=modules)
    for relation, rows in case["expected"].items():
        found = rows_of(kb.facts(relation)) if relation in kb.relations else set()
        assert found == {tuple(map(from_python, row)) for row in rows}, relation


ALGORITHMS = ("bf", "dred", "counting", "auto", "rematerialise")


@needs_corpus
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("path", INCREMENTAL, ids=lambda path: path.stem)
def test_transactions(path: Path, algorithm: Any) -> None:
    """One knowledge base for a whole case."""
    skip_unless_there(algorithm)
    case = incremental_case(path)
    check_transactions(KnowledgeBase(Source(case.text(case.transactions[0].rules), path.name), algorithm=algorithm), case)


@needs_corpus
def test_transactions_change_rules_and_leave_them_alone() -> None:
    assert len(INCREMENTAL) == 88
    rules = [[transaction.rules for transaction in incremental_case(path).transactions] for path in INCREMENTAL]
    assert sum(now == before for steps in rules for before, now in pairwise(steps)) == 175
    assert sum(now != before for steps in rules for before, now in pairwise(steps)) == 156


def check_stream(path: Path, algorithm: Any, *, modules: bool, most: int | None = None) -> None:
    """After each update there is what must be; where that is not known, what a knowledge base that starts over has."""
    skip_unless_there(algorithm)
    options: dict[str, Any] = {"modules": modules}
    kb, judge = (KnowledgeBase(Source(rules_of(path)), algorithm=name, **options) for name in (algorithm, "rematerialise"))
    explicit = 0
    for revision in revisions(path, most):
        change = kb.update(insert=revision.insert, delete=revision.delete)
        explicit += change.stats.inserted - change.stats.deleted
        assert found(kb, explicit, revision) == revision.expected
        if path in HISTORIES and algorithm != "rematerialise":
            judge.update(insert=revision.insert, delete=revision.delete)
            assert {name: kb.count(name) for name in kb.relations} == {name: judge.count(name) for name in judge.relations}
            if not revision.expected and change.deleted:
                assert held(kb) == held(judge)


ALL_STREAMS = marking_streams()
HISTORIES = history_streams()
SHORT = [path for path in ALL_STREAMS if is_short(path)]


@needs_corpus
def test_there_are_streams() -> None:
    assert (len(ALL_STREAMS), len(SHORT), len(HISTORIES)) == (71, 11, 3)


@needs_corpus
@pytest.mark.parametrize(("algorithm", "modules"), [("bf", False), ("dred", False), ("counting", False), ("auto", True)])
@pytest.mark.parametrize("path", SHORT, ids=stream_name)
def test_stream(path: Path, algorithm: str, modules: bool) -> None:
    check_stream(path, algorithm, modules=modules, most=20)


@needs_corpus
@pytest.mark.parametrize(("algorithm", "modules"), [("bf", False), ("dred", False), ("counting", False), ("auto", True)])
@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: path.stem)
def test_beginning_of_a_history(path: Path, algorithm: str, modules: bool) -> None:
    check_stream(path, algorithm, modules=modules, most=6)


@pytest.mark.nightly
@needs_corpus
@pytest.mark.parametrize("modules", [True, False], ids=["modules", "rules"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("path", [*ALL_STREAMS, *HISTORIES], ids=stream_name)
def test_whole_stream(path: Path, algorithm: str, modules: bool) -> None:
    check_stream(path, algorithm, modules=modules)
