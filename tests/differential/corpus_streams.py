"""The update streams of the corpus: what each does, and what must hold after each update.

`marking` streams come with the number of facts and a digest after every update, `history` streams (ontologies and a lock file,
revision by revision) with a digest of each derived relation after some revisions.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from tests.corpus import CORPUS, digest_of, neutral, read, stream_rules, stream_updates
from tests.local_engine import held

from tidelog import KnowledgeBase
from tidelog.reference import Facts

Fact = tuple[Any, ...]


@dataclass(frozen=True)
class Revision:
    """One update, and what is known of the facts after it."""

    delete: list[Fact]
    insert: list[Fact]
    expected: dict[str, Any]
    """Empty where nothing is known."""


def marking_streams() -> list[Path]:
    """The streams of the marking papers."""
    if CORPUS is None:
        return []
    folder = CORPUS / "marking_streams"
    return [path for path in sorted(folder.rglob("*.jsonl")) if path.relative_to(folder).parts[0] != "expected"]


def history_streams() -> list[Path]:
    """The real histories; a stream stands beside each of these files."""
    return sorted((CORPUS / "streams").glob("*.json")) if CORPUS is not None else []


def is_short(path: Path) -> bool:
    """Whether a stream of the marking papers is one of those that are always run."""
    return path.parts[-4] in {"random", "batch", "real"}


def rules_of(path: Path) -> str:
    """The program that a stream updates."""
    if path.suffix == ".jsonl":
        return stream_rules(path)
    translation = neutral()
    return "\n".join(translation.rule_text(rule) for rule in read(path)["rules"])


def revisions(path: Path, most: int | None = None) -> Iterator[Revision]:
    """The updates of a stream, or the first ones."""
    yield from islice(_marking(path) if path.suffix == ".jsonl" else _history(path), most)


def _marking(path: Path) -> Iterator[Revision]:
    for update, outcome in stream_updates(path):
        yield Revision(_facts(update.get("delete", [])), _facts(update.get("insert", [])), outcome)


def _history(path: Path) -> Iterator[Revision]:
    case = read(path)
    known = {point["after_revision"]: {"sizes": point["sizes"], "sha256": point["sha256"]} for point in case["checkpoints"]}
    with gzip.open(path.with_name(case["stream"]), "rt", encoding="utf-8") as stream:
        for line in islice(stream, 1, None):  # the first one says where it is from
            update = json.loads(line)
            yield Revision(_facts(update["delete"]), _facts(update["insert"]), known.get(update["n"], {}))


def _facts(given: list[list[Any]]) -> list[Fact]:
    return [tuple(fact) for fact in given]


def found(kb: KnowledgeBase, explicit: int, revision: Revision) -> dict[str, Any]:
    """What is expected after a revision, as the knowledge base has it."""
    if "digest" in revision.expected:
        return {"explicit": explicit, "facts": len(kb.facts()), "digest": digest_of(kb.facts())}
    facts = held(kb)
    names = revision.expected.get("sizes", {})
    sizes = {name: len(facts.get(name, set())) for name in names}
    return {"sizes": sizes, "sha256": {name: _hash(name, facts) for name in names}} if names else {}


def _hash(name: str, facts: Facts) -> str:
    """Of one relation: name, tab and the row as JSON without blanks, sorted, joined by newlines."""
    rows = ([value.content for value in row] for row in facts.get(name, set()))
    lines = sorted(f"{name}\t{json.dumps(row, ensure_ascii=False, separators=(',', ':'))}" for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
