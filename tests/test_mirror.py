"""Tests mirror the source: `src/tidelog/program/checks/scope.py` is tested by `tests/program/checks/test_scope.py`.

A module without a test module of its name stands in `COVERED_ELSEWHERE`, with the file that tests it and the reason why there.
Where tests reach a module only through others, it stands in `FROM_OUTSIDE`.  Test modules about no single module stand in
`CROSS_CUTTING`.
`__init__` and `__main__` have no name of their own; they are not counted.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "tidelog"

COVERED_ELSEWHERE: dict[str, str] = {
    "explain/access": "tests/local/explaining/test_access.py: a protocol; the local engine answers all of it",
    "cli/pipeline": "tests/pipeline/test_cli.py: its commands are tested with the jobs that they run",
    "local/equality/member_queries": "tests/local/equality/test_members.py: SPARQL calls it, and the tests compare it with facts",
    "local/kernel/rows/row_chains": "tests/local/storage/test_indexes.py: it reads the chains of an index",
    "local/closure/new_pairs": "tests/local/closure/test_closure_diff.py: it lists the pairs in which versions differ",
    "local/closure/changes": "tests/local/closure/test_incremental.py: it takes the change from each version to the next",
    **{
        f"local/kernel/closures/connectivity/{name}": f"tests/local/closure/connectivity/test_{where}.py: {what}"
        for name, where, what in (
            ("components", "partition_update", "it looks at all buffers after every update"),
            ("edge_lists", "partition_update", "it looks at the lists after every update"),
            ("journal", "partition_versions", "it goes from version to version"),
            ("reading", "partition", "it reads versions in every way"),
            ("search", "partition_update", "it deletes every edge of graphs of every shape"),
            ("words", "partition", "names of words, and what plans read"),
        )
    },
    "local/kernel/closures/virtual_access": "tests/local/kernel/closures/test_virtual_steps.py: what the steps of plans call",
    "local/kernel/tiers/forms": "tests/local/kernel/tiers/test_choice.py: entries and services, and when they are exchanged",
    "local/kernel/tiers/instructions": "tests/local/kernel/tiers/test_plain.py: each is compared with what Python computes",
    "local/kernel/closures/shortest_paths": "tests/local/explaining/test_chains.py: its buffers are filled only there",
    "local/kernel/layout": "tests/local/storage/test_tables.py: names of words; it reads tables and indexes by them",
    **dict.fromkeys(
        (
            "local/kernel/digraphs/building",
            "local/kernel/digraphs/pair_counts",
            "local/kernel/digraphs/growing",
            "local/kernel/digraphs/listing",
            "local/kernel/digraphs/pages",
            "local/kernel/digraphs/paths",
            "local/kernel/digraphs/records",
            "local/kernel/digraphs/shrinking",
        ),
        "tests/local/closure/test_digraph.py: versions of digraphs, page by page: their buffers are filled only there",
    ),
    "local/maintenance/backward_forward/as_printed": (
        "tests/local/maintenance/test_backward_forward_oracle.py: the paper's algorithm, which is the oracle of these tests"
    ),
    "local/maintenance/backward_forward/unit_layout": (
        "tests/local/maintenance/backward_forward/test_unit_tables.py: names of words; it reads a unit's tables by them"
    ),
    "local/maintenance/ranked/in_plain_python": (
        "tests/local/maintenance/test_ranked_oracle.py: the oracle of these tests, also by hand"
    ),
    "local/maintenance/ranked/lost_instances": (
        "tests/local/maintenance/ranked/test_instance_rules.py: by the counters of deletions; only `rank_loop` calls it"
    ),
    "local/maintenance/ranked/support": "tests/local/maintenance/test_ranked_oracle.py: only `rank_loop` calls it",
    "local/maintenance/ranked/suspect_queue": (
        "tests/local/maintenance/test_ranked_oracle.py: the order of the queue is in the counters; only `rank_loop` calls it"
    ),
    "pipeline/batch/backend": "tests/pipeline/batch/test_run.py: a protocol; runs call all of it on a stand-in",
    "pipeline/streaming/stream_results": "tests/spark/test_streaming.py: sinks and reports of jobs that are stopped and killed",
    "pipeline/streaming/streaming_job": "tests/spark/test_streaming.py: it needs Spark's own streaming, so jobs run as a whole",
    "sparql/evaluation/inquiries": "tests/local/sharing/test_inquiry.py: a protocol; the inquiries of the local engine follow it",
    "spark/evaluation/rounds": "tests/spark/test_engine.py: whole programs in rounds, against the reference",
    "spark/ingest/tables": "tests/spark/ingest/test_reading.py: DataFrames and Parquet files, through `ingest`",
    "spark/ingest/text/texts": "tests/spark/ingest/test_reading.py: files of text, through `ingest`, against the local engine",
    "spark/maintenance/in_rounds/deletion": "tests/spark/maintenance/test_update.py: suspects that are proved, and that are not",
    "spark/maintenance/in_rounds/frame_maintenance": "tests/spark/maintenance/test_update.py: whole updates in rounds",
    "spark/maintenance/in_rounds/rederivation": "tests/spark/maintenance/test_update.py: facts that have another proof",
}
"""Module, by its path below `src/tidelog`: the file that tests it, and the reason."""

FROM_OUTSIDE: dict[str, str] = {
    "local/closure/condensation": "by the virtual relations that are built on it",
    "local/equality/equating": "by histories of a knowledge base, against the plain rules of equality",
    "local/engine": "by a knowledge base whose evaluation is stopped at every moment",
    "local/kernel/shortest_chain": "by rules whose plans choose among atoms when they run, against the reference",
    "local/evaluation/aggregation": "by rules with aggregates, against `functions.aggregates`",
    "local/evaluation/function_calls": "by rules that call functions, against `functions`",
    "local/kernel/arithmetic": "by rules with expressions, against `functions`: compiled code is called by the join only",
    "local/kernel/range_search": "by rules with comparisons, against `functions`: compiled code is called by the join only",
    "local/kernel/closures/edge_deletion": "by versions of virtual relations: its parameters are buffers that only these fill",
    "local/kernel/closures/edge_insertion": "by versions of virtual relations: its parameters are buffers that only these fill",
    "local/maintenance/aggregates/aggregate_update": "by updates of rules with aggregates, against aggregation from scratch",
    "local/maintenance/backward_forward/bf_deletion": "by updates with the algorithm `bf`, against evaluation from scratch",
    "local/maintenance/backward_forward/checks": "by deletions and their counters: compiled code that only `proving` calls",
    "local/maintenance/compiled_deletion": "by deletions of both loops, and what these stop for",
    "local/maintenance/backward_forward/proving": "by deletions and their counters: compiled code that only `bf_loop` calls",
    "local/maintenance/closure_update": "by updates of transitive relations and the changes that they return",
    "local/maintenance/deletion": "by the rule instances that every algorithm uses: none twice",
    "local/maintenance/delta/differences": "by the changes that updates return",
    "local/planning/plan": "by plans from a cache: planning makes them",
    "local/sharing/readers": "by threads that read a knowledge base while others change it",
    "local/sharing/snapshot": "by snapshots that knowledge bases give",
    "local/transaction": "by updates that fail",
    "sparql/evaluation/expressions": "by queries with a BIND",
    "sparql/evaluation/grouping": "by queries with aggregates over VALUES",
    "sparql/evaluation/operators": "by queries over a small graph",
    "sparql/evaluation/paths": "by queries with paths, against a search in Python",
    "sparql/reading/only_needed": "by what the patterns of queries keep",
    "sparql/reading/path_patterns": "by the patterns that queries with paths have",
    "sparql/reading/selected": "by the variables of queries",
    "sparql/reading/translation": "by the operators of queries",
    "spark/engine": "by knowledge bases on Spark at several placements",
    "spark/ingest/reading": "by `tidelog.spark.ingest`, which exports it",
    "spark/maintenance/rule_changes/rules_in_kernel": "by changes of rules of a knowledge base on Spark",
    "spark/maintenance/rule_changes/rules_in_rounds": "by changes of rules of a knowledge base on Spark",
    "spark/maintenance/stream_in_kernel": "by update streams of a knowledge base on Spark",
    "spark/maintenance/update": "by updates of a knowledge base on Spark",
    "spark/materialisation": "by a knowledge base on Spark whose updates fail",
}
"""Modules whose tests have their name and do not import them: how they are tested."""

CROSS_CUTTING: dict[str, str] = {
    "durable/test_kills.py": "a writer that is killed at random moments",
    "durable/test_long_life.py": "everything that may happen to a saved knowledge base, by chance, against the reference",
    "local/closure/test_modules_oracle.py": "transitive relations against the module functions of the paper",
    "local/lookahead/test_marking_oracle.py": "marks against the algorithm of the paper",
    "local/maintenance/test_backward_forward_oracle.py": "B/F against the algorithm of the paper",
    "local/maintenance/test_dred_oracle.py": "DRed and counting against plain Python",
    "local/maintenance/test_ranked_oracle.py": "deletions by ranks against plain Python, and ranks against their definition",
    "local/rule_changes/test_rule_changes_oracle.py": "hyper-nodes under changes of rules against the algorithms of the paper",
    "pipeline/test_cli.py": "the commands of pipelines, end to end",
    "pipeline/test_interruption.py": "runs that Ctrl-C or a limit ends, with a real Spark",
    "spark/ingest/test_reading_connect.py": "ingesting through Spark Connect, in a process of its own",
    "spark/test_cluster.py": "a cluster that loses executors",
    "spark/test_foreign.py": "jobs and streams whose folders are all on a file system that Python does not know",
    "spark/test_errors.py": "the pages of the errors of the Spark engine",
    "spark/test_kb_connect.py": "a knowledge base through Spark Connect, in a process of its own",
    "spark/test_long_runs.py": "memory and files over many rounds",
    "spark/test_long_streams.py": "memory and files over many micro-batches",
    "ontology/test_closures_of_the_corpus.py": "the UNESCO thesaurus and WordNet, closed by modules",
    "ontology/test_owl_corpus.py": "the test cases of the W3C, and LUBM, both ways",
    "test_wrong_input.py": "random objects and bytes at every public method: nothing but coded errors, nothing changed",
    "spark/test_streaming.py": "streaming jobs that are stopped and killed",
}
"""Test modules, by their paths below `tests`, that are about no single module: what they are about."""


def modules() -> list[str]:
    """The modules that the rule holds for, by their paths without the ending."""
    found = (path.relative_to(SOURCE).with_suffix("") for path in sorted(SOURCE.rglob("*.py")))
    return [path.as_posix() for path in found if not path.name.startswith("__")]


def mirrored(module: str) -> Path:
    """Where the tests of a module are."""
    path = Path(module)
    return TESTS / path.parent / f"test_{path.name}.py"


def covering(module: str) -> Path:
    """The file that tests a module that has no tests of its own."""
    return TESTS.parent / COVERED_ELSEWHERE[module].partition(":")[0]


def imported(path: Path) -> set[str]:
    """The names of the modules that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def is_imported(module: str) -> bool:
    """Whether the tests of a module import it."""
    return f"tidelog.{module.replace('/', '.')}" in imported(mirrored(module))


