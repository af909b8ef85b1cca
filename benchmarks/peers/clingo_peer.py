"""Clingo: its grounder derives all facts of a program without choices; nothing is solved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness.workload import Contender, Evaluate, Inputs
from benchmarks.peers.rules import Atom, Rule, parse


def clingo(rules_text: str, largest: int | None = None, reason: str = "") -> Contender:
    """The contender: facts as text are parsed by `load`, grounding and counting is measured."""
    program = "\n".join(map(_rule_text, parse(rules_text)))

    def load(inputs: Inputs, _folder: Path) -> Evaluate:
        import clingo as library

        control = library.Control([], logger=lambda _code, _message: None)
        control.add("base", [], program)
        control.add("base", [], " ".join(_facts_text(inputs)))
        input_facts: int = sum(table.num_rows for table in inputs.values())

        def evaluate() -> int:
            control.ground([("base", [])])
            return len(control.symbolic_atoms) - input_facts

        return evaluate

    return Contender("clingo grounding", load, largest, reason)


def _facts_text(inputs: Inputs) -> Iterator[str]:
    for relation, table in inputs.items():
        for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
            yield f"{relation}({','.join(map(str, row))})."


def _rule_text(rule: Rule) -> str:
    positive = {variable for atom in rule.positive for variable in atom.variables}
    body = [str(atom) for atom in rule.positive]
    body += [f"not {_projected(atom, positive)}" for atom in rule.negative]
    body += [f"{a} != {b}" for a, b in rule.different]
    return f"{rule.head} :- {', '.join(body)}."


def _projected(atom: Atom, bound: set[str]) -> Atom:
    """The atom with `_` for what stands for any value."""
    return Atom(atom.relation, tuple(variable if variable in bound else "_" for variable in atom.variables))
