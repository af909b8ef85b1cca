"""Which suite runs at which place, with how many examples; each combination that does not run has a reason.

A row applies to all places whose names begin like its first column; the row with the longest such name counts.
Every place and suite has a row in `EXAMPLES` or in `GAPS`, or cases of the corpus: `test_places.py` checks it.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from tests.corpus import stream_name
from tests.differential.places import BY_NAME, PLACES, OpenPlace, Place
from tests.nightly import scaled

Row = tuple[str, int, int]
"""The beginning of the names of places; examples by day (`make test`); examples by night (`make nightly`)."""

EXAMPLES: dict[str, tuple[Row, ...]] = {
    # Programs from scratch.
    "programs": (
        ("local-auto", 120, 20_000),
        ("spark", 0, 200),
        ("spark-kernel", 30, 200),
        ("spark-rounds", 10, 200),
        ("spark-on-executors", 0, 50),
        ("spark-facts-on-executors", 0, 50),
    ),
    "graph programs": (("spark", 0, 40),),
    # Histories of updates.
    "updates": (
        ("local", 60, 0),  # by night all of them get the same histories: `test_many_updates_at_all_local_places`
        ("spark", 0, 100),
        ("spark-kernel", 10, 100),
        ("spark-kernel-", 0, 50),
        ("spark-rounds", 25, 100),
        ("spark-mixed", 2, 200),  # its small budgets mean many rounds: seconds an example
        ("spark-mixed-rematerialise", 0, 200),
        ("spark-on-executors", 0, 100),
        ("spark-facts-on-executors", 0, 100),
    ),
    "queries": (("local", 15, 400), ("spark", 0, 50), ("spark-kernel", 5, 50), ("spark-rounds", 2, 50)),
    "wide relations": (("local", 6, 100),),
    "graphs": (("local", 15, 400), ("spark", 0, 50), ("spark-kernel", 5, 50)),
    "there and back": (("local", 8, 500), ("spark-kernel", 2, 20), ("spark-rounds", 0, 20), ("spark-mixed", 0, 20)),
    "orders": (("local", 10, 500), ("spark-kernel", 2, 20), ("spark-rounds", 0, 20), ("spark-mixed", 0, 20)),
    # Rules that come and go.
    "rule changes": (
        ("local", 20, 2_000),
        ("spark-auto", 0, 2_000),
        ("spark-kernel", 6, 2_000),
        ("spark-rounds", 6, 2_000),
        ("spark-mixed", 1, 2_000),
        ("spark-decomposed", 0, 200),
        ("spark-components", 0, 200),
        ("spark-on-executors", 0, 50),
        ("spark-facts-on-executors", 0, 50),
    ),
    "choices by chance": (("local-auto", 30, 2_000),),
    "interruptions": (("local", 6, 200),),
    # Streams that look ahead, for each marking.
    "streams": (
        ("local", 20, 750),
        ("local-counting", 0, 750),
        ("local-rematerialise", 0, 750),
        ("spark-kernel", 15, 200),
        ("spark-kernel-", 0, 20),
        ("spark-rounds", 0, 20),
        ("spark-mixed", 0, 20),
    ),
}

_SAME_FROM_SCRATCH = "no facts have changed yet, so no algorithm for changes takes part"
_KERNEL_IS_LOCAL = "the kernel of Spark's driver is the local engine, whose algorithms have places of their own"
_ONLY_SITUATION = "its patches are for evaluation from scratch; updates have the two situations `on executors`"
_SLOW_COPY = "what it does beyond `spark-rounds` is tested by `updates`; an example takes seconds"
_NO_LOOK_AHEAD = "outside the kernel a stream applies plain updates: `updates`"
_LESS_THAN_ON_EXECUTORS = "`spark-on-executors` leaves even less to the driver"

GAPS: dict[tuple[str, str], str] = {
    ("local", "programs"): _SAME_FROM_SCRATCH,
    ("local", "graph programs"): "`graphs` begins with the same programs from scratch",
    ("spark-kernel-", "programs"): _SAME_FROM_SCRATCH,
    ("spark-kernel-", "graph programs"): _SAME_FROM_SCRATCH,
    ("spark-mixed-rematerialise", "programs"): _SAME_FROM_SCRATCH,
    ("spark-mixed-rematerialise", "graph programs"): _SAME_FROM_SCRATCH,
    ("spark-as-if-large", "updates"): _ONLY_SITUATION,
    ("spark-as-if-large", "queries"): _ONLY_SITUATION,
    ("spark-as-if-large", "graphs"): _ONLY_SITUATION,
    ("spark-kernel-", "queries"): _KERNEL_IS_LOCAL,
    ("spark-kernel-", "graphs"): _KERNEL_IS_LOCAL,
    ("spark-kernel-", "rule changes"): _KERNEL_IS_LOCAL,
    ("spark", "wide relations"): "wide relations test the local tables under odd conditions; `programs` has arity 8 on Spark",
    ("spark", "there and back"): _SLOW_COPY,
    ("spark", "orders"): _SLOW_COPY,
    ("spark-kernel-", "there and back"): _KERNEL_IS_LOCAL,
    ("spark-kernel-", "orders"): _KERNEL_IS_LOCAL,
    ("spark-mixed-rematerialise", "rule changes"): "`updates` has it; rules that change choose it by themselves at `spark-mixed`",
    ("spark-as-if-large", "rule changes"): _ONLY_SITUATION,
    ("local", "choices by chance"): "an algorithm that is forced leaves nothing to choose",
    ("spark", "choices by chance"): _KERNEL_IS_LOCAL,
    ("spark", "interruptions"): "a test cannot choose a moment inside a job of Spark: tests/pipeline/test_interruption.py",
    ("spark", "streams"): _NO_LOOK_AHEAD,
    # Cases of the corpus.
    ("local", "cases"): _SAME_FROM_SCRATCH,
    ("spark-kernel-", "cases"): _SAME_FROM_SCRATCH,
    ("spark-mixed", "cases"): "a budget that splits a program is drawn for each program: `programs`",
    ("spark-facts-on-executors", "cases"): _LESS_THAN_ON_EXECUTORS,
    ("spark-as-if-large", "cases"): _LESS_THAN_ON_EXECUTORS,
    ("spark", "transactions"): "few cases have relations for which it differs from `spark-rounds`; `updates` has them",
    ("spark-kernel-", "transactions"): _KERNEL_IS_LOCAL,
    ("local", "last transactions"): "`transactions` ends with them",
    ("spark-kernel-", "last transactions"): _SAME_FROM_SCRATCH,
    ("spark-mixed", "last transactions"): "a budget that splits a program is drawn for each program: `programs`",
    ("spark-facts-on-executors", "last transactions"): _LESS_THAN_ON_EXECUTORS,
    ("spark-as-if-large", "last transactions"): _LESS_THAN_ON_EXECUTORS,
    ("spark", "corpus streams"): "a revision takes seconds; `transactions` and `updates` have updates there",
    ("spark", "corpus histories"): "hundreds of revisions of ten thousands of facts take hours in rounds",
    ("local", "corpus streams with marks"): "these algorithms make no marks",
    ("spark", "corpus streams with marks"): _NO_LOOK_AHEAD,
}


CASES: dict[str, set[str]] = defaultdict(set)
"""At which places the suites run that take their examples from the corpus."""


def find(suite: str, place: Place) -> tuple[int, int] | str:
    """The examples of a suite at a place by day and by night, or why there are none; cases of the corpus count as none."""
    rows: dict[str, tuple[int, int] | str] = {begin: (day, night) for begin, day, night in EXAMPLES.get(suite, ())}
    rows |= dict.fromkeys(CASES.get(suite, ()), (0, 0))
    for (begin, of), reason in GAPS.items():
        if of == suite:
            assert begin not in rows, f"{begin} has examples and a gap for {suite}"
            rows[begin] = reason
    fitting = [begin for begin in rows if place.name.startswith(begin)]
    assert fitting, f"neither examples nor a gap for {suite} at {place.name}"
    return rows[max(fitting, key=len)]


_A_PART = 1_000
"""So many examples are one test of a night; the parts of a place are for several processes."""


def at_places(suite: str, *, nightly: bool = False) -> pytest.MarkDecorator:
    """Run a test at every place of a suite; it takes the place and the number of examples."""
    params = []
    for place in PLACES:
        found = find(suite, place)
        if isinstance(found, str):
            continue
        examples = found[nightly]
        for part in range(-(-examples // _A_PART)):
            name = place.name if examples <= _A_PART else f"{place.name}-{part}"
            params.append(_parameter(place, min(_A_PART, examples - part * _A_PART), name=name, nightly=nightly))
    return pytest.mark.parametrize(("place", "examples"), params, indirect=["place"])


def at_cases(suite: str, places: Mapping[str, Iterable[Path]], *, nightly: bool = False) -> pytest.MarkDecorator:
    """Run a test of files of the corpus, each at its places; it takes the place and the file."""
    CASES[suite] |= set(places)
    params = [
        _parameter(
            BY_NAME[name], path, name=f"{stream_name(path) if path.suffix == '.jsonl' else path.stem}-{name}", nightly=nightly
        )
        for name, paths in places.items()
        for path in paths
    ]
    return pytest.mark.parametrize(("place", "path"), params, indirect=["place"])


def _parameter(place: Place, *values: Any, name: str, nightly: bool) -> Any:
    """A test at one place: where it runs is marked."""
    marks = [*([pytest.mark.spark] if place.engine == "spark" else []), *([pytest.mark.nightly] if nightly else [])]
    return pytest.param(place, *values, id=name, marks=marks)


def for_all(
    strategy: st.SearchStrategy[Any], check: Callable[..., None], place: OpenPlace, examples: int, *, shared: bool = False
) -> None:
    """Check so many examples at a place: `check(example, place, setting)`.

    `shared` examples of a day are the same for all algorithms of the local engine, so that the reference evaluates them once;
    other places have examples of their own.
    """
    is_nightly = not settings.default.derandomize  # type: ignore[union-attr]

    @given(strategy, place.settings)
    @settings(max_examples=scaled(examples) if is_nightly else examples)
    def run(example: Any, setting: Any) -> None:
        check(example, place, setting)

    if not is_nightly:
        told = f"local {place.place.modules}" if shared and place.place.engine == "local" else place.place.name
        run = seed(zlib.crc32(told.encode()))(run)
    run()
