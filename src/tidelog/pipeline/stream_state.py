"""What a streaming job has to know when it goes on, in a folder: explicit facts, how far the stream has come, and who may write.

    CLAIM                       the epoch of the job that may write; a job that has been taken over cannot commit any more
    commits/00000013.json       what counts is the last of these; each is created once and never changed
    snapshots/00000010-2/       the explicit facts when commit 10 was made, in epoch 2, relation by relation, in Parquet
    log/00000011-2.parquet, …   which explicit facts went and came with each commit since then

A commit is made in this order: what belongs to it is written (its part of the log, and files of the change feed and of broken
updates under hidden names), then the file in `commits` is created, which is the moment that it counts, then the hidden files get
their names. Whatever happens in between, the next job finds the last commit whole, gives names to what belongs to it, and
removes the rest. What follows from the facts is not kept: it is derived once, so that nothing on disk can disagree with it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from tidelog.errors import TidelogError, fail
from tidelog.pipeline.stores import LocalStore, synchronise
from tidelog.spark.keeping import KeptFacts

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG = pa.schema([("came", pa.bool_()), ("relation", pa.string()), ("arity", pa.int32()), ("keys", pa.list_(pa.string()))])
HIDDEN = ".epoch-"
"""How names of files begin that do not belong to a commit yet."""
_IN_PROCESS = 2_000_000
"""Facts of a relation that are read into this process; more are left to Spark."""


@dataclass(frozen=True, slots=True)
class Commit:
    """How far a stream has come."""

    number: int = 0
    epoch: int = 0
    query: str = ""
    batch: int = -1
    """Spark's ids of the query and of its last batch."""
    rows: int = 0
    """How many updates of that batch have had their turn: all, unless the job was to stop at one of them."""
    file: str = ""
    line: int = 0
    """The last update that has been worked off."""
    updates: int = 0
    broken: int = 0
    """How many have been worked off, and how many were set aside, since the beginning."""
    snapshot: str = ""
    log: tuple[str, ...] = ()
    """The names of the snapshot, and of the parts of the log since then."""
    program: str = ""
    """The rules, if updates have changed them since the job file's."""
    program_before: str = ""
    """Those of the job file, then."""
    files: tuple[str, ...] = ()
    """What was written under hidden names and belongs to this commit."""

    @property
    def position(self) -> tuple[str, int]:
        """The last update that has been worked off."""
        return self.file, self.line


