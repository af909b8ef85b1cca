"""The state of a streaming job in a folder: a commit log with the position in the stream, and snapshots of the explicit facts.

    commits/00000013.json       the last of these is the state; each is created once and never changed
    snapshots/00000010-7/       the explicit facts at commit 10, written in epoch 7, relation by relation, in Parquet
    log/00000011-7.parquet, …   the explicit facts that each commit since then deleted and inserted

Commits are a chain: the file of one is created only if its number is free. A job begins with a commit that repeats the last one;
the number of that commit is the job's fencing epoch. A job that ran until then finds its next number taken, and can never commit.

A commit is made in this order. Its part of the log is written, and its files of the change feed and of refused updates, under
hidden names. The file in `commits` is created, with which the commit takes effect. The hidden files are renamed. Files that no
commit needs are removed, unless they are newer. If the job ends in between, the next job finds the last commit complete, renames
its files, and removes the rest. Derived facts are not stored: they are derived once at the start, so no file can disagree with
them.
"""

from __future__ import annotations

import errno
import json
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from tidelog.errors import TidelogError, fail
from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot
from tidelog.stores import Store, store_at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG = pa.schema([("came", pa.bool_()), ("relation", pa.string()), ("arity", pa.int32()), ("keys", pa.list_(pa.string()))])
CHECKPOINT = "checkpoint"
"""The folder in the state that Spark uses, if it delivers the updates."""
HIDDEN = ".epoch-"
"""The prefix of files that belong to no commit yet."""
_WRITER = "writer"
"""Makes each commit file a different text, so that a job knows its own."""
_IN_PROCESS = 2_000_000
"""Most facts of a relation that are read into this process; Spark reads more."""


@dataclass(frozen=True, slots=True)
class Commit:
    """An entry of the commit log: the position in the stream, and the files that make up the state."""

    number: int = 0
    epoch: int = 0
    query: str = ""
    batch: int = -1
    """Spark's ids of the query and of its last micro-batch."""
    rows: int = 0
    """How many updates of that micro-batch were processed: all, unless the job stopped at one of them."""
    source: str = ""
    """The kind of stream that the updates come from."""
    file: str = ""
    line: int = 0
    """The place of the last update."""
    seen: int = -1
    """How many files of updates there were up to that one; -1 if updates do not come from files."""
    updates: int = 0
    broken: int = 0
    """How many were applied, and how many were refused, since the beginning."""
    snapshot: str = ""
    log: tuple[str, ...] = ()
    """The names of the snapshot, and of the parts of the log since then."""
    pending: int = 0
    """How many commits were made since the last snapshot, with which the sinks are published."""
    rules: str = ""
    """A hash of the job file's rules when the sinks were published."""
    program: str = ""
    """The rules, if updates have changed those of the job file."""
    program_before: str = ""
    """Those of the job file at that time."""
    files: tuple[str, ...] = ()
    """The files of this commit that were written under hidden names."""
    hidden_by: int = 0
    """The epoch in which they were written."""

    @property
    def position(self) -> tuple[str, int]:
        """The place of the last update."""
        return self.file, self.line


class TakenOverError(TidelogError):
    """Another job has begun to use the folder."""


