"""What is deleted and inserted again: one explicit fact of each program, and sets of many sizes, each within the next.

The sets of a program begin with 100 and 5,000 facts and go on with 25, 50, 75 and 100 % of its equilibrium set, as in Table 2 of
the B/F paper: so many facts that B/F takes about as long as starting over, found with
`python -m benchmarks.papers.jobs PROGRAM SIZE`.  Table 2 of the paper on modules is ten samples of 1,000 facts, and a quarter of
all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from benchmarks.harness.workload import NotAvailable
from benchmarks.maintenance.job import EVERYBODY, Job
from benchmarks.maintenance.measuring import DELETE, Steps, loaded, maintained, nested
from benchmarks.papers.programs import (
    ANDERSEN,
    CATEGORIES,
    COMMUNITIES,
    CYCLES,
    FOREST,
    LUBM_L,
    LUBM_LE,
    PROGRAMS,
    SMALL_COMMUNITIES,
    Program,
)

_SAMPLES, _FEW, _MANY = 15, 10, 3
_WARMING = 20
"""Facts that the warm-up deletes at once, so that what larger sets need is compiled."""
_LIMIT = 240.0
"""Seconds of wall time after which an update is given up; there is none for the warm-up, which may compile."""
_LARGE = {("andersen", 10_600), ("lubm_l", 100)}
"""Where algorithms that count or over-delete are not tried: what they would take is known from the sizes before."""
_NOT_TRIED = ("dred", "counting")

Count = int
_TABLE_2: tuple[tuple[Program, int, Count], ...] = (
    (LUBM_L, 10, 150_000),
    (COMMUNITIES, 100, 2_000),
    (SMALL_COMMUNITIES.with_rules(), 100, 400),
    (CATEGORIES, 500, 40),
)
"""Program, size, and its equilibrium."""
_TABLE_OF_MODULES: tuple[tuple[Program, int, Count], ...] = (
    (LUBM_LE, 1, 33_500),
    (LUBM_LE.with_rules(), 1, 33_500),
    (COMMUNITIES, 100, 2_200),
    (COMMUNITIES.with_rules(), 100, 2_200),
    (CATEGORIES, 5_000, 2_800),
    (CATEGORIES.with_rules(), 5_000, 2_800),
)
"""Program, size, and a quarter of its explicit facts."""
_OTHERS: tuple[tuple[Program, int, tuple[Count, ...]], ...] = (
    (ANDERSEN, 3_250, (1, 10, 100, 1_000)),
    (ANDERSEN, 10_600, (1, 10, 100, 1_000)),
    (FOREST, 200_000, (1, 20_000)),
    (CYCLES, 4_000, (10_000,)),
    (LUBM_L, 1, (100, 5_000)),
    (LUBM_L, 100, (100, 5_000)),
)


def jobs() -> Iterator[Job]:
    """All of them; two that are about the same program and size are one."""
    yield from map(_one_fact, PROGRAMS)
    counts: dict[tuple[str, int], tuple[Program, set[Count]]] = {}
    for program, size, full in _TABLE_2:
        quarters = {full * part // 4 for part in (1, 2, 3, 4)}
        _add(counts, program, size, {count for count in (100, 5_000) if count < full} | quarters)
    for program, size, quarter in _TABLE_OF_MODULES:
        _add(counts, program, size, {1_000, quarter})
    for program, size, some in _OTHERS:
        _add(counts, program, size, set(some))
    yield from (_deletions(program, size, tuple(sorted(some))) for (_, size), (program, some) in counts.items())


def _add(counts: dict[tuple[str, int], tuple[Program, set[Count]]], program: Program, size: int, more: set[Count]) -> None:
    counts.setdefault((program.name, size), (program, set()))[1].update(more)


def _one_fact(program: Program) -> Job:
    def run(contender: str, size: int) -> Steps:
        return _measured(program, size, 1, _SAMPLES, contender)

    title = f"One fact: {program.title}"
    return Job(f"one_of_{program.name}", title, program.unit, program.sizes, program.sizes[:1], program.tiny, run, EVERYBODY)


def _deletions(program: Program, size: int, counts: tuple[Count, ...]) -> Job:
    def run(contender: str, count: int) -> Steps:
        if count == 0:
            return _measured(program, program.tiny, _WARMING, _MANY, contender)
        return _measured(program, size, count, _FEW if count <= 1_000 else _MANY, contender)

    title = f"{program.title}, {size:,} {program.unit}"
    return Job(
        f"deletions_{program.name}_{size}", title, "facts deleted, then re-inserted", counts, counts[:1], 0, run, EVERYBODY
    )


def _measured(program: Program, size: int, count: int, rounds: int, contender: str) -> Steps:
    if contender in _NOT_TRIED and (program.name, size) in _LARGE:
        raise NotAvailable("not tried at this size")
    inputs = program.inputs(size)
    chosen = nested(program.candidates(inputs), count, rounds)
    limit = None if size == program.tiny else _LIMIT
    return maintained(program.rules, inputs, chosen, contender, modules=program.modules, limit=limit)


def equilibrium(program: Program, size: int) -> Iterator[tuple[int, float, float]]:
    """How long B/F takes for growing sets, beside starting over, until that is quicker."""
    inputs = program.inputs(size)
    _, _, evaluation = loaded(program.rules, inputs, "bf", modules=program.modules)
    facts = sum(table.num_rows for table in program.candidates(inputs).values())
    count, ratio = 10, 0.0
    while count < facts and ratio < 1:
        by_bf, anew = (_measured(program, size, count, 3, name)[DELETE].cpu for name in ("bf", "rematerialise"))
        yield count, by_bf, min(anew, evaluation)
        ratio, count = by_bf / min(anew, evaluation), count * 2


def _main(find: Callable[[str], Program]) -> None:
    for count, by_bf, anew in equilibrium(find(sys.argv[1]), int(sys.argv[2])):
        print(f"{count:>9} facts: bf {by_bf:.4f} s, starting over {anew:.4f} s", flush=True)


if __name__ == "__main__":
    named = {program.name: program for program in (*PROGRAMS, *(known for known, _, _ in _TABLE_2))}
    _main(named.__getitem__)
