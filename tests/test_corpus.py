"""Programs of other engines' test suites: the reference gives exactly the results that those engines give.

The cases are no part of this project; they are read from a folder beside it and skipped where it is missing.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.conftest import corpus_folder

from tidelog.program.program import check
from tidelog.reference import materialise
from tidelog.source import Source
from tidelog.syntax.printer import Printer
from tidelog.values import from_python

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


def program_text(case: dict[str, Any]) -> str:
    """The case as a program: column types, where the case has them, then rules and facts."""
    neutral = _neutral()
    lines = []
    for name, kinds in (case.get("schema") or {}).items():
        columns = ", ".join(f"c{at}: {TYPES[kind]}" for at, kind in enumerate(kinds))
        lines.append(f"@relation {name}({columns}) .")
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
