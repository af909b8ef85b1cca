"""Rules and programs from short texts, for the tests of this folder."""

from __future__ import annotations

from tidelog.errors import Diagnostics
from tidelog.program.changes.live_rules import LiveRules
from tidelog.program.program import Program, check
from tidelog.source import Source
from tidelog.syntax.parser import parse
from tidelog.syntax.tree import Rule


def rules(text: str) -> list[Rule]:
    """The rules of a text, parsed and not checked."""
    diagnostics = Diagnostics()
    statements = parse(Source(text), diagnostics).statements
    diagnostics.raise_errors()
    return [statement for statement in statements if isinstance(statement, Rule)]


def rule(text: str) -> Rule:
    """The one rule of a text."""
    (found,) = rules(text)
    return found


def program(text: str) -> Program:
    """A checked program."""
    return check(Source(text, "test.dl"))


def live_rules(text: str) -> LiveRules:
    """The rules of a checked program, by number."""
    return LiveRules.of(program(text))
