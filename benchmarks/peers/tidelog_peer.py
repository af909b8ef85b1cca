"""Tidelog itself, through its public interface; reported as not available where the engine cannot be imported."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from benchmarks.harness.workload import Contender, Evaluate, Inputs, NotAvailable
from benchmarks.peers.rules import derived, parse

TIDELOG = "tidelog"
TIDELOG_WITHOUT_MODULES = "tidelog, modules off"


def knowledge_base(rules_text: str, *, modules: bool = True) -> Any:
    """A knowledge base of the local engine."""
    try:
        engine = importlib.import_module("tidelog").KnowledgeBase
    except (ImportError, AttributeError) as error:
        raise NotAvailable(str(error)) from error
    return engine(rules_text, modules=modules)


def tidelog_rule(rule_text: str) -> Contender:
    """The contender for one rule, in any form; what it derives is counted."""
    relation = rule_text.split("(", 1)[0]

    def load(inputs: Inputs, _folder: Path) -> Evaluate:
        kb = knowledge_base(rule_text)
        for name, table in inputs.items():
            kb.load(name, table)
        return lambda: int(kb.count(relation))

    return Contender(TIDELOG, load)


def tidelog(rules_text: str, *, modules: bool = True, largest: int | None = None, reason: str = "") -> Contender:
    """The contender: evaluation starts with the first count."""
    relations = derived(parse(rules_text))

    def load(inputs: Inputs, _folder: Path) -> Evaluate:
        kb = knowledge_base(rules_text, modules=modules)
        for relation, table in inputs.items():
            kb.load(relation, table)
        return lambda: sum(int(kb.count(relation)) for relation in relations)

    return Contender(TIDELOG if modules else TIDELOG_WITHOUT_MODULES, load, largest, reason)
