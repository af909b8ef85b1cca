"""Snapshots: rows, values, indexes, counters and virtual relations come back; damage of any file is refused."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from tests.durable.saved_folders import RULES, crashed, everything, opened

from tidelog import KnowledgeBase, TidelogError
from tidelog.core import rewriting
from tidelog.core.closed_relations import ClosedRelations, closed_by
from tidelog.core.limits import Watch
from tidelog.durable.columns import table_of_rows, write_table
from tidelog.durable.file_operations import FileOperations
from tidelog.durable.rule_text import text_of
from tidelog.durable.snapshot import files_of, read_snapshot, write_snapshot
from tidelog.local.engine import LocalEngine
from tidelog.local.kb import LocalKnowledgeBase
from tidelog.program.modules import Module

OPTIONS = {"modules": True, "algorithm": "auto"}


def filled(**options: object) -> LocalKnowledgeBase:
    kb = KnowledgeBase(RULES, **options)  # type: ignore[arg-type]
    kb.update(insert=[("edge", f"n{at}", f"n{at * 7 % 30}") for at in range(30)] + [("stock", "n1", 3), ("stock", "zz", 1)])
    kb.update(delete=[("edge", f"n{at}", f"n{at * 7 % 30}") for at in range(0, 30, 3)])
    assert isinstance(kb, LocalKnowledgeBase)
    return kb


def again(kb: LocalKnowledgeBase, folder: Path, **options: object) -> LocalEngine:
    description = write_snapshot(FileOperations(syncs=False), folder, "s", kb.engine, text_of(kb.schema))
    return read_snapshot(folder, description, {**OPTIONS, **options})[1]


def test_indexes_and_costs_come_back_and_tombstones_do_not(tmp_path: Path) -> None:
    kb = filled()
    before, after = kb.engine, again(kb, tmp_path)
    assert after.is_maintained
    for name, table in before.state.tables.items():
        other = after.state.tables[name]
        assert (len(other), other.end) == (len(table), len(table))
        assert other.indexes.keys() == table.indexes.keys()
    assert after.stored_sizes() == before.stored_sizes()
    assert {name: len(found) for name, found in after.state.virtual.items()} == {
        name: len(found) for name, found in before.state.virtual.items()
    }
    costs = {before.structure.units[number].relations: runtime.costs for number, runtime in before.runtimes.items()}
    assert costs == {after.structure.units[number].relations: runtime.costs for number, runtime in after.runtimes.items()}


MUTUAL = "even(X, Y) :- edge(X, Z), odd(Z, Y). odd(X, Y) :- edge(X, Y). odd(X, Y) :- edge(X, Z), even(Z, Y)."


def test_times_come_back_across_relations(tmp_path: Path) -> None:
    """Deletion by ranks checks no more facts after opening than before."""
    nodes = 60
    kb = KnowledgeBase(MUTUAL, algorithm="ranked")
    assert isinstance(kb, LocalKnowledgeBase)
    for start in range(0, nodes, 10):
        kb.update(insert=[("edge", at, 7 * at % nodes) for at in range(start, start + 10)])
    kb.update(delete=[("edge", at, 7 * at % nodes) for at in range(0, nodes, 9)])
    kb.save(tmp_path / "kb")
    with opened(crashed(tmp_path / "kb", tmp_path / "copy")) as other:
        assert isinstance(other, LocalKnowledgeBase)
        for name, table in kb.engine.state.tables.items():
            saved = other.engine.state.tables[name]
            assert [saved.came(row) for row in range(saved.end)] == [
                table.came(row) for row in np.flatnonzero(table.are_rows()).tolist()
            ]
        for at in range(1, nodes, 9):
            one, two = (each.update(delete=[("edge", at, 7 * at % nodes)]) for each in (kb, other))
            assert one.stats.counters == two.stats.counters
            assert any(asdict(one.stats.counters).values())
        assert everything(kb) == everything(other)
    kb.close()


def test_times_of_earlier_versions_are_not_there(tmp_path: Path) -> None:
    kb = filled()
    description = write_snapshot(FileOperations(syncs=False), tmp_path, "s", kb.engine, text_of(kb.schema))
    del description["times"], description["clock"]
    for table in description["tables"]:
        del table["times"], table["unordered"]
    (tmp_path / "s" / "times.arrow").unlink()
    engine = read_snapshot(tmp_path, description, OPTIONS)[1]
    assert engine.stored_sizes() == kb.engine.stored_sizes()
    assert not any(len(table) and table.is_ordered for table in engine.state.tables.values())


def test_values_that_nothing_uses_are_left_out(tmp_path: Path) -> None:
    kb = filled()
    kb.update(insert=[("stock", "long gone", 1)])
    kb.update(delete=[("stock", "long gone", 1)])
    after = again(kb, tmp_path)
    assert len(after.state.terms) < len(kb.engine.state.terms)
    values = [value.content for value in after.state.terms.values_of(range(len(after.state.terms)))]  # type: ignore[arg-type]
    assert "long gone" not in values


def test_counters_come_back(tmp_path: Path) -> None:
    kb = filled(algorithm="counting")
    after = again(kb, tmp_path, algorithm="counting")
    counted = [name for name, table in kb.engine.state.tables.items() if table.counters is not None]
    assert counted
    for name in counted:
        counters, end = after.state.tables[name].counters, after.state.tables[name].end
        assert counters is not None
        assert counters.shape[1] == end


def test_facts_that_nothing_was_derived_from(tmp_path: Path) -> None:
    kb = KnowledgeBase(RULES)
    assert isinstance(kb, LocalKnowledgeBase)
    after = again(kb, tmp_path)
    assert not after.has_derived
    assert after.size("edge") == 2


def test_damage_of_any_file_is_refused_with_its_name(tmp_path: Path) -> None:
    with opened(tmp_path / "kb", RULES) as kb:
        facts = everything(kb)
        snapshot = kb.saved.manifest.read()[0] if kb.saved is not None else None
    assert snapshot is not None
    chance = random.Random(3)
    files = list(files_of(snapshot.description))
    assert len(files) > 10
    for file in files:
        path = tmp_path / "kb" / file.path
        whole = path.read_bytes()
        flipped = bytearray(whole)
        flipped[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        for damaged in (bytes(flipped), whole[: chance.randrange(len(whole))], whole + b"x", None):
            path.unlink() if damaged is None else path.write_bytes(damaged)
            with pytest.raises(TidelogError, match=rf"TL062: .*{path.name} is damaged at byte "):
                opened(tmp_path / "kb")
            path.write_bytes(whole)
    with opened(tmp_path / "kb") as kb:
        assert everything(kb) == facts


def test_an_id_without_a_value_is_refused(tmp_path: Path) -> None:
    """Also in a file whose checksums are right."""
    description = write_snapshot(FileOperations(syncs=False), tmp_path, "s", filled().engine, text_of(filled().schema))
    (kept,) = [saved for saved in description["tables"] if saved["name"] == "degree"]
    for wrong in (-1, 1 << 30):
        rows = np.array([[0, wrong]], np.int32)
        kept["file"] = write_table(FileOperations(syncs=False), tmp_path, f"r{wrong}.arrow", table_of_rows(rows, None)).to_json()
        with pytest.raises(TidelogError, match=rf"TL062: .*r{wrong}.arrow is damaged at byte 0: it has an id without a value"):
            read_snapshot(tmp_path, description, OPTIONS)


def only_whole_ones(modules: Iterable[Module], numbers: Sequence[int], *, only_whole: bool) -> ClosedRelations:
    del only_whole
    return closed_by(modules, numbers, only_whole=True)


def test_a_relation_that_an_earlier_version_stored_is_closed_now(tmp_path: Path) -> None:
    """Earlier versions closed no relation that another rule recurs through; its explicit facts are external ones now."""
    text = (
        "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z). same(X, Y) :- path(X, Y), path(Y, X). "
        "path(X, Y) :- same(X, Z), jump(Z, Y)."
    )
    facts = [("edge", 1, 2), ("edge", 2, 1), ("jump", 2, 3), ("path", 3, 4)]
    with patch.object(rewriting, "closed_by", only_whole_ones):
        kb = KnowledgeBase(text)
        kb.update(insert=facts)
        assert isinstance(kb, LocalKnowledgeBase)
        assert not kb.engine.core.given
        after = again(kb, tmp_path)
        assert after.is_maintained
        description = write_snapshot(FileOperations(syncs=False), tmp_path, "old", kb.engine, text_of(kb.schema))
    engine = read_snapshot(tmp_path, description, OPTIONS)[1]
    assert engine.core.given == {"path": "#given path"}
    assert not engine.is_maintained
    assert len(engine.state.explicit["#given path"]) == 1
    engine.maintain(Watch())
    assert len(engine.state.virtual["path"]) == len(kb["path"]) == 9
    assert len(engine.state.tables["same"]) == len(kb["same"]) == 4
