"""Categories under the rules of SKOS, with modules and without: to materialise, and to delete 1,000 facts and insert them again.

Categories come in blocks of a hundred, so that each has some tens above it.  CPU time, each row in a process of its own.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median

from benchmarks.harness.processes import memory
from benchmarks.harness.runner import ROOT
from benchmarks.harness.summary import Judgement
from benchmarks.maintenance.measuring import chosen
from benchmarks.papers import categories

SIZES = (100_000, 1_000_000)
_QUICK = 10_000
_LARGEST_WITHOUT = 100_000
_BLOCK, _FACTS, _ROUNDS, _WARM = 100, 1_000, 3, 5_000
_WITH, _OF_ALL = 1 / 10, 1 / 20


@dataclass(frozen=True)
class Row:
    """CPU seconds."""

    categories: int
    modules: bool
    explicit: int
    facts: int
    materialised: float
    deleted: float
    inserted: float
    peak_mb: float


def measure(count: int, *, modules: bool) -> Row:
    """So many categories."""
    from tidelog import KnowledgeBase

    inputs = categories.facts(count, block=_BLOCK)
    kb = KnowledgeBase(categories.RULES, modules=modules)
    for relation, table in inputs.items():
        kb.load(relation, table)
    started, deleted, inserted = time.process_time(), list[float](), list[float]()
    kb.count("concept")
    materialised = time.process_time() - started
    facts = sum(kb.count(relation) for relation in kb.relations)
    for some in chosen(inputs, _FACTS, _ROUNDS):
        started = time.process_time()
        kb.update(delete=some)
        deleted.append(time.process_time() - started)
        started = time.process_time()
        kb.update(insert=some)
        inserted.append(time.process_time() - started)
    assert sum(kb.count(relation) for relation in kb.relations) == facts
    explicit = sum(table.num_rows for table in inputs.values())
    return Row(count, modules, explicit, facts, materialised, median(deleted), median(inserted), memory("VmHWM") / 1e6)


def run(folder: Path, *, quick: bool = False) -> None:
    """Measure each row in a process of its own, print, write the table."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "taxonomy.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        for count in (_QUICK,) if quick else SIZES:
            for modules in (True, False) if count <= _LARGEST_WITHOUT else (True,):
                command = [sys.executable, "-m", "benchmarks.taxonomy", str(count), str(int(modules))]
                done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
                row = Row(**json.loads(done.stdout))
                taken = f"materialised {row.materialised:8.3f} s, deleted {row.deleted:8.4f}, inserted {row.inserted:8.4f}"
                print(f"{count:>9,} {'with' if modules else 'without':7} modules: {row.facts:>11,} facts, {taken}", flush=True)
                rounded = {name: round(value, 6) if isinstance(value, float) else value for name, value in asdict(row).items()}
                writer.writerow(rounded)
                stream.flush()


def judgements(folder: Path) -> list[Judgement]:
    """Modules beside none, and a deletion beside materialising."""
    file = folder / "taxonomy.csv"
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as stream:
        taken = {(int(row["categories"]), row["modules"] == "True"): row for row in csv.DictReader(stream)}
    found = []
    for (count, modules), row in taken.items():
        own, deleted = float(row["materialised"]), float(row["deleted"])
        if not modules:
            continue
        if (other := taken.get((count, False))) is not None:
            for what in ("materialised", "deleted"):
                ratio = float(row[what]) / float(other[what])
                measured, beside = f"{float(row[what]):.3f} s", f"without modules {float(other[what]):.3f} s"
                met = "yes" if ratio <= _WITH else "**no**"
                work = f"SKOS, {count:,} categories: {what if what == 'materialised' else '1,000 facts deleted'}"
                found.append(Judgement(work, "≤ 1/10 of without modules", measured, beside, f"{ratio:.3f}", met))
        met = "yes" if deleted <= _OF_ALL * own else "**no**"
        work = f"SKOS, {count:,} categories: 1,000 facts deleted"
        beside = f"materialised in {own:.3f} s"
        found.append(Judgement(work, "≤ 1/20 of materialising", f"{deleted:.3f} s", beside, f"{deleted / own:.4f}", met))
    return found


if __name__ == "__main__":
    measure(_WARM, modules=sys.argv[2] == "1")
    print(json.dumps(asdict(measure(int(sys.argv[1]), modules=sys.argv[2] == "1"))))
