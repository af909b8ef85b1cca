"""Start-up: the import, and the first result of a small program, each in fresh processes, with a warm and with an empty cache.

DuckDB and clingo stand beside it.  The import is timed inside the process; the first result from the start of the interpreter to
its end, as a user waits for it.
"""

from __future__ import annotations

import csv
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.summary import Judgement

PROCESSES = 5
IMPORT = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"
FIRST_RESULT = {
    "tidelog": """
from tidelog import KnowledgeBase
kb = KnowledgeBase("edge(1, 2). edge(2, 3). p(X, Y) :- edge(X, Y). p(X, Z) :- p(X, Y), edge(Y, Z), not edge(X, Z).")
assert kb.count("p") == 3
""",
    "duckdb": """
import duckdb
edges = duckdb.sql("SELECT * FROM (VALUES (1, 2), (2, 3)) AS edge(x, y)")
assert duckdb.sql("WITH RECURSIVE p AS (FROM edges UNION SELECT p.x, e.y FROM p, edges e WHERE p.y = e.x) FROM p").fetchall()
""",
    "clingo": """
import clingo
control = clingo.Control()
control.add("base", [], "edge(1, 2). edge(2, 3). p(X, Y) :- edge(X, Y). p(X, Z) :- p(X, Y), edge(Y, Z), not edge(X, Z).")
control.ground([("base", [])])
assert len(control.symbolic_atoms) == 5
""",
}
UPDATES = """
kb.update(insert=[("edge", 3, 1)])
kb.update(delete=[("edge", 2, 3)])
assert kb.count("p") == 3
"""
"""What a user does next."""
LARGE = """
import pyarrow
from tidelog import KnowledgeBase
kb = KnowledgeBase("p(X, Z) :- edge(X, Y), edge(Y, Z). end(X) :- edge(_, X), not edge(X, _).")
ends = [[i * factor % 200_003 for i in range(200_000)] for factor in (7_919, 104_729)]
kb.load("edge", pyarrow.table(ends, names=["a", "b"]))
assert kb.count("p") > 0
"""
"""Too much for Python itself: the kernel is compiled meanwhile."""
TARGETS = {
    "import": 0.3,
    "first result, warm cache": 1.0,
    "first result, empty cache": 1.0,
    "and first updates, empty cache": 2.0,
    "first large result, empty cache": 5.0,
}


@dataclass(frozen=True)
class Timing:
    """Wall seconds of several processes that did the same."""

    what: str
    contender: str
    best: float
    median: float


def import_seconds(module: str) -> float:
    """How long an import takes in a fresh process."""
    return float(_python(IMPORT.format(module), {}))


def first_result_seconds(contender: str, environment: dict[str, str]) -> float:
    """How long a process takes from its start to its first result."""
    return _seconds(FIRST_RESULT[contender], environment)


def _seconds(code: str, environment: dict[str, str]) -> float:
    start = time.perf_counter()
    _python(code, environment)
    return time.perf_counter() - start


def _python(code: str, environment: dict[str, str]) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, env=os.environ | {"TIDELOG_COMPILE": "auto"} | environment, capture_output=True, text=True, check=True
    ).stdout


def _empty_cache(code: str) -> float:
    with tempfile.TemporaryDirectory(prefix="tidelog-cache-", ignore_cleanup_errors=True) as folder:
        return _seconds(code, {"TIDELOG_CACHE_DIR": folder})


def _timing(what: str, contender: str, seconds: list[float]) -> Timing:
    timing = Timing(what, contender, min(seconds), statistics.median(seconds))
    print(f"{what:31} {contender:8} {timing.best:7.3f} s best {timing.median:7.3f} s median of {len(seconds)}", flush=True)
    return timing


def run(folder: Path) -> None:
    """Measure, print, write the table."""
    timings = [_timing("import", module, [import_seconds(module) for _ in range(PROCESSES)]) for module in FIRST_RESULT]
    for contender, first_result in FIRST_RESULT.items():
        try:
            first_result_seconds(contender, {})  # fills the cache
        except subprocess.CalledProcessError as error:
            print(f"{'first result':26} {contender:8} not available: {error.stderr.strip().splitlines()[-1]}", flush=True)
            continue
        seconds = [first_result_seconds(contender, {}) for _ in range(PROCESSES)]
        timings.append(_timing("first result, warm cache", contender, seconds))
        if contender == "tidelog":
            for what, code in (
                ("first result, empty cache", first_result),
                ("and first updates, empty cache", first_result + UPDATES),
                ("first large result, empty cache", LARGE),
            ):
                timings.append(_timing(what, contender, [_empty_cache(code) for _ in range(2)]))
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "start_up.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["what", "contender", "best", "median"])
        writer.writerows([t.what, t.contender, f"{t.best:.4f}", f"{t.median:.4f}"] for t in timings)


def judgements(folder: Path) -> list[Judgement]:
    """The targets for start-up, judged by the median."""
    found: dict[tuple[str, str], float] = {}
    file = folder / "start_up.csv"
    if file.exists():
        with file.open(newline="", encoding="utf-8") as stream:
            found = {(row["what"], row["contender"]): float(row["median"]) for row in csv.DictReader(stream)}
    lines = []
    for what, limit in TARGETS.items():
        own, peer = found.get((what, "tidelog")), found.get((what, "duckdb"))
        beside = f"duckdb {peer:.3f}" if peer else ""
        if own is None:
            lines.append(Judgement(f"Start-up: {what}", f"< {limit:g} s wall", peer=beside))
        else:
            ratio = f"{own / peer:.2f}" if peer else ""
            met = "yes" if own < limit else "**no**"
            lines.append(Judgement(f"Start-up: {what}", f"< {limit:g} s wall", f"{own:.3f}", beside, ratio, met))
    return lines