class StreamState:
    """The folder, while one job uses it."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._store = LocalStore(self.folder)
        self.epoch = 0
        self.last: Commit | None = None

    def open(self) -> Commit | None:
        """Claim the folder, finish what the last commit left to do, and remove what belongs to none; the last commit."""
        try:
            claimed = int((self._store.read("CLAIM") or "0").strip() or 0)
            numbers = [int(name.removesuffix(".json")) for name in self._store.entries("commits") if name.endswith(".json")]
            self.last = self._read(max(numbers)) if numbers else None
            self.epoch = max(claimed, self.last.epoch if self.last is not None else 0) + 1
            self._store.replace("CLAIM", f"{self.epoch}\n")
            self._tidy(numbers)
        except (OSError, ValueError) as error:
            raise self._broken(error) from error
        return self.last

    def claim_still_holds(self) -> None:
        """Raise an error if another job has taken over."""
        if (self._store.read("CLAIM") or "").strip() != str(self.epoch):
            raise self._taken_over()

    def _read(self, number: int) -> Commit:
        try:
            kept = json.loads(self._store.read(f"commits/{number:08}.json") or "")
            return Commit(**{**kept, "log": tuple(kept["log"]), "files": tuple(kept["files"])})
        except (ValueError, KeyError, TypeError) as error:
            raise self._broken(error) from error

    def _tidy(self, numbers: Iterable[int]) -> None:
        last = self.last
        if last is not None:
            for path in map(Path, last.files):
                if hidden(path, last.epoch).exists():
                    hidden(path, last.epoch).replace(path)
        for number in numbers:
            if last is not None and number < last.number:
                self._store.remove(f"commits/{number:08}.json")
        for name in self._store.entries("log"):
            if last is None or name not in last.log:
                self._store.remove(f"log/{name}")
        for name in self._store.entries("snapshots"):
            if last is None or name != last.snapshot:
                self._store.remove(f"snapshots/{name}")
        for name in self._store.entries("commits"):
            if not name.endswith(".json"):
                self._store.remove(f"commits/{name}")

    # --- facts -----------------------------------------------------------------------------------------------------------

    def facts(self, spark: SparkSession) -> Iterator[KeptFacts]:
        """The explicit facts as of the last commit: those of the snapshot, and what has changed since."""
        assert self.last is not None
        came, went = self._changes()
        folder = self.folder / "snapshots" / self.last.snapshot
        known = json.loads((folder / "relations.json").read_text(encoding="utf-8"))
        for entry in known:
            name, arity = entry["relation"], entry["arity"]
            path = folder / entry["path"]
            changed = [changes.pop((name, arity), None) for changes in (went, came)]
            keys: Any = pq.read_table(path) if entry["rows"] <= _IN_PROCESS else spark.read.parquet(f"file://{path.absolute()}")
            for table in changed:  # what came may be there already
                keys = keys if table is None else _without(keys, table, spark)
            yield KeptFacts(name, arity, keys, entry["rows"])
            if changed[1] is not None:
                yield KeptFacts(name, arity, changed[1], changed[1].num_rows)
        for (name, arity), table in came.items():
            yield KeptFacts(name, arity, table, table.num_rows)

    def _changes(self) -> tuple[dict[tuple[str, int], pa.Table], dict[tuple[str, int], pa.Table]]:
        """What has come and what has gone since the snapshot, by relation and arity: of each fact the last word counts."""
        assert self.last is not None
        words: dict[tuple[str, int], dict[tuple[str, ...], bool]] = {}
        for name in self.last.log:
            table = pq.read_table(self.folder / "log" / name)
            for row in table.to_pylist():
                words.setdefault((row["relation"], row["arity"]), {})[tuple(row["keys"])] = row["came"]
        results: list[dict[tuple[str, int], pa.Table]] = []
        for wanted in (True, False):
            found = {at: [keys for keys, came in facts.items() if came is wanted] for at, facts in words.items()}
            results.append({at: _table(keys) for at, keys in found.items() if keys})
        return results[0], results[1]

    # --- commits ---------------------------------------------------------------------------------------------------------

    @property
    def coming(self) -> str:
        """The name of the next commit; with the epoch, so that two jobs never write one file."""
        return f"{self.last.number + 1 if self.last is not None else 0:08}-{self.epoch}"

    def write_log(self, changes: Iterable[tuple[bool, KeptFacts]]) -> tuple[str, ...]:
        """Write what the next commit changes; the name of that part of the log, if there is anything."""
        batches = []
        for came, facts in changes:
            table = facts.keys if isinstance(facts.keys, pa.Table) else facts.keys.toArrow()
            keys = [list(row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]
            columns = [[came] * len(keys), [facts.relation] * len(keys), [facts.arity] * len(keys), keys]
            batches.append(pa.table(dict(zip(_LOG.names, columns, strict=True)), _LOG))
        if not batches:
            return ()
        name = f"{self.coming}.parquet"
        (self.folder / "log").mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.concat_tables(batches), self.folder / "log" / name)
        return (name,)

    def write_snapshot(self, facts: Iterable[KeptFacts]) -> str:
        """Write all explicit facts; the name of the snapshot."""
        folder = self.folder / "snapshots" / self.coming
        folder.mkdir(parents=True)
        known = []
        for at, kept in enumerate(facts):
            path = folder / f"{at}.parquet"
            if isinstance(kept.keys, pa.Table):
                pq.write_table(kept.keys, path)
            else:
                kept.keys.write.parquet(f"file://{path.absolute()}")
            known.append({"relation": kept.relation, "arity": kept.arity, "rows": kept.rows, "path": path.name})
        (folder / "relations.json").write_text(json.dumps(known, ensure_ascii=False), encoding="utf-8")
        return folder.name

    def commit(self, commit: Commit) -> None:
        """Let a commit count, if nobody else has taken over; then tidy up behind it."""
        try:
            made = replace(commit, number=self.last.number + 1 if self.last is not None else 0, epoch=self.epoch)
            if self.last is None or made.snapshot != self.last.snapshot:
                self._store.make_durable(f"snapshots/{made.snapshot}")
            for name in made.log[-1:]:
                synchronise(self.folder / "log" / name)
            for path in map(Path, made.files):
                synchronise(hidden(path, self.epoch))
            self.claim_still_holds()
            self._create(f"commits/{made.number:08}.json", json.dumps(asdict(made), ensure_ascii=False) + "\n")
            before, self.last = self.last, made
            self._tidy([before.number] if before is not None else [])
        except OSError as error:
            raise self._broken(error) from error

    def _create(self, name: str, text: str) -> None:
        """Make a file that is not there, whole and at once."""
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.{self.epoch}")
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(temporary, target)
        except FileExistsError:
            raise self._taken_over() from None
        finally:
            temporary.unlink(missing_ok=True)
        self._store.make_durable("commits")

    def _taken_over(self) -> TidelogError:
        fix = "let one job end before the next begins; nothing of this one's last batch counts"
        return fail("TL093", f"another job has taken over {self.folder}", fix=fix)

    def _broken(self, error: Exception) -> TidelogError:
        problem = getattr(error, "strerror", None) or str(error)
        return fail("TL077", f"cannot go on with the state in {self.folder}: {problem}", fix="start over in another folder")


def hidden(path: Path, epoch: int) -> Path:
    """The name that a file has until it belongs to a commit."""
    return path.with_name(f"{HIDDEN}{epoch}.{path.name}")


def _table(rows: list[tuple[str, ...]]) -> pa.Table:
    return pa.table({f"k{at}": pa.array([row[at] for row in rows], pa.string()) for at in range(len(rows[0]))})


def _without(keys: Any, others: pa.Table, spark: SparkSession) -> Any:
    """Facts that are not among others."""
    if isinstance(keys, pa.Table):
        return keys.join(others, others.column_names, join_type="left anti")
    from pyspark.sql import functions as f

    return keys.join(f.broadcast(spark.createDataFrame(others)), others.column_names, "left_anti")
