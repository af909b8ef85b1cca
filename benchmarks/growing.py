"""Data that grows and shrinks: 10 to 50 % more turbines, or longer chains, under the rule sets of the ZodiacEdge paper.

The added facts are inserted in one update and deleted in another one, beside starting over with all of them.  CPU time, the best
of some rounds in one process.  Memory is that of programs with ever more hyper-nodes, which hold nothing.
"""

from __future__ import annotations

import csv
import gc
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pyarrow as pa
from tests.rule_sets import RS1, RS2, RS3

from benchmarks.harness.processes import memory
from benchmarks.harness.summary import Judgement
from benchmarks.rule_changes import turbines
from benchmarks.workloads.zodiac import chains

SHARES = (10, 20, 30, 40, 50)
SETS = {"RS1": (RS1, 400), "RS2": (RS2, 200), "RS3": (RS3, 200)}
HYPER_NODES = (10, 100, 1_000)
_ROUNDS, _WARM = 3, 20
_MOST_BYTES = 100_000

Inputs = Mapping[str, pa.Table]


@dataclass(frozen=True)
class Row:
    """CPU seconds of an update by so many percent more facts, or bytes of so many hyper-nodes."""

    what: str
    size: int
    share: int
    inserted: float
    deleted: float
    anew: float
    facts: int
    memory: float


def parts(name: str, size: int, share: int) -> tuple[Inputs, Inputs]:
    """All facts of so many percent more, and those of them that are added."""
    more = size * share // 100
    if name == "RS1":
        whole: Inputs = turbines(size + more)
        known = turbines(size)
        return whole, {relation: table.slice(known[relation].num_rows) for relation, table in whole.items()}
    whole = chains(size + more)
    return whole, {"p1": whole["p1"].slice(0, 2 * more), "p3": whole["p3"].slice(whole["p3"].num_rows - 2 * more)}


def _facts(tables: Inputs) -> list[tuple[object, ...]]:
    return [
        (relation, *row)
        for relation, table in tables.items()
        for row in zip(*(column.to_pylist() for column in table.columns), strict=True)
    ]


def _cpu(work: Callable[[], object]) -> float:
    gc.collect()
    started = time.process_time()
    work()
    return time.process_time() - started


def measure(name: str, size: int, share: int) -> Row:
    """Insert what is added, and delete it again, a few times."""
    from tidelog import KnowledgeBase

    rules, (whole, added) = SETS[name][0], parts(name, size, share)
    fresh, kb = KnowledgeBase(rules), KnowledgeBase(rules)
    for relation, table in whole.items():
        fresh.load(relation, table)
        kb.load(relation, table)
    anew = _cpu(lambda: [fresh.count(relation) for relation in fresh.relations])
    count = sum(fresh.count(relation) for relation in fresh.relations)
    facts, inserted, deleted = _facts(added), [], []
    kb.update(delete=facts)
    for _ in range(_ROUNDS):
        inserted.append(_cpu(lambda: kb.update(insert=facts)))
        assert sum(kb.count(relation) for relation in kb.relations) == count
        deleted.append(_cpu(lambda: kb.update(delete=facts)))
    return Row(name, size, share, min(inserted), min(deleted), anew, count, 0.0)


def hyper_nodes(count: int) -> Row:
    """A program with so many hyper-nodes over a few facts."""
    from tidelog import KnowledgeBase

    gc.collect()
    before = memory("VmRSS")
    kb = KnowledgeBase("".join(f"r{at}(X) :- e(X, Y), Y > {1000 + at}.\n" for at in range(count)))
    kb.update(insert=[("e", at, at) for at in range(100)])
    assert kb.count("r0") == 0
    gc.collect()
    return Row("hyper-nodes", count, 0, 0.0, 0.0, 0.0, 100, float(memory("VmRSS") - before))


def rows(*, quick: bool) -> Iterator[Row]:
    """All measurements, smallest first."""
    for name, (_, usual) in SETS.items():
        measure(name, _WARM, 50)
        for share in SHARES[:2] if quick else SHARES:
            yield measure(name, usual // 4 if quick else usual, share)
    hyper_nodes(_WARM)
    for count in HYPER_NODES:
        yield hyper_nodes(count)


def run(folder: Path, *, quick: bool = False) -> None:
    """Measure, print, write the table."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "growing.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        for row in rows(quick=quick):
            writer.writerow({name: round(value, 6) if isinstance(value, float) else value for name, value in asdict(row).items()})
            stream.flush()
            taken = f"insert {row.inserted * 1e3:8.2f} ms, delete {row.deleted * 1e3:8.2f}, starting over {row.anew * 1e3:8.2f}"
            print(f"{row.what:11} {row.size:6,} + {row.share:2} %: {taken}, {row.memory / 1e6:.1f} MB", flush=True)


def judgements(folder: Path) -> list[Judgement]:
    """Whether growing takes no longer than starting over, and what a hyper-node takes."""
    file = folder / "growing.csv"
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as stream:
        found = list(csv.DictReader(stream))
    result = []
    for name, (_, size) in SETS.items():
        for step in ("inserted", "deleted"):
            ratios = {int(row["share"]): float(row[step]) / float(row["anew"]) for row in found if row["what"] == name}
            if ratios:
                measured = ", ".join(f"{ratio:.2f} at {share} %" for share, ratio in ratios.items())
                work = f"{name}, {size}: 10 to 50 % more, {step}, in parts of starting over"
                result.append(Judgement(work, "≤ 1", measured, met="yes" if max(ratios.values()) <= 1 else "**no**"))
    sizes = {int(row["size"]): float(row["memory"]) for row in found if row["what"] == "hyper-nodes"}
    if sizes:
        each = sizes[max(sizes)] / max(sizes)
        measured = ", ".join(f"{size / 1e6:.1f} MB of {count:,}" for count, size in sizes.items()) + f": {each / 1e3:.1f} kB each"
        met = "yes" if each <= _MOST_BYTES else "**no**"
        result.append(Judgement("Memory of hyper-nodes", f"≤ {_MOST_BYTES / 1e3:g} kB each", measured, met=met))
    return result
