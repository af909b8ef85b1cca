"""The programs of the benchmarks, small: after each deletion and insertion every algorithm holds what the reference derives."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
import pytest
from benchmarks.harness.workload import Inputs
from benchmarks.maintenance.measuring import Fact, chosen, loaded, nested, without
from benchmarks.papers import university
from benchmarks.papers.jobs import jobs
from benchmarks.papers.programs import PROGRAMS, Program
from tests.local_engine import held, without_empty

from tidelog import Source
from tidelog.options import ALGORITHMS
from tidelog.program.program import check
from tidelog.reference import Facts, materialise
from tidelog.values import from_python

_ROWS = 40
"""So many facts of each relation: the reference takes a while for more."""


def _few(program: Program) -> Inputs:
    """The first facts of each relation, which are about the same things."""
    return {name: table.slice(0, _ROWS) for name, table in program.inputs(program.tiny).items()}


def _derived(program: Program, inputs: Inputs, gone: list[Fact]) -> Facts:
    rows = [(name, *row) for name, table in inputs.items() for row in zip(*table.to_pydict().values(), strict=True)]
    explicit = [(name, tuple(map(from_python, row))) for name, *row in rows if (name, *row) not in gone]
    return without_empty(materialise(check(Source(program.rules)), explicit))


@pytest.mark.parametrize("modules", [True, False])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_all_algorithms_hold_what_the_reference_derives(program: Program, modules: bool) -> None:
    inputs = _few(program)
    rounds = [*chosen(program.candidates(inputs), 1, 2), *nested(program.candidates(inputs), 12, 2)]
    expected = {0: _derived(program, inputs, [])} | {at: _derived(program, inputs, gone) for at, gone in enumerate(rounds, 1)}
    for algorithm in ALGORITHMS:
        kb, _, _ = loaded(program.rules, inputs, algorithm, modules=modules)
        for at, gone in enumerate(rounds, 1):
            kb.update(delete=gone)
            assert without_empty(held(kb)) == expected[at], (algorithm, at)
            kb.update(insert=gone)
            assert without_empty(held(kb)) == expected[0], (algorithm, at)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_seed_gives_the_same_facts(program: Program) -> None:
    first, second = program.inputs(program.tiny), program.inputs(program.tiny)
    assert first.keys() == second.keys()
    assert all(first[name].equals(second[name]) for name in first)
    assert all(table.num_rows for table in first.values())
    assert set(program.deleted) <= first.keys()


def test_sets_are_nested_and_facts_are_there() -> None:
    inputs = {"p": pa.table({"x": list(range(30))}), "q": pa.table({"x": list(range(10)), "y": list(range(10))})}
    sets = [nested(inputs, size, 2) for size in (3, 10, 40)]
    for smaller, larger in pairwise(sets):
        assert all(set(one) < set(other) for one, other in zip(smaller, larger, strict=True))
    assert set(sets[-1][0]) == {("p", x) for x in range(30)} | {("q", x, x) for x in range(10)}


def test_without_some_facts() -> None:
    inputs = {"p": pa.table({"x": [1, 1, 2], "y": [1, 2, 2]}), "q": pa.table({"x": ["a", "b"]})}
    left = without(inputs, [("p", 1, 2), ("q", "b")])
    assert {name: table.to_pylist() for name, table in left.items()} == {
        "p": [{"x": 1, "y": 1}, {"x": 2, "y": 2}],
        "q": [{"x": "a"}],
    }
    assert without(inputs, []) == inputs


def test_a_university_has_what_its_ontology_is_about() -> None:
    rules, found = university.rules_l(), university.facts(1)
    assert all(f"{name}(" in rules for name in found)
    assert 100_000 < sum(table.num_rows for table in found.values()) < 150_000


def test_no_two_jobs_have_one_name() -> None:
    names = [job.name for job in jobs()]
    assert len(names) == len(set(names))
