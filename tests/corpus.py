"""Test material from outside the project: programs of other engines with their results, as our language has them."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.conftest import corpus_folder

from tidelog import KnowledgeBase, Source
from tidelog.program.changes.sameness import canonical_key
from tidelog.program.program import GroundFact, check
from tidelog.reference import Facts
from tidelog.values import from_python

CORPUS = corpus_folder()
BIT_FUNCTIONS = {"band", "bor", "bnot", "bxor", "bshl", "bshr", "land", "lor", "lnot"}
TYPES = {"number": "int", "unsigned": "int", "symbol": "string", "float": "float"}

needs_corpus = pytest.mark.skipif(CORPUS is None, reason="no corpus: set TIDELOG_CORPUS, or put it at ../shared/corpus")


def cases(*suites: str) -> list[Path]:
    """The cases of some suites."""
    if CORPUS is None:
        return []
    return [path for suite in suites for path in sorted((CORPUS / suite / "cases").glob("*.json"))]


WHOLE = cases("souffle", "nemo")
"""Cases of one evaluation each."""
INCREMENTAL = cases("derived_incremental", "ddlog", "prolog_incremental")
"""Cases of several transactions."""


def read(path: Path) -> dict[str, Any]:
    """A case as it stands in its file."""
    case: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return case


def uses_bit_functions(thing: Any) -> bool:
    """Whether a part of a case calls a function that the language does not have."""
    if isinstance(thing, dict):
        operator = thing.get("expr")
        return (isinstance(operator, str) and operator in BIT_FUNCTIONS) or any(
            uses_bit_functions(value) for value in thing.values()
        )
    return isinstance(thing, list) and any(uses_bit_functions(item) for item in thing)


def neutral() -> ModuleType:
    """The corpus' own translation of its neutral format into our language."""
    assert CORPUS is not None
    spec = importlib.util.spec_from_file_location("neutral", CORPUS.parent / "tools" / "neutral.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def declarations(case: dict[str, Any]) -> list[str]:
    """The column types that a case states."""
    return [
        f"@relation {name}({', '.join(f'c{at}: {TYPES[kind]}' for at, kind in enumerate(kinds))}) ."
        for name, kinds in (case.get("schema") or {}).items()
    ]


def program_text(case: dict[str, Any]) -> str:
    """The case as a program: column types, where the case has them, then rules and facts."""
    translation = neutral()
    lines = declarations(case)
    lines += [translation.rule_text(rule) for rule in case["rules"]]
    for name, *row in translation.fact_tuples(case["facts"]):
        lines.append(f"{name}({', '.join(translation.constant(value) for value in row)}).")
    return "\n".join(lines)


# --- transaction by transaction ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Transaction:
    """One step of an incremental case."""

    delete: set[tuple[Any, ...]]
    insert: set[tuple[Any, ...]]
    rules: tuple[int, ...]
    """The rules that are there from now on."""
    expected: dict[str, set[tuple[Any, ...]]]


@dataclass(frozen=True)
class IncrementalCase:
    """Rules, facts to begin with, and what happens then."""

    declarations: list[str]
    all_rules: dict[int, str]
    facts: set[tuple[Any, ...]]
    transactions: list[Transaction]

    def text(self, rules: tuple[int, ...]) -> str:
        """The program with some of the rules."""
        return "\n".join([*self.declarations, *(self.all_rules[at] for at in rules)])


def check_transactions(kb: KnowledgeBase, case: IncrementalCase, most: int | None = None) -> None:
    """Put a case into a knowledge base that has the rules of its first transaction; after each there is what must be."""
    keys = {at: canonical_key(check(Source(text)).rules[0]) for at, text in case.all_rules.items()}  # some stand twice
    rules = case.transactions[0].rules
    kb.update(insert=case.facts)
    for transaction in case.transactions[:most]:
        there, coming = ({keys[at]: case.all_rules[at] for at in some} for some in (rules, transaction.rules))
        kb.update(
            insert=transaction.insert,
            delete=transaction.delete,
            remove_rules=[text for key, text in there.items() if key not in coming],
            add_rules=[text for key, text in coming.items() if key not in there],
        )
        rules = transaction.rules
        for relation, rows in transaction.expected.items():
            assert (set(kb.facts(relation)) if relation in kb.relations else set()) == rows, relation


def incremental_case(path: Path) -> IncrementalCase:
    """A case of several transactions."""
    case, translation = read(path), neutral()
    rules = dict(enumerate(translation.rule_text(rule) for rule in case["rules"]))
    present, transactions = set(rules), []
    for given in case["transactions"]:
        present -= set(given.get("delete_rules") or [])
        present |= set(given.get("insert_rules") or [])
        transactions.append(
            Transaction(
                set(translation.fact_tuples(given.get("delete") or {})),
                set(translation.fact_tuples(given.get("insert") or {})),
                tuple(sorted(present)),
                {relation: {tuple(row) for row in rows} for relation, rows in given["expected"].items()},
            )
        )
    return IncrementalCase(declarations(_original(path)), rules, set(translation.fact_tuples(case["facts"])), transactions)


def _original(path: Path) -> dict[str, Any]:
    """The case that an incremental one was derived from; it has the column types."""
    assert CORPUS is not None
    name = path.name.removeprefix("inc_")
    original = CORPUS / name.split("_")[0] / "cases" / name
    found = read(original) if original.is_file() else {}
    return found if path.name != name else {}


# --- update by update ----------------------------------------------------------------------------------------------------

SHORT = ("random/path", "random/sequence")
"""Streams that a plain evaluator can start over after every update in reasonable time."""


def streams() -> list[Path]:
    """The update streams of these folders."""
    if CORPUS is None:
        return []
    return [path for folder in SHORT for path in sorted((CORPUS / "marking_streams" / folder).rglob("*.jsonl"))]


def stream_name(path: Path) -> str:
    """What a test of a stream is called."""
    return "-".join(path.parts[-4:])


def stream_rules(path: Path) -> str:
    """The program that a stream updates."""
    assert CORPUS is not None
    folder = CORPUS / "marking_streams"
    return (folder / "rules" / f"{path.relative_to(folder).parts[1]}.dl").read_text(encoding="utf-8")


def stream_updates(path: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each update of a stream, with what is to come out of it."""
    assert CORPUS is not None
    folder = CORPUS / "marking_streams"
    updates = path.read_text(encoding="utf-8").splitlines()
    expected = (folder / "expected" / path.relative_to(folder)).read_text(encoding="utf-8").splitlines()
    yield from zip(map(json.loads, updates), map(json.loads, expected), strict=True)


def ground_fact(given: tuple[Any, ...]) -> GroundFact:
    """A fact of a stream."""
    name, *row = given
    return name, tuple(map(from_python, row))


def digest(facts: Facts) -> str:
    """The digest of facts as the reference has them."""
    return digest_of((name, *(value.content for value in row)) for name, rows in facts.items() for row in rows)


def digest_of(facts: Iterable[tuple[Any, ...]]) -> str:
    """As the corpus has it: all facts as JSON arrays, sorted, joined by newlines, hashed."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    return hashlib.sha256("\n".join(sorted(map(encode, facts))).encode()).hexdigest()[:16]
