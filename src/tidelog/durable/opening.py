"""Opening a saved knowledge base: the snapshot is read, the journal is replayed, and a report says so."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tidelog.core.recovery import Recovery
from tidelog.durable.columns import columns_of_load, read_table
from tidelog.durable.file_operations import FileOperations
from tidelog.durable.journal import Refusal, load_of
from tidelog.durable.manifest import NAME, Entry, SavedSnapshot, read_saved
from tidelog.durable.rule_text import difference
from tidelog.durable.saved import Saved, save
from tidelog.durable.snapshot import read_snapshot
from tidelog.errors import TidelogError, fail
from tidelog.local.kb import LocalKnowledgeBase
from tidelog.options import source_of
from tidelog.program.program import check
from tidelog.source import Source
from tidelog.streams.update import Update

if TYPE_CHECKING:
    from tidelog.changes import Change

_ATTEMPTS = 5
"""A reader starts over so often if a writer switches snapshots under it."""


class Reopened(LocalKnowledgeBase):
    """A knowledge base from a folder: its facts are there already, also those of the program's text and of `@input`."""

    def _load_inputs(self, folder: Path, root: str | PathLike[str] | None) -> None:
        """Nothing is loaded."""


def open_saved(
    folder: str | PathLike[str],
    rules: str | PathLike[str] | Source | None,
    *,
    durability: str,
    read_only: bool,
    options: dict[str, Any],
    files: FileOperations | None = None,
) -> LocalKnowledgeBase:
    """A knowledge base from a folder, or a new one there."""
    path, started = Path(folder), perf_counter()
    if options.get("engine", "local") != "local":
        raise fail(
            "TL074", 'engine="spark" cannot be saved or opened', fix="leave it out; a pipeline's stream keeps its own state"
        )
    if read_only:
        return _open_for_reading(path, rules, options, started)
    if not (path / NAME).exists():
        return _begin(path, rules, durability, options, files)
    saved = Saved(path, durability, files)
    try:
        snapshot, entries = saved.manifest.read()
        if snapshot is not None:
            kb = _restored(path, snapshot, entries, rules, options, started)
            last = (entries[-1].sequence, entries[-1].checksum) if entries else (snapshot.sequence, snapshot.chain)
            saved.attach(kb, snapshot, last, sum(_size(entry) for entry in entries))
            return kb
    except BaseException:
        saved.close()
        raise
    saved.close()
    return _begin(path, rules, durability, options, files)  # a process ended before it had saved anything


def _begin(path: Path, rules: Any, durability: str, options: dict[str, Any], files: FileOperations | None) -> LocalKnowledgeBase:
    started = perf_counter()
    kb = LocalKnowledgeBase("" if rules is None else rules, **options)
    save(kb, path, durability, files)
    kb.recovery = Recovery(str(path), True, 1, 0, 0, 0, 0, perf_counter() - started)
    return kb


def _open_for_reading(path: Path, rules: Any, options: dict[str, Any], started: float) -> LocalKnowledgeBase:
    for attempt in range(_ATTEMPTS):
        snapshot, entries = read_saved(path)
        try:
            kb = _restored(path, snapshot, entries, rules, options, started)
        except TidelogError:
            if attempt + 1 == _ATTEMPTS or (path / f"snapshot-{snapshot.number}").exists():
                raise
            continue  # a writer has switched to another snapshot
        kb.record_in(Refusal(f"{path} is open for reading only", "open it without `read_only=True`"), None)
        return kb
    raise AssertionError


def _restored(
    path: Path, snapshot: SavedSnapshot, entries: Sequence[Entry], rules: Any, options: dict[str, Any], started: float
) -> LocalKnowledgeBase:
    """The knowledge base of a snapshot and a journal."""
    description = snapshot.description
    known = description["options"]
    if options.get("modules", known["modules"]) != known["modules"]:
        fix = "leave `modules` out; to change it, load the facts into a new knowledge base"
        raise fail("TL064", f"{path} was saved with modules={known['modules']}", fix=fix)
    chosen = {**known, **options}
    starting_over = chosen.pop("starting_over", "allow")
    kb = Reopened(Source("", description["rules"]["name"]), **chosen)
    schema, engine = read_snapshot(path, description, chosen)
    kb.restore(schema, engine)
    facts = sum(kb.engine.stored_sizes()[name] for name in kb.engine.stored_sizes() if name in kb.relations)
    last = _replay(path, kb, entries)
    kb.set_starting_over(starting_over)  # what was acknowledged is never refused
    if rules is not None:
        _check_rules(path, kb, source_of(rules), description["created_with"])
    loads = sum(entry.kind == "load" for entry in entries)
    sequence = entries[-1].sequence if entries else snapshot.sequence
    counts = facts, len(entries) - loads, loads, sequence
    kb.recovery = Recovery(str(path), False, snapshot.number, *counts, perf_counter() - started, last)
    return kb


def _replay(path: Path, kb: LocalKnowledgeBase, entries: Sequence[Entry]) -> Change | None:
    """Apply the changes of the journal again; what the last one changed, if it is an update."""
    pending: list[Update] = []
    for entry in entries[:-1]:
        if entry.kind == "load":
            kb.replay(pending)
            pending = []
            _replay_load(path, kb, entry)
        else:
            pending.append(_update(entry))
    kb.replay(pending)
    if not entries:
        return None
    if entries[-1].kind == "load":
        _replay_load(path, kb, entries[-1])
        return None
    return kb.apply(_update(entries[-1]))


def _update(entry: Entry) -> Update:
    return Update.from_json(entry.body, f"change {entry.sequence}")


def _replay_load(path: Path, kb: LocalKnowledgeBase, entry: Entry) -> None:
    load = load_of(entry)
    table = read_table(path, load.file)
    if load.rdf is not None:
        kb.load_keys([column.combine_chunks() for column in table.columns], load.rdf)
    else:
        kb.load_columns(load.relation, columns_of_load(table), table.num_rows, upsert=load.upsert, names=load.names)


def _size(entry: Entry) -> int:
    return len(entry.body) + (load_of(entry).file.size if entry.kind == "load" else 0)


def _check_rules(path: Path, kb: LocalKnowledgeBase, source: Source, created_with: str) -> None:
    """Refuse rules that are neither those of the knowledge base nor those that it was created with."""
    given = check(source)
    if difference(given, check(Source(created_with))) is None:
        return
    if (problem := difference(given, kb.program)) is not None:
        fix = "leave the rules out and change them with `add_rules` and `remove_rules`, or open another folder"
        raise fail("TL064", f"these are not the rules of {path}: {problem}", fix=fix)
