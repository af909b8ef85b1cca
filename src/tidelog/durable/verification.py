"""Checks a folder: all checksums, whether the journal replays, and whether what is derived is what follows from the facts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tidelog.core.arrays import Int32s
from tidelog.core.limits import Limits, Watch
from tidelog.core.rules import is_visible
from tidelog.durable.file_operations import read_checked
from tidelog.durable.journal import load_of
from tidelog.durable.manifest import read_saved
from tidelog.durable.opening import open_saved
from tidelog.durable.snapshot import files_of
from tidelog.errors import fail
from tidelog.local.engine import LocalEngine
from tidelog.local.kb import LocalKnowledgeBase
from tidelog.local.storage.dictionary import Dictionary
from tidelog.local.storage.term_buffers import KINDS


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found to be right."""

    folder: str
    files: int
    size: int
    """Files whose checksums are right, and their bytes."""
    entries: int
    """Changes of the journal that were applied again."""
    facts: int
    recomputed: int | None
    """Facts that were derived from scratch and are the same; None if that was not asked for."""

    def __str__(self) -> str:
        text = f"{self.folder}: the manifest and {self.files:,} files are as written, "
        text += f"{self.entries:,} change{'' if self.entries == 1 else 's'} replayed, {self.facts:,} facts"
        return text if self.recomputed is None else f"{text}, the same {self.recomputed:,} derived from scratch"


def verify(folder: Path, *, recompute: bool = False) -> Verified:
    """Check everything; an error says what is wrong.  Nothing is changed, and a process that writes is not disturbed."""
    snapshot, entries = read_saved(folder)
    written = [*files_of(snapshot.description), *(load_of(entry).file for entry in entries if entry.kind == "load")]
    for file in written:
        read_checked(folder, file)
    kb = open_saved(folder, None, durability="none", read_only=True, options={})
    kb.derive()
    facts = sum(kb.count(name) for name in kb.relations)
    recomputed = _compare(folder, kb) if recompute else None
    return Verified(str(folder), len(written), sum(file.size for file in written), len(entries), facts, recomputed)


def _compare(folder: Path, kb: LocalKnowledgeBase) -> int:
    """Derive everything again from the explicit facts, and compare; how many facts there are."""
    engine = kb.engine
    again = LocalEngine(kb.program, modules=engine.modules, algorithm=engine.algorithm)
    ids = _same_values(engine.state.terms, again.state.terms)
    for name, table in engine.state.tables.items():
        if is_visible(name):
            again.state.ensure_table(name, table.arity)
            if (rows := engine.explicit_rows(name)) is not None:
                again.add(name, ids[rows])
    again.maintain(Watch(Limits(None, None, None), None))
    count = 0
    for name in kb.relations:
        held, anew = engine.stored(name), again.stored(name)
        one, two = (0 if part is None else len(part) for part in (held, anew))
        if one != two or (held is not None and anew is not None and not anew.contains(ids[held.rows]).all()):
            message = f"{folder}: `{name}` has {one:,} facts, and {two:,} follow from the explicit facts, or other ones"
            fix = "load the explicit facts into a new knowledge base, and please report this"
            raise fail("TL062", message, fix=fix)
        count += one
    return count


def _same_values(terms: Dictionary, others: Dictionary) -> Int32s:
    """For each id of a dictionary that of the same value in another."""
    every = np.arange(len(terms), dtype=np.int32)
    result = np.empty(len(terms), np.int32)
    for kind in KINDS:
        ids = every[terms.have_kind(kind, every)]
        if len(ids):
            result[ids] = others.encode_content(kind, terms.content_of(kind, ids))
    return result
