"""Runs a group of streams in a fresh process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.harness.runner import ROOT, WrongCountError
from benchmarks.marking import table
from benchmarks.marking.table import Row

_REPEATS, _FEW = 20, 3
_QUICK = ("10", "20", "0")


def run(group: str, folder: Path, *, quick: bool) -> bool:
    """Measure, print and write; returns whether it finished."""
    command = [sys.executable, "-m", "benchmarks.marking.measuring", group, str(_FEW if quick else _REPEATS)]
    finished = subprocess.run([*command, *(_QUICK if quick else ())], cwd=ROOT, capture_output=True, text=True, check=False)
    for line in finished.stdout.splitlines():
        if line.startswith("not available"):
            print(f"{group}: {line}")
    rows = [Row(**json.loads(line)) for line in finished.stdout.splitlines() if line.startswith("{")]
    for (stream, size), contenders in table.over_seeds(rows).items():
        if len({row.facts for row in contenders.values()}) > 1:
            raise WrongCountError(f"{stream} {size}: the numbers of facts differ")
        for contender, row in contenders.items():
            print(
                f"{stream:40} {size:>4} {' '.join(contender):24} {row.cpu * 1e3:10.2f} ms CPU {row.deletions:>10,.0f} deletions"
            )
    if rows:
        table.write(folder, group, rows)
    if finished.returncode:
        print(finished.stderr, file=sys.stderr)
    return not finished.returncode
