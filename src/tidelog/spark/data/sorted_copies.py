"""Facts of a relation by the values of a column, which the driver reads from files that are in its order, without a job.

An update that changes a handful of facts asks for a handful of others, again and again, and a job that scans a relation for
them costs more than all of them.  So a relation from which few facts are asked gets a copy in the order of a column: files in
groups of some ten thousand facts, of which the driver knows the first and the last value.  A copy has the facts of some segments
with their times, deleted ones included.  Segments are immutable, so it lasts as long as they do, and snapshots of a relation
share it; later segments get one of their own.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq

from tidelog.core.arrays import Int32s, Int64s
from tidelog.spark.data.matrices import columns, rows_of_table, union

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.spark.session.lineage import Lineage
    from tidelog.stores import Store

ASKED_BEFORE = 2
"""A copy is written when facts have been asked for so many times: it costs about as much as these scans."""
_FACTS_A_FILE, _MOST_FILES = 1 << 19, 64
_KEPT = 8
"""So many groups of a copy are kept."""
_FEW_READ, _MOST_READ = 1 << 15, 1 << 20
"""So many facts to read are few enough not to look for a better column; what takes more is left to Spark."""
Bound = Mapping[int, Int32s]
"""By column, values in order, each once: wanted are facts that have one of them in each of these columns."""
Segments = Sequence[tuple["DataFrame", Callable[[], "DataFrame"], int]]
"""Segments, the same with times, and how many facts they have."""


@dataclass(frozen=True, slots=True)
class SortedCopy:
    """The facts of some segments, with their times in one more column, in the order of a column."""

    at: int
    segments: tuple[weakref.ref[DataFrame], ...]
    store: Store
    folder: str
    files: list[tuple[str, pq.FileMetaData]]
    places: Int64s
    """For each group its file, its place in it, and how many facts it has."""
    firsts: Int32s
    lasts: Int32s
    _recent: dict[int, Int32s] = field(default_factory=dict)

    @classmethod
    def of(cls, at: int, segments: Iterable[DataFrame], store: Store, folder: str) -> SortedCopy:
        """What is in a folder."""
        files: list[tuple[str, pq.FileMetaData]] = []
        found: list[tuple[int, int, int, int, int]] = []
        for name in store.entries(folder):
            if name.endswith(".parquet"):
                with store.opened(path := f"{folder}/{name}") as source:
                    about = pq.read_metadata(source)
                for group in range(about.num_row_groups):
                    values = about.row_group(group).column(at).statistics
                    found.append((len(files), group, about.row_group(group).num_rows, values.min, values.max))
                files.append((path, about))
        table = np.array(found, np.int64).reshape(-1, 5)
        segments_of = tuple(weakref.ref(segment) for segment in segments)
        return cls(at, segments_of, store, folder, files, table[:, :3], *table[:, 3:].T.astype(np.int32))

    def groups(self, values: Int32s) -> Int64s:
        """The groups that may have any of some values, which are in order."""
        begin, end = np.searchsorted(values, self.firsts, "left"), np.searchsorted(values, self.lasts, "right")
        return np.flatnonzero(begin < end)

    def read(self, groups: Int64s) -> Int32s:
        """The facts of some groups; a few are kept, since round after round asks for neighbours."""
        if len(groups) > _KEPT:
            return self._fetched(groups)
        found = []
        for group in groups.tolist():
            facts = self._recent.pop(group, None)
            self._recent[group] = facts if facts is not None else self._fetched(np.array([group]))
            found.append(self._recent[group])
        while len(self._recent) > _KEPT:
            del self._recent[next(iter(self._recent))]
        return np.concatenate(found)

    def _fetched(self, groups: Int64s) -> Int32s:
        found = []
        for at in np.unique(self.places[groups, 0]).tolist():
            path, about = self.files[at]
            mine = groups[self.places[groups, 0] == at]
            with self.store.opened(path) as source:
                table = pq.ParquetFile(source, metadata=about).read_row_groups(self.places[mine, 1].tolist(), use_threads=False)
            found.append(rows_of_table(table))
        return np.concatenate(found)

    def facts(self, groups: Int64s) -> int:
        """How many facts some groups have."""
        return int(self.places[groups, 2].sum())


@dataclass
class SortedCopies:
    """The copies of one relation and its snapshots."""

    asked: int = 0
    _copies: list[SortedCopy] = field(default_factory=list)

    def rows(self, segments: Segments, width: int, bound: Bound, lineage: Lineage) -> Int32s | None:
        """The facts of some segments, deleted ones included, with their times; None if a job costs less."""
        if not self._copies and self.asked < ASKED_BEFORE:
            self.asked += 1
            return None
        has_copy = {copy.at for copy in self._copies}
        best: tuple[int, list[tuple[SortedCopy, Int64s]]] | None = None
        for at in sorted(bound, key=lambda at: (at not in has_copy, len(bound[at]))):
            chosen = [(copy, copy.groups(bound[at])) for copy in self._of(segments, at, lineage)]
            read = sum(copy.facts(groups) for copy, groups in chosen)
            if best is None or read < best[0]:
                best = read, chosen
            if read <= _FEW_READ:
                break
        if best is None or best[0] > _MOST_READ:
            return None
        found = [copy.read(groups) for copy, groups in best[1] if len(groups)]
        return having(np.concatenate(found), bound) if found else np.empty((0, width + 1), np.int32)

    def _of(self, segments: Segments, at: int, lineage: Lineage) -> list[SortedCopy]:
        """Copies in the order of a column that have the facts of all segments; written, if there are none."""
        self._drop_old(lineage)
        missing, found = {id(segment): place for place, (segment, _, _) in enumerate(segments)}, list[SortedCopy]()
        for copy in self._copies:
            mine = {id(segment()) for segment in copy.segments}
            if copy.at == at and mine <= missing.keys():
                found.append(copy)
                missing = {name: place for name, place in missing.items() if name not in mine}
        if missing:
            some = [segments[place] for place in missing.values()]
            files = min(_MOST_FILES, 1 + sum(count for _, _, count in some) // _FACTS_A_FILE)
            written = lineage.sorted_files(union([timed() for _, timed, _ in some]), columns(at + 1)[at], files)
            found.append(SortedCopy.of(at, (segment for segment, _, _ in some), *written))
            self._copies.append(found[-1])
            weakref.finalize(self, lineage.discard, written[1]).atexit = False
        return found

    def _drop_old(self, lineage: Lineage) -> None:
        """Forget copies of segments that nothing has any more."""
        for copy in [copy for copy in self._copies if any(segment() is None for segment in copy.segments)]:
            self._copies.remove(copy)
            lineage.discard(copy.folder)


def having(rows: Int32s, bound: Bound) -> Int32s:
    """Those of some rows that are wanted."""
    for at, values in bound.items():
        rows = rows[np.isin(rows[:, at], values)]
    return rows
