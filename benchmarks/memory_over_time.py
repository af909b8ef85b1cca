"""Memory over time: a million upserts over 1,000 live rows, each with a value that was never there before.

What is there stays the same, so memory should, too.  Each case runs in a process of its own, as it is, and with a dictionary that
never shrinks; memory counts from the first tenth of the upserts on, CPU over all of them.
"""

from __future__ import annotations

import csv
import json
import resource
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from unittest.mock import patch

ROWS, BATCH = 1_000, 10
UPSERTS, QUICK_UPSERTS = 1_000_000, 100_000
PROGRAMS = {
    "numbers": "@relation v(k: int key, x: int). high(K) :- v(K, X), X > 500.",
    "strings": "@relation v(k: int key, x: string). same(X, K) :- v(K, X).",
    "function": '@relation v(k: int key, x: string). named(K, S) :- v(K, X), S = cat("name of ", X).',
    "closure": "@relation v(k: int key, x: int). reach(X, Y) :- v(X, Y). reach(X, Z) :- reach(X, Y), v(Y, Z).",
}
_NEVER = 1 << 40


@dataclass(frozen=True)
class Measured:
    """What a case took."""

    case: str
    collects: bool
    upserts: int
    bytes_an_upsert: float
    cpu_seconds: float
    terms: int
    """How many terms there are in the end."""


def resident() -> int:
    """The memory that the process uses, in bytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def measure(case: str, upserts: int, *, collects: bool) -> Measured:
    """Run a case in this process."""
    from tidelog import KnowledgeBase
    from tidelog.local.kb import LocalKnowledgeBase
    from tidelog.local.storage import term_collection

    least = term_collection.LEAST_GROWTH if collects else _NEVER
    with patch.object(term_collection, "LEAST_GROWTH", least):
        kb = KnowledgeBase(PROGRAMS[case])
        assert isinstance(kb, LocalKnowledgeBase)
        is_number, began, early = case in ("numbers", "closure"), process_time(), 0
        for begin in range(0, upserts, BATCH):
            if begin == upserts // 10:
                early = resident()
            values = range(ROWS + begin, ROWS + begin + BATCH)
            kb.update(upsert=[("v", value % ROWS, value if is_number else f"value {value}") for value in values])
        seconds, grown = process_time() - began, resident() - early
        assert kb.count("v") == ROWS
        terms = len(kb._engine.state.terms)
    return Measured(case, collects, upserts, grown / (upserts - upserts // 10), seconds, terms)


def run(folder: Path, *, quick: bool = False) -> None:
    """Measure all cases, each in a fresh process, and write `memory_over_time.csv`."""
    found = []
    for case in PROGRAMS:
        for collects in (True, False):
            told = json.dumps([case, QUICK_UPSERTS if quick else UPSERTS, collects])
            command = [sys.executable, "-m", "benchmarks.memory_over_time", told]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            one = Measured(**json.loads(done.stdout))
            shown = f"{one.bytes_an_upsert:7.1f} bytes an upsert, {one.cpu_seconds:6.1f} s CPU, {one.terms:,} terms"
            print(f"{case:10} {'collects ' if collects else 'keeps all'}: {shown}", flush=True)
            found.append(one)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "memory_over_time.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(asdict(found[0])))
        writer.writeheader()
        writer.writerows(map(asdict, found))


if __name__ == "__main__":
    name, count, does_collect = json.loads(sys.argv[1])
    print(json.dumps(asdict(measure(name, count, collects=does_collect))))
