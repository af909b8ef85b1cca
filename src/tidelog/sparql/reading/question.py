"""A query that was read, and words in its text."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tidelog.source import Source, Span
from tidelog.sparql.algebra import Node, Term

_TEXTS = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""|\'\'\'(?:[^\'\\]|\\.|\'(?!\'\'))*\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|<[^<>\s]*>'
)


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A query that was read: what kind it is, its operators, and what becomes of the solutions."""

    kind: str
    """`select`, `ask`, `construct` or `describe`."""
    source: Source
    node: Node
    variables: tuple[str, ...] = ()
    template: tuple[tuple[Term, Term, Term], ...] = ()
    """Of a `construct`."""
    described: tuple[Term, ...] = ()
    """Of a `describe`."""
    prologue: Any = None
    """What rdflib knows of prefixes and base."""
    lock: threading.RLock = field(default_factory=threading.RLock)
    """Expressions of rdflib remember what they are evaluated for: one thread at a time."""
    plans: dict[Any, Any] = field(default_factory=dict)
    """What `patterns` has made of the basic graph patterns, by the dataset that it was made for."""


def without_texts(text: str) -> str:
    """The query with spaces in the place of texts and IRIs."""
    return _TEXTS.sub(lambda match: " " * len(match[0]), text)


def occurrences(source: Source, word: str) -> Iterator[Span]:
    """Where a word stands in a query, outside of texts, IRIs and comments."""
    for match in re.finditer(rf"(?<![\w?$:]){re.escape(word)}(?!\w)", without_texts(source.text), re.IGNORECASE):
        yield Span(match.start(), match.end())
