"""What a streaming job has to know when it goes on, in a folder: explicit facts, how far the stream has come, and who may write.

    commits/00000013.json       what counts is the last of these; each is created once and never changed
    snapshots/00000010-7/       the explicit facts when commit 10 was made, in epoch 7, relation by relation, in Parquet
    log/00000011-7.parquet, …   which explicit facts went and came with each commit since then

Commits are a chain: the file of one is created only if its number is free. A job begins with a commit that repeats the last one;
its number is the job's epoch. A job that was at work until then finds its next number taken, and cannot commit any more.

A commit is made in this order: what belongs to it is written (its part of the log, and files of the change feed and of broken
updates under hidden names), then the file in `commits` is created, which is the moment that it counts, then the hidden files get
their names, and what no commit needs is removed, as far as it is not newer. Whatever happens in between, the next job finds the
last commit whole, gives names to what belongs to it, and removes the rest. What follows from the facts is not kept: it is derived
once, so that nothing on disk can disagree with it.
"""

from __future__ import annotations

import errno
import json
import os
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from tidelog.errors import TidelogError, fail
from tidelog.pipeline.batch.stores import LocalStore, synchronise
from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot

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
    source: str = ""
    """What kind of stream the updates come from."""
    file: str = ""
    line: int = 0
    """The last update that has been worked off."""
    seen: int = -1
    """How many files of updates there were up to that one, if they come from files."""
    updates: int = 0
    broken: int = 0
    """How many have been worked off, and how many were set aside, since the beginning."""
    snapshot: str = ""
    log: tuple[str, ...] = ()
    """The names of the snapshot, and of the parts of the log since then."""
    pending: int = 0
    """How many commits the sinks and the snapshot are behind."""
    rules: str = ""
    """What tells the rules of the job file when the sinks were written from others."""
    program: str = ""
    """The rules, if updates have changed them since the job file's."""
    program_before: str = ""
    """Those of the job file, then."""
    files: tuple[str, ...] = ()
    """What was written under hidden names and belongs to this commit."""
    hidden_by: int = 0
    """The epoch in which that was written."""

    @property
    def position(self) -> tuple[str, int]:
        """The last update that has been worked off."""
        return self.file, self.line


class TakenOverError(TidelogError):
    """Another job has begun to use the folder."""


