"""Loading files beside DuckDB: integers, five columns of several types, texts, as CSV and as Parquet.

DuckDB, with one thread, makes a table of the distinct rows, as a relation holds each fact once.  CPU times of all threads, the
best of three, with files in the cache of the system.
"""

from __future__ import annotations

import csv
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
from pyarrow import parquet

from benchmarks.harness.summary import Judgement

SIZES = (20_000, 200_000, 2_000_000)
_REPEATS = 3
_MOST = 1.2
"""Times what DuckDB takes."""
_START = np.datetime64("2000-01-01")


@dataclass(frozen=True)
class Row:
    """What it takes to load one file."""

    content: str
    format: str
    rows: int
    tidelog: float
    duckdb: float


def integers(rows: int) -> pa.Table:
    """Edges of a random graph, two for each node."""
    random = np.random.default_rng(7)
    return pa.table({"x": random.integers(0, rows // 2, rows), "y": random.integers(0, rows // 2, rows)})


def identifiers(rows: int) -> pa.Table:
    """Integers all over 64 bits, each twice or so."""
    random = np.random.default_rng(8)
    known = random.integers(-(2**62), 2**62, rows // 2 + 1)
    return pa.table({"x": known[random.integers(0, len(known), rows)], "y": known[random.integers(0, len(known), rows)]})


def mixed(rows: int) -> pa.Table:
    """Five columns of five types."""
    random = np.random.default_rng(9)
    return pa.table(
        {
            "number": random.integers(0, rows, rows),
            "measure": random.random(rows),
            "name": [f"name{at}" for at in random.integers(0, rows, rows).tolist()],
            "day": _START + random.integers(0, 10_000, rows).astype("timedelta64[D]"),
            "holds": random.integers(0, 2, rows).astype(bool),
        }
    )


def texts(rows: int) -> pa.Table:
    """One column of IRIs, most of them different."""
    random = np.random.default_rng(10)
    return pa.table({"thing": [f"http://example.org/thing/{at}" for at in random.integers(0, 10 * rows, rows).tolist()]})


CONTENTS: dict[str, Callable[[int], pa.Table]] = {
    "integers": integers,
    "identifiers": identifiers,
    "mixed": mixed,
    "texts": texts,
}


def _best(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(_REPEATS):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)


def measure(content: str, ending: str, table: pa.Table, folder: Path) -> Row:
    """Load one file, and let DuckDB load it."""
    import duckdb

    from tidelog import KnowledgeBase

    path = folder / f"{content}{len(table)}.{ending}"
    if ending == "csv":
        arrow_csv.write_csv(table, path)
    else:
        parquet.write_table(table, path)
    loaded: list[KnowledgeBase] = []

    def load() -> None:
        loaded[:] = [KnowledgeBase("")]
        loaded[0].load("t", path, header=True if ending == "csv" else "auto")

    taken = _best(load)
    with duckdb.connect() as connection:
        connection.execute("set threads = 1")
        theirs = _best(lambda: connection.execute(f"create or replace table t as select distinct * from '{path}'"))
        (count,) = connection.execute("select count(*) from t").fetchall()[0]
    assert count == loaded[0].count("t")
    path.unlink()
    return Row(content, ending, len(table), taken, theirs)


def run(folder: Path, *, quick: bool = False) -> None:
    """Measure, print, write the table."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as files:
        for ending in ("csv", "parquet"):
            measure("mixed", ending, mixed(100_000), Path(files))  # loads what is compiled
        for size in SIZES[:2] if quick else SIZES:
            for content, make in CONTENTS.items():
                table = make(size)
                for ending in ("csv", "parquet"):
                    row = measure(content, ending, table, Path(files))
                    rows.append(row)
                    ratio = f"{row.tidelog / row.duckdb:5.2f} times DuckDB's {row.duckdb:7.4f} s"
                    print(f"{content:12} {ending:8} {size:>9,} rows: {row.tidelog:7.4f} s, {ratio}", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "loading.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def judgements(folder: Path) -> list[Judgement]:
    """Whether loading takes about as long as DuckDB, at the largest size."""
    file = folder / "loading.csv"
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    largest = max(int(row["rows"]) for row in rows)
    found = []
    for row in rows:
        if int(row["rows"]) == largest:
            mine, theirs = float(row["tidelog"]), float(row["duckdb"])
            measured = f"{mine:.2f} s, DuckDB {theirs:.2f} s: {mine / theirs:.1f} times"
            met = "yes" if mine <= _MOST * theirs else "**no**"
            found.append(Judgement(f"loading `{row['content']}`, {row['format']}", f"≤ {_MOST} times DuckDB", measured, met=met))
    return found
