"""The local engine gives exactly the results of other engines' test suites, from scratch and update by update."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.corpus import (
    INCREMENTAL,
    WHOLE,
    digest,
    incremental_case,
    needs_corpus,
    program_text,
    read,
    stream_name,
    stream_rules,
    stream_updates,
    streams,
    uses_bit_functions,
)
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


ALGORITHMS = ("bf", "dred", "auto", "rematerialise")


@needs_corpus
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("path", INCREMENTAL, ids=lambda path: path.stem)
def test_transactions(path: Path, algorithm: Any) -> None:
    """One knowledge base for as long as the rules stay what they are."""
    case = incremental_case(path)
    explicit, rules = set(case.facts), None
    kb = KnowledgeBase()
    for transaction in case.transactions:
        explicit = (explicit - transaction.delete) | transaction.insert
        if transaction.rules != rules:
            rules = transaction.rules
            kb = KnowledgeBase(Source(case.text(rules), path.name), algorithm=algorithm)
            kb.update(insert=explicit)
        else:
            kb.update(insert=transaction.insert, delete=transaction.delete)
        for relation, rows in transaction.expected.items():
            # As Python compares: these expectations come from several engines and do not always tell 1 from 1.0.
            assert (set(kb.facts(relation)) if relation in kb.relations else set()) == rows, relation


@needs_corpus
def test_many_transactions_leave_the_rules_alone() -> None:
    assert len(INCREMENTAL) == 88
    rules = [[transaction.rules for transaction in incremental_case(path).transactions] for path in INCREMENTAL]
    assert sum(now == before for steps in rules for before, now in pairwise(steps)) == 175


@needs_corpus
@pytest.mark.parametrize(("algorithm", "modules"), [("bf", False), ("dred", False), ("auto", True), ("rematerialise", True)])
@pytest.mark.parametrize("path", streams(), ids=stream_name)
def test_stream(path: Path, algorithm: Any, modules: bool) -> None:
    kb = KnowledgeBase(Source(stream_rules(path)), algorithm=algorithm, modules=modules)
    explicit = 0
    for update, outcome in stream_updates(path):
        change = kb.update(
            insert=[tuple(fact) for fact in update.get("insert", [])], delete=[tuple(fact) for fact in update.get("delete", [])]
        )
        explicit += change.stats.inserted - change.stats.deleted
        facts = held(kb)
        found = {"explicit": explicit, "facts": len(kb.facts()), "digest": digest(facts)}
        assert found == outcome