def test_there_is_something_to_mirror() -> None:
    assert {"values", "program/checks/scope", "cli/texts"} <= set(modules())


@pytest.mark.parametrize("module", modules())
def test_every_module_has_tests(module: str) -> None:
    assert mirrored(module).is_file() or module in COVERED_ELSEWHERE


@pytest.mark.parametrize("module", [module for module in modules() if module not in COVERED_ELSEWHERE])
def test_the_tests_of_a_module_import_it(module: str) -> None:
    """Or, if it is a command, call it: tests of commands go through `tests/cli/commands.py`."""
    names = imported(mirrored(module))
    is_command = module.startswith("cli/") and "tests.cli.commands" in names
    assert is_imported(module) != (module in FROM_OUTSIDE) or is_command


@pytest.mark.parametrize("module", COVERED_ELSEWHERE)
def test_every_entry_of_the_table_is_needed(module: str) -> None:
    assert (SOURCE / f"{module}.py").is_file()
    assert not mirrored(module).exists()
    assert covering(module).is_file()
    assert COVERED_ELSEWHERE[module].partition(": ")[2]


@pytest.mark.parametrize("module", FROM_OUTSIDE)
def test_every_module_that_is_tested_from_outside_has_tests(module: str) -> None:
    assert (SOURCE / f"{module}.py").is_file()
    assert mirrored(module).is_file()
    assert FROM_OUTSIDE[module]


@pytest.mark.parametrize("name", CROSS_CUTTING)
def test_every_cross_cutting_test_module_is_about_no_single_module(name: str) -> None:
    assert (TESTS / name).is_file()
    assert TESTS / name not in {mirrored(module) for module in modules()}
    assert CROSS_CUTTING[name]


def test_no_test_module_is_left_of_a_module_that_is_gone() -> None:
    """In the folders that mirror packages every test module has its module, or is known to be about several."""
    folders = {Path(module).parent for module in modules()} - {Path()}
    folders |= {parent for folder in folders for parent in folder.parents} - {Path()}
    tests = (path for folder in folders for path in (TESTS / folder).glob("test_*.py"))
    known = {mirrored(module) for module in modules()} | {TESTS / name for name in CROSS_CUTTING}
    assert [path for path in tests if path not in known] == []
