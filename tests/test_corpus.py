"""Programs of other engines' test suites: the reference gives exactly the results that those engines give.

Incremental suites are judged from scratch: after every transaction or update, all facts follow from what is explicit then.

The cases are no part of this project; they are read from a folder beside it and skipped where it is missing.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.conftest import corpus_folder

from tidelog.program.explicit import explicit_facts
from tidelog.program.program import GroundFact, check
from tidelog.reference import Facts, materialise
from tidelog.source import Source
from tidelog.syntax.printer import Printer
from tidelog.values import from_python, to_python

CORPUS = corpus_folder()
BIT_FUNCTIONS = {"band", "bor", "bnot", "bxor", "bshl", "bshr", "land", "lor", "lnot"}
TYPES = {"number": "int", "unsigned": "int", "symbol": "string", "float": "float"}


def _cases() -> list[Path]:
    if CORPUS is None:
        return []
    return [path for suite in ("souffle", "nemo") for path in sorted((CORPUS / suite / "cases").glob("*.json"))]


def _uses_bit_functions(thing: Any) -> bool:
    if isinstance(thing, dict):
        operator = thing.get("expr")
        return (isinstance(operator, str) and operator in BIT_FUNCTIONS) or any(
            _uses_bit_functions(value) for value in thing.values()
        )
    return isinstance(thing, list) and any(_uses_bit_functions(item) for item in thing)


def _neutral() -> ModuleType:
    """The corpus' own translation of its neutral format into our language."""
    assert CORPUS is not None
    spec = importlib.util.spec_from_file_location("neutral", CORPUS.parent / "tools" / "neutral.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _declarations(case: dict[str, Any]) -> list[str]:
    """The column types that a case states."""
    return [
        f"@relation {name}({', '.join(f'c{at}: {TYPES[kind]}' for at, kind in enumerate(kinds))}) ."
        for name, kinds in (case.get("schema") or {}).items()
    ]


def program_text(case: dict[str, Any]) -> str:
    """The case as a program: column types, where the case has them, then rules and facts."""
    neutral = _neutral()
    lines = _declarations(case)
    lines += [neutral.rule_text(rule) for rule in case["rules"]]
    for name, *row in neutral.fact_tuples(case["facts"]):
        lines.append(f"{name}({', '.join(neutral.constant(value) for value in row)}).")
    return "\n".join(lines)


@pytest.mark.skipif(CORPUS is None, reason="no corpus: set TIDELOG_CORPUS, or put it at ../shared/corpus")
@pytest.mark.parametrize("path", _cases(), ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    if _uses_bit_functions(case["rules"]):
        pytest.skip("the language has no bit functions")
    program = check(Source(program_text(case), path.name))
    facts = materialise(program)
    for relation, rows in case["expected"].items():
        assert facts.get(relation, set()) == {tuple(map(from_python, row)) for row in rows}, relation
    assert check(Source(Printer().document(program.document))).document == program.document


@pytest.mark.skipif(CORPUS is None, reason="no corpus: set TIDELOG_CORPUS, or put it at ../shared/corpus")
def test_six_cases_are_aside() -> None:
    aside = [path.stem for path in _cases() if _uses_bit_functions(json.loads(path.read_text(encoding="utf-8"))["rules"])]
    assert len(aside) == 6
    assert len(_cases()) == 155


# --- transaction by transaction ------------------------------------------------------------------------------------------


def _incremental_cases() -> list[Path]:
    if CORPUS is None:
        return []
    suites = ("derived_incremental", "ddlog", "prolog_incremental")
    return [path for suite in suites for path in sorted((CORPUS / suite / "cases").glob("*.json"))]


@pytest.mark.skipif(CORPUS is None, reason="no corpus: set TIDELOG_CORPUS, or put it at ../shared/corpus")
@pytest.mark.parametrize("path", _incremental_cases(), ids=lambda path: path.stem)
def test_transactions(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    neutral = _neutral()
    rules = dict(enumerate(neutral.rule_text(rule) for rule in case["rules"]))
    present = set(rules)
    declarations = _declarations(_original(path))
    explicit = set(neutral.fact_tuples(case["facts"]))
    for transaction in case["transactions"]:
        explicit -= set(neutral.fact_tuples(transaction.get("delete") or {}))
        explicit |= set(neutral.fact_tuples(transaction.get("insert") or {}))
        present -= set(transaction.get("delete_rules") or [])
        present |= set(transaction.get("insert_rules") or [])
        program = check(Source("\n".join([*declarations, *(rules[at] for at in sorted(present))]), path.name))
        facts = materialise(program, explicit_facts(program, explicit))
        for relation, rows in transaction["expected"].items():
            # As Python compares: these expectations come from several engines and do not always tell 1 from 1.0.
            found = {tuple(map(to_python, row)) for row in facts.get(relation, set())}
            assert found == {tuple(row) for row in rows}, relation


def _original(path: Path) -> dict[str, Any]:
    """The case that an incremental one was derived from; it has the column types."""
    assert CORPUS is not None
    name = path.name.removeprefix("inc_")
    original = CORPUS / name.split("_")[0] / "cases" / name
    found: dict[str, Any] = json.loads(original.read_text(encoding="utf-8")) if original.is_file() else {}
    return found if path.name != name else {}


def _fact(given: tuple[Any, ...]) -> GroundFact:
    name, *row = given
    return name, tuple(map(from_python, row))


# --- update by update ----------------------------------------------------------------------------------------------------

SHORT = ("random/path", "random/sequence")
"""Streams that a plain evaluator can start over after every update in reasonable time."""


def _streams() -> list[Path]:
    if CORPUS is None:
        return []
    return [path for folder in SHORT for path in sorted((CORPUS / "marking_streams" / folder).rglob("*.jsonl"))]


@pytest.mark.skipif(CORPUS is None, reason="no corpus: set TIDELOG_CORPUS, or put it at ../shared/corpus")
@pytest.mark.parametrize("path", _streams(), ids=lambda path: "-".join(path.parts[-4:]))
def test_stream(path: Path) -> None:
    assert CORPUS is not None
    folder = CORPUS / "marking_streams"
    within = path.relative_to(folder)
    program = check(Source((folder / "rules" / f"{within.parts[1]}.dl").read_text(encoding="utf-8")))
    explicit: set[GroundFact] = set()
    updates = path.read_text(encoding="utf-8").splitlines()
    expected = (folder / "expected" / within).read_text(encoding="utf-8").splitlines()
    for update, outcome in zip(map(json.loads, updates), map(json.loads, expected), strict=True):
        explicit -= set(map(_fact, update.get("delete", [])))
        explicit |= set(map(_fact, update.get("insert", [])))
        facts = materialise(program, explicit)
        found = {"explicit": len(explicit), "facts": sum(map(len, facts.values())), "digest": _digest(facts)}
        assert found == outcome


def _digest(facts: Facts) -> str:
    """As the corpus has it: all facts as JSON arrays, sorted, joined by newlines, hashed."""
    lines = (
        json.dumps([name, *(to_python(value) for value in row)], ensure_ascii=False)
        for name, rows in facts.items()
        for row in rows
    )
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]
