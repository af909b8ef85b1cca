"""Works off a stream in all ways in turn: `python -m benchmarks.marking.measuring GROUP REPEATS [SIZE…]`, lines of JSON.

All that is compared is measured in one process, one contender after the other, again and again, and in turn the other way round;
the first round does not count.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from dataclasses import asdict
from typing import Any

from benchmarks.harness.workload import NotAvailable
from benchmarks.marking.streams import Stream, of_group
from benchmarks.marking.table import Row
from tidelog import KnowledgeBase
from tidelog.changes import Counters
from tidelog.streams import Update

CONTENDERS: tuple[tuple[str, Any, bool], ...] = (
    *(("bf", marking, False) for marking in (False, True, "auto")),
    *(("dred", marking, False) for marking in (False, True, "auto")),
    *(("auto", marking, True) for marking in (False, "auto")),
)
"""Algorithm, marking, and whether transitive relations are evaluated by modules."""


def worked_off(stream: Stream, algorithm: str, marking: Any, *, modules: bool) -> tuple[float, Counters, int]:
    """CPU seconds of all updates, what they did, and how many facts there are in the end."""
    kb = KnowledgeBase(stream.rules, algorithm=algorithm, marking=marking, modules=modules)  # type: ignore[arg-type]
    updates = [Update.from_dict(update) for update in stream.updates]
    kb.update()
    counters = Counters()
    gc.collect()  # what the one before has left behind is not for this one to clear away
    start = time.process_time()
    kb.update(insert=updates[0].insert)
    changes = list(kb.follow(updates[1:]))
    seconds = time.process_time() - start
    for change in changes:
        counters.add(change.stats.counters)
    return seconds, counters, len(kb.facts())


def measured(stream: Stream, repeats: int) -> list[Row]:
    """A row for each contender; marks as in the papers where the papers have figures."""
    contenders = [contender for contender in CONTENDERS if contender[1] is not True or stream.is_in_papers]
    times: dict[int, list[float]] = {at: [] for at in range(len(contenders))}
    done: dict[int, tuple[Counters, int]] = {}
    for turn in range(repeats + 1):
        for at in range(len(contenders))[:: 1 if turn % 2 else -1]:  # nobody always comes after the same one
            algorithm, marking, modules = contenders[at]
            seconds, counters, facts = worked_off(stream, algorithm, marking, modules=modules)
            done[at] = counters, facts
            if turn:
                times[at].append(seconds)
    return [
        Row(
            stream.name,
            stream.size,
            stream.seed,
            algorithm,
            str(marking),
            "modules" if modules else "rules",
            repeats,
            statistics.median(times[at]),
            *_columns(*done[at]),
        )
        for at, (algorithm, marking, modules) in enumerate(contenders)
    ]


def _columns(counters: Counters, facts: int) -> tuple[int, ...]:
    """What is deleted and proved as the paper counts, once for each head; `instances` and the others count instances."""
    marks = counters.explicit_marks, counters.implicit_marks, counters.dropped_marks
    proved = counters.proved + counters.rederived
    return counters.affected, counters.suspected, counters.backward, proved, counters.inserted, *marks, facts


def main() -> None:
    """Measure what the command line names, or say why that cannot be."""
    group, repeats, sizes = sys.argv[1], int(sys.argv[2]), {int(size) for size in sys.argv[3:]}
    try:
        for stream in of_group(group):
            if not sizes or stream.size in sizes:
                for row in measured(stream, repeats):
                    print(json.dumps(asdict(row)), flush=True)
    except NotAvailable as reason:
        print(f"not available: {reason}")


if __name__ == "__main__":
    main()
