"""A snapshot: the values in use and all rows of ids, explicit and derived, as Arrow files; and a description of them.

Ids are given anew, kind by kind, to the values that some row uses, so that the dictionary of a reopened knowledge base is dense.
Relations that only one rule has (`#inner 7`) are named by the place of the rule in the text, since their names are made anew.
Virtual relations are closed again from their edges.  Indexes, counters, costs and the times of rows come back, so that the first
update after opening is as fast as any, and deletion by ranks checks no more than before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s
from tidelog.core.limits import Limits, Watch
from tidelog.core.rewriting import core_of
from tidelog.core.rules import Closure, Core, FunctionCalls
from tidelog.core.schema import Schema
from tidelog.core.statistics import Statistics
from tidelog.durable.columns import array_of, read_table, rows_of, table_of_rows, write_table
from tidelog.durable.file_operations import FileOperations, WrittenFile, damaged
from tidelog.durable.rule_text import RuleText, schema_of
from tidelog.local.engine import LocalEngine
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.kernel.rows.row_times import TIMES_WIDTH
from tidelog.local.maintenance.costs import Costs
from tidelog.local.storage.dictionary import Dictionary
from tidelog.local.storage.tables import Table
from tidelog.local.storage.term_buffers import KINDS

STORED, EXPLICIT = "stored", "explicit"


@dataclass(frozen=True, slots=True)
class _Held:
    """A table of an engine, and under which name it is saved."""

    role: str
    name: str | tuple[int, int]
    """The name of a relation, or the place of its rule and its own place among the relations of the rule."""
    table: Table


# --- writing -------------------------------------------------------------------------------------------------------------


def write_snapshot(files: FileOperations, folder: Path, path: str, engine: LocalEngine, rules: RuleText) -> dict[str, Any]:
    """Write a new folder of files; the description of what was written.  On disk when this returns."""
    target = folder / path
    files.make_folder(target)
    is_derived = engine.has_derived and _is_rebuilt(engine, rules)
    held = list(_tables(engine, rules, is_derived=is_derived))
    new_ids, terms = _write_terms(files, folder, path, engine.state.terms, [one.table for one in held])
    tables: list[dict[str, Any]] = []
    times: list[Int64s] = []
    for at, one in enumerate(held):
        rows, counters = _rows(one.table)
        came, unordered = one.table.live_times()
        times.append(came)
        file = write_table(files, folder, f"{path}/table-{at}.arrow", table_of_rows(new_ids[rows], counters))
        tables.append(
            {
                "role": one.role,
                "name": one.name,
                "arity": one.table.arity,
                "rows": len(rows),
                "unordered": unordered,
                "times": len(came),
                "indexes": [list(columns) for columns in one.table.indexes],
                "loses_rows": any(len(index.newer) for index in one.table.indexes.values()),
                "file": file.to_json(),
            }
        )
    came = np.concatenate([np.empty((0, TIMES_WIDTH), np.int64), *times])
    times_file = write_table(files, folder, f"{path}/times.arrow", pa.table({"word": came.reshape(-1)}))
    files.sync_folder(target)
    files.sync_folder(folder)
    costs = {engine.structure.units[number].relations[0]: asdict(runtime.costs) for number, runtime in engine.runtimes.items()}
    names = _names(engine.core, rules.numbers)
    saved_costs = [[names.get(name, name), cost] for name, cost in costs.items()] if is_derived else []
    return {
        "rules": rules.to_json(),
        "derived": is_derived,
        "terms": terms,
        "tables": tables,
        "costs": saved_costs,
        "clock": int(engine.state.store.clock[0]),
        "times": times_file.to_json(),
    }


def files_of(description: Mapping[str, Any]) -> Iterator[WrittenFile]:
    """All files of a snapshot."""
    for _, _, file in description["terms"]:
        yield WrittenFile.from_json(file)
    for table in description["tables"]:
        yield WrittenFile.from_json(table["file"])
    if "times" in description:
        yield WrittenFile.from_json(description["times"])


def _names(core: Core, numbers: Sequence[int]) -> dict[str, tuple[int, int]]:
    """The relations that only one rule has: the place of the rule in the text, and which of its relations it is."""
    parts = [(place, core.parts[number]) for place, number in enumerate(numbers) if number in core.parts]
    return {name: (place, at) for place, part in parts for at, name in enumerate(part.arities)}


def _is_rebuilt(engine: LocalEngine, rules: RuleText) -> bool:
    """Whether the text of the rules gives the same relations again, so that what was derived can be saved.

    It does unless one of the two ways to build the core form, from a text and by changes, has a fault.
    """
    again = core_of(schema_of(rules.to_json()).program, modules=engine.modules)
    made, found = _names(engine.core, rules.numbers), _names(again, range(len(rules.numbers)))

    def arities(core: Core, names: Mapping[str, tuple[int, int]]) -> dict[object, int]:
        return {names.get(name, name): arity for name, arity in core.arities.items()}

    return set(again.given) == set(engine.core.given) and arities(again, found) == arities(engine.core, made)


def _tables(engine: LocalEngine, rules: RuleText, *, is_derived: bool) -> Iterator[_Held]:
    names = _names(engine.core, rules.numbers)
    for name, table in engine.state.tables.items():
        if is_derived or name not in engine.derived:
            yield _Held(STORED, names.get(name, name), table)
    for name, table in engine.state.explicit.items():
        if name in engine.derived:
            yield _Held(EXPLICIT, name, table)


def _rows(table: Table) -> tuple[NDArray[np.int32], NDArray[np.int32] | None]:
    """The rows without tombstones, and the counters of these."""
    counters = table.counters
    if counters is not None and table.arity:
        all_rows = table.all_rows
        counters = counters[:, : len(all_rows)][:, all_rows[:, 0] >= 0]
    return table.rows, counters


def _write_terms(
    files: FileOperations, folder: Path, path: str, terms: Dictionary, tables: Sequence[Table]
) -> tuple[Int32s, list[list[object]]]:
    """Write the values in use, kind by kind; for each id the new one, and the files."""
    is_used = np.zeros(max(1, len(terms)), np.bool_)
    for table in tables:
        is_used[table.rows.reshape(-1)] = True
    used = np.flatnonzero(is_used).astype(np.int32)
    new_ids, written, count = np.full(len(is_used), -1, np.int32), list[list[object]](), 0
    for kind in KINDS:
        ids = used[terms.have_kind(kind, used)]
        if len(ids):
            new_ids[ids] = np.arange(count, count + len(ids), dtype=np.int32)
            table = pa.table({"content": terms.content_of(kind, ids)})
            file = write_table(files, folder, f"{path}/terms-{kind.value}.arrow", table)
            written.append([kind.value, len(ids), file.to_json()])
            count += len(ids)
    return new_ids, written


# --- reading -------------------------------------------------------------------------------------------------------------


def read_snapshot(folder: Path, description: Mapping[str, Any], options: Mapping[str, Any]) -> tuple[Schema, LocalEngine]:
    """The schema and the engine of a snapshot; every file is checked before anything of it is used."""
    schema = schema_of(description["rules"])
    engine = LocalEngine(schema.program, modules=options["modules"], algorithm=options["algorithm"])
    state = engine.state
    _read_terms(folder, description["terms"], state.terms)
    names = {place: name for name, place in _names(engine.core, range(len(schema.program.rules))).items()}

    def name_of(saved: str | list[int]) -> str:
        return saved if isinstance(saved, str) else names[saved[0], saved[1]]

    times, first_time = _read_times(folder, description), 0
    state.store.clock[0] = description.get("clock", 0)
    is_derived = description["derived"] and not any(_is_closed_now(saved, engine.core) for saved in description["tables"])
    for saved in description["tables"]:
        came = times[first_time : first_time + saved.get("times", 0)]
        first_time += len(came)
        name, file = engine.core.stored_name(name_of(saved["name"])), WrittenFile.from_json(saved["file"])
        if description["derived"] and not is_derived and saved["role"] != EXPLICIT and name in engine.structure.deriver:
            continue  # it is derived again
        rows, counters = rows_of(read_table(folder, file), saved["arity"])
        if rows.size and not 0 <= rows.min() <= rows.max() < len(state.terms):
            raise damaged(folder / file.path, 0, "it has an id without a value")
        table = state.ensure_table(name, saved["arity"])
        if saved["role"] == EXPLICIT:
            table = state.explicit_table(name)
            if not is_derived:
                state.tables[name].insert(rows)
        _fill(table, rows, counters, saved)
        if len(came):
            table.set_times(came, saved["unordered"])
    if is_derived:
        _finish(engine)
        for name, costs in description["costs"]:
            number = engine.structure.deriver.get(name_of(name))
            if number is not None:
                engine.runtime(number).costs = Costs(**costs)
    return schema, engine


def _is_closed_now(saved: Mapping[str, Any], core: Core) -> bool:
    """Whether a relation was saved with all its pairs, by an earlier version, that is closed by a module now."""
    return isinstance(saved["name"], str) and saved["name"] in core.given


def _read_terms(folder: Path, saved: Sequence[tuple[str, int, Any]], terms: Dictionary) -> None:
    terms.reserve(sum(count for _, count, _ in saved), 0)
    kinds = {kind.value: kind for kind in KINDS}
    for kind, _, file in saved:
        column = read_table(folder, WrittenFile.from_json(file)).column("content")
        content = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        terms.reserve(0, content.nbytes)
        terms.encode_content(kinds[kind], content)


def _read_times(folder: Path, description: Mapping[str, Any]) -> Int64s:
    """When the rows of all tables came; nothing if an earlier version has saved them."""
    if "times" not in description:
        return np.empty((0, TIMES_WIDTH), np.int64)
    words = array_of(read_table(folder, WrittenFile.from_json(description["times"])), "word")
    return words.reshape(-1, TIMES_WIDTH).copy()


def _fill(table: Table, rows: NDArray[np.int32], counters: NDArray[np.int32] | None, saved: Mapping[str, Any]) -> None:
    table.uses_bits = table.uses_bits and counters is None
    table.fill(rows)
    table.forget_times(unordered=saved.get("unordered", len(rows)))
    table.mark_delta()
    if counters is not None:
        table.counters = counters.copy()
    for columns in saved["indexes"]:
        table.extend_index(table.index_on(columns))
    if saved["loses_rows"]:
        table.prepare_removal()


def _finish(engine: LocalEngine) -> None:
    """What follows has been derived: virtual relations are closed, and all functions have been computed."""
    state = engine.state
    evaluation = Evaluation(state, Watch(Limits(None, None, None), None), Statistics())
    for number in engine.structure.numbers_in_order():
        for name, operator in engine.structure.units[number].operators.items():
            if isinstance(operator, Closure):
                evaluation.close(name, operator)
            elif isinstance(operator, FunctionCalls):
                state.answered[operator.requested] = state.tables[operator.requested].end
    engine.has_derived = True