class StreamState:
    """The folder, while one job uses it."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._store = LocalStore(self.folder)
        self.epoch = 0
        self.last: Commit | None = None

    def open(self) -> Commit | None:
        """Take over from whoever was at work, finish what the last commit left to do, and remove what belongs to none.

        The last commit, or None if nothing has been read yet.
        """
        try:
            is_ours = False
            while not is_ours:
                before = self._newest()
                if before is None and (self.folder / "checkpoint").exists():
                    raise self._broken(FileNotFoundError(errno.ENOENT, "there are no commits, but a checkpoint of Spark's"))
                number = 0 if before is None else before.number + 1
                self.epoch, self.last = number, replace(before or Commit(), number=number, epoch=number)
                is_ours = self._create(self.last)
            self._tidy()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._broken(error) from error
        return self.last if self.last is not None and self.last.snapshot else None

    def claim_still_holds(self) -> None:
        """Raise an error if another job has taken over."""
        if self.last is not None and max(self._numbers(), default=-1) != self.last.number:
            raise self._taken_over()

    def _numbers(self) -> list[int]:
        names = self._store.entries("commits")
        return [int(name.removesuffix(".json")) for name in names if name.endswith(".json") and not name.startswith(".")]

    def _newest(self) -> Commit | None:
        while numbers := self._numbers():
            text = self._store.read(f"commits/{max(numbers):08}.json")
            if text is not None:  # else there is a newer one, which took this one's place
                kept = json.loads(text)
                return Commit(**{**kept, "log": tuple(kept["log"]), "files": tuple(kept["files"])})
        return None

    def _tidy(self) -> None:
        """Give files of the last commit their names, and remove what it does not need; what is newer is somebody else's."""
        last = self.last
        assert last is not None
        for path in map(Path, last.files):
            with suppress(FileNotFoundError):  # it has its name already
                hidden(path, last.hidden_by).replace(path)
        for folder in {Path(path).parent for path in last.files}:
            synchronise(folder)
        for kind, needed in (("log", last.log), ("snapshots", (last.snapshot,)), ("commits", (f"{last.number:08}.json",))):
            for name in self._store.entries(kind):
                if name not in needed and int(name.lstrip(".")[:8]) <= last.number:
                    self._store.remove(f"{kind}/{name}")

    # --- facts -----------------------------------------------------------------------------------------------------------

    def facts(self, spark: SparkSession) -> Iterator[ExplicitSnapshot]:
        """The explicit facts as of the last commit: those of the snapshot, and what has changed since."""
        try:
            yield from self._facts(spark)
        except (OSError, ValueError, KeyError) as error:
            raise self._broken(error) from error

    def _facts(self, spark: SparkSession) -> Iterator[ExplicitSnapshot]:
        assert self.last is not None
        inserted, deleted = self._changes()
        folder = self.folder / "snapshots" / self.last.snapshot
        known = json.loads((folder / "relations.json").read_text(encoding="utf-8"))
        for entry in known:
            name, arity = entry["relation"], entry["arity"]
            path = folder / entry["path"]
            changed = [changes.pop((name, arity), None) for changes in (deleted, inserted)]
            keys: Any = pq.read_table(path) if entry["rows"] <= _IN_PROCESS else spark.read.parquet(f"file://{path.absolute()}")
            for table in changed:  # what came may be there already
                keys = keys if table is None else _without(keys, table, spark)
            yield ExplicitSnapshot(name, arity, keys, entry["rows"])
            if changed[1] is not None:
                yield ExplicitSnapshot(name, arity, changed[1], changed[1].num_rows)
        for (name, arity), table in inserted.items():
            yield ExplicitSnapshot(name, arity, table, table.num_rows)

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
            found = {at: [keys for keys, inserted in facts.items() if inserted is wanted] for at, facts in words.items()}
            results.append({at: _table(keys) for at, keys in found.items() if keys})
        return results[0], results[1]

    # --- commits ---------------------------------------------------------------------------------------------------------

    @property
    def coming(self) -> str:
        """The name of the next commit; with the epoch, so that two jobs never write one file."""
        assert self.last is not None
        return f"{self.last.number + 1:08}-{self.epoch}"

    def write_log(self, changes: Iterable[tuple[bool, ExplicitSnapshot]]) -> tuple[str, ...]:
        """Write what the next commit changes; the name of that part of the log, if there is anything."""
        batches = []
        for inserted, facts in changes:
            table = facts.keys if isinstance(facts.keys, pa.Table) else facts.keys.toArrow()
            keys = [list(row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]
            columns = [[inserted] * len(keys), [facts.relation] * len(keys), [facts.arity] * len(keys), keys]
            batches.append(pa.table(dict(zip(_LOG.names, columns, strict=True)), _LOG))
        if not batches:
            return ()
        name = f"{self.coming}.parquet"
        with self._explained():
            (self.folder / "log").mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.concat_tables(batches), self.folder / "log" / name)
        return (name,)

    def write_snapshot(self, facts: Iterable[ExplicitSnapshot]) -> str:
        """Write all explicit facts; the name of the snapshot."""
        folder = self.folder / "snapshots" / self.coming
        known = []
        with self._explained():
            folder.mkdir(parents=True)
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
        assert self.last is not None
        with self._explained():
            hidden_by = self.epoch if commit.files else commit.hidden_by
            made = replace(commit, number=self.last.number + 1, epoch=self.epoch, hidden_by=hidden_by)
            if made.snapshot != self.last.snapshot:
                self._store.make_durable("snapshots")
            for name in made.log[-1:]:
                synchronise(self.folder / "log" / name)
                synchronise(self.folder / "log")
            for path in map(Path, made.files):
                synchronise(hidden(path, self.epoch))
                synchronise(path.parent)
            self.claim_still_holds()
            if not self._create(made):
                raise self._taken_over()
            self.last = made
            self._tidy()

    def _create(self, made: Commit) -> bool:
        """Make the file of a commit, whole and at once; whether its number was free, and it is the last one."""
        target = self.folder / "commits" / f"{made.number:08}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{made.number:08}.{uuid.uuid4().hex}")
        try:
            with temporary.open("x", encoding="utf-8") as file:
                file.write(json.dumps(asdict(made), ensure_ascii=False) + "\n")
                file.flush()
                os.fsync(file.fileno())
            os.link(temporary, target)
        except (FileExistsError, FileNotFoundError):  # somebody else's, who may have tidied up
            return False
        finally:
            temporary.unlink(missing_ok=True)
        synchronise(target.parent)
        return max(self._numbers()) == made.number  # a number may be free again when others have passed it

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Around writing: what cannot be written is an error with a code; whoever has taken over may have removed the folder."""
        try:
            yield
        except OSError as error:
            self.claim_still_holds()
            raise self._broken(error) from error

    def _taken_over(self) -> TakenOverError:
        fix = "let one job end before the next begins; what this one has not committed does not count"
        return TakenOverError(fail("TL093", f"another job has taken over {self.folder}", fix=fix).diagnostics)

    def _broken(self, error: Exception) -> TidelogError:
        problem = (getattr(error, "strerror", None) or str(error)).splitlines()[0]
        where = f" ({error.filename})" if isinstance(error, OSError) and error.filename is not None else ""
        return fail(
            "TL077", f"cannot go on with the state in {self.folder}: {problem}{where}", fix="start over in another folder"
        )


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