class StreamState:
    """The state folder, used by one job."""

    def __init__(self, folder: str | PathLike[str], store_of: Callable[[str], Store] = store_at) -> None:
        """`store_of` gives the store of an address, if it takes Spark to reach it."""
        self.folder, self._store_of = fspath(folder).rstrip("/"), store_of
        self.store = store_of(self.folder)
        self.epoch = 0
        self.last: Commit | None = None

    @property
    def has_commits(self) -> bool:
        """Whether a job has used the folder before."""
        try:
            return bool(self.store.entries("commits"))
        except OSError as error:
            raise self._broken(error) from error

    def open(self) -> Commit | None:
        """Begin a new epoch, finish the last commit, and remove files that belong to none.

        The last commit, or None if there is no snapshot yet.
        """
        try:
            is_ours = False
            while not is_ours:
                before = self._newest()
                if before is None and CHECKPOINT in self.store.entries():
                    raise self._broken(FileNotFoundError(errno.ENOENT, "there are no commits, but a checkpoint of Spark's"))
                number = 0 if before is None else before.number + 1
                self.epoch, self.last = number, replace(before or Commit(), number=number, epoch=number)
                is_ours = self._create(self.last)
            self._tidy()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._broken(error) from error
        return self.last if self.last is not None and self.last.snapshot else None

    def check_epoch(self) -> None:
        """Raise an error if another job has begun a newer epoch."""
        if self.last is not None and max(self._numbers(), default=-1) != self.last.number:
            raise self._taken_over()

    def _numbers(self) -> list[int]:
        names = self.store.entries("commits")
        return [int(name.removesuffix(".json")) for name in names if name.endswith(".json") and not name.startswith(".")]

    def _newest(self) -> Commit | None:
        while numbers := self._numbers():
            text = self.store.read(f"commits/{max(numbers):08}.json")
            if text is not None:  # else a newer one has replaced it
                kept = json.loads(text)
                kept.pop(_WRITER, None)
                return Commit(**{**kept, "log": tuple(kept["log"]), "files": tuple(kept["files"])})
        return None

    def _tidy(self) -> None:
        """Rename the hidden files of the last commit, and remove what it does not need; newer files belong to another job."""
        last = self.last
        assert last is not None
        for folder, name in map(_parted, last.files):
            self._store_of(folder).rename(hidden(name, last.hidden_by), name)
        for kind, needed in (("log", last.log), ("snapshots", (last.snapshot,)), ("commits", (f"{last.number:08}.json",))):
            for name in self.store.entries(kind):
                if name not in needed and int(name.lstrip(".")[:8]) <= last.number:
                    self.store.remove(f"{kind}/{name}")

    # --- facts -----------------------------------------------------------------------------------------------------------

    def facts(self, spark: SparkSession) -> Iterator[ExplicitSnapshot]:
        """The explicit facts as of the last commit: those of the snapshot, with the changes of the log."""
        try:
            yield from self._facts(spark)
        except (OSError, ValueError, KeyError) as error:
            raise self._broken(error) from error

    def _facts(self, spark: SparkSession) -> Iterator[ExplicitSnapshot]:
        assert self.last is not None
        inserted, deleted = self._changes()
        folder = f"snapshots/{self.last.snapshot}"
        text = self.store.read(f"{folder}/relations.json")
        if text is None:
            raise FileNotFoundError(errno.ENOENT, "the snapshot is not there", self.store.address(folder))
        known = json.loads(text)
        for entry in known:
            name, arity = entry["relation"], entry["arity"]
            path = f"{folder}/{entry['path']}"
            changed = [changes.pop((name, arity), None) for changes in (deleted, inserted)]
            keys: Any = self._table(path) if entry["rows"] <= _IN_PROCESS else spark.read.parquet(self.store.address(path))
            for table in changed:  # inserted facts may be in the snapshot already
                keys = keys if table is None else _without(keys, table, spark)
            yield ExplicitSnapshot(name, arity, keys, entry["rows"])
            if changed[1] is not None:
                yield ExplicitSnapshot(name, arity, changed[1], changed[1].num_rows)
        for (name, arity), table in inserted.items():
            yield ExplicitSnapshot(name, arity, table, table.num_rows)

    def _table(self, name: str) -> pa.Table:
        with self.store.at_hand(name) as path:
            return pq.read_table(path)

    def _changes(self) -> tuple[dict[tuple[str, int], pa.Table], dict[tuple[str, int], pa.Table]]:
        """Facts inserted and deleted since the snapshot, by relation and arity; the last change of each fact counts."""
        assert self.last is not None
        changes: dict[tuple[str, int], dict[tuple[str, ...], bool]] = {}
        for name in self.last.log:
            for row in self._table(f"log/{name}").to_pylist():
                changes.setdefault((row["relation"], row["arity"]), {})[tuple(row["keys"])] = row["came"]
        results: list[dict[tuple[str, int], pa.Table]] = []
        for wanted in (True, False):
            found = {at: [keys for keys, inserted in facts.items() if inserted is wanted] for at, facts in changes.items()}
            results.append({at: _table(keys) for at, keys in found.items() if keys})
        return results[0], results[1]

    # --- commits ---------------------------------------------------------------------------------------------------------

    @property
    def next_name(self) -> str:
        """The name of the next commit's files; with the epoch, so that two jobs never write the same file."""
        assert self.last is not None
        return f"{self.last.number + 1:08}-{self.epoch}"

    def write_log(self, changes: Iterable[tuple[bool, ExplicitSnapshot]]) -> tuple[str, ...]:
        """Write the changes of the next commit to the log; the name of the file, if there are any."""
        batches = []
        for inserted, facts in changes:
            table = facts.keys if isinstance(facts.keys, pa.Table) else facts.keys.toArrow()
            keys = [list(row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]
            columns = [[inserted] * len(keys), [facts.relation] * len(keys), [facts.arity] * len(keys), keys]
            batches.append(pa.table(dict(zip(_LOG.names, columns, strict=True)), _LOG))
        if not batches:
            return ()
        name = f"{self.next_name}.parquet"
        with self._explained():
            self._write(pa.concat_tables(batches), f"log/{name}")
        return (name,)

    def write_snapshot(self, facts: Iterable[ExplicitSnapshot]) -> str:
        """Write all explicit facts; the name of the snapshot."""
        name, known = self.next_name, []
        with self._explained():
            for at, kept in enumerate(facts):
                path = f"snapshots/{name}/{at}.parquet"
                if isinstance(kept.keys, pa.Table):
                    self._write(kept.keys, path)
                else:
                    kept.keys.write.parquet(self.store.address(path))
                known.append({"relation": kept.relation, "arity": kept.arity, "rows": kept.rows, "path": f"{at}.parquet"})
            self.store.replace(f"snapshots/{name}/relations.json", json.dumps(known, ensure_ascii=False))
        return name

    def _write(self, table: pa.Table, name: str) -> None:
        with self.store.writing(name) as path:
            pq.write_table(table, path)

    def commit(self, commit: Commit) -> None:
        """Make a commit, unless another job has taken over; then remove what is no longer needed."""
        assert self.last is not None
        with self._explained():
            hidden_by = self.epoch if commit.files else commit.hidden_by
            made = replace(commit, number=self.last.number + 1, epoch=self.epoch, hidden_by=hidden_by)
            if made.snapshot != self.last.snapshot:
                self.store.make_durable(f"snapshots/{made.snapshot}")
            for name in made.log[-1:]:
                self.store.make_durable(f"log/{name}")
            for folder, name in map(_parted, made.files):
                self._store_of(folder).make_durable(hidden(name, self.epoch))
            self.check_epoch()
            if not self._create(made):
                raise self._taken_over()
            self.last = made
            self._tidy()

    def _create(self, made: Commit) -> bool:
        """Create the file of a commit atomically; whether its number was free, and it is the last one."""
        text = json.dumps({**asdict(made), _WRITER: uuid.uuid4().hex}, ensure_ascii=False)
        is_ours = self.store.create(f"commits/{made.number:08}.json", text + "\n")
        return is_ours and max(self._numbers()) == made.number  # a number is free again when later commits have replaced it

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Around writing: turns an OSError into a coded error; a job that has taken over may have removed the folder."""
        try:
            yield
        except OSError as error:
            self.check_epoch()
            raise self._broken(error) from error

    def _taken_over(self) -> TakenOverError:
        fix = "let one job end before the next begins; what this one had not committed is discarded"
        return TakenOverError(fail("TL093", f"another job has taken over {self.folder}", fix=fix).diagnostics)

    def _broken(self, error: Exception) -> TidelogError:
        problem = (getattr(error, "strerror", None) or str(error)).splitlines()[0]
        where = f" ({error.filename})" if isinstance(error, OSError) and error.filename is not None else ""
        return fail(
            "TL077", f"cannot resume from the state in {self.folder}: {problem}{where}", fix="start over in another folder"
        )


def hidden(name: str, epoch: int) -> str:
    """The name of a file before its commit."""
    return f"{HIDDEN}{epoch}.{name}"


def _parted(address: str) -> tuple[str, str]:
    """The folder and the name of a file."""
    folder, _, name = address.rpartition("/")
    return folder, name


def _table(rows: list[tuple[str, ...]]) -> pa.Table:
    return pa.table({f"k{at}": pa.array([row[at] for row in rows], pa.string()) for at in range(len(rows[0]))})


def _without(keys: Any, others: pa.Table, spark: SparkSession) -> Any:
    """Facts that are not among others."""
    if isinstance(keys, pa.Table):
        return keys.join(others, others.column_names, join_type="left anti")
    from pyspark.sql import functions as f

    return keys.join(f.broadcast(spark.createDataFrame(others)), others.column_names, "left_anti")
