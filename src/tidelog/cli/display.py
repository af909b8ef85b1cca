"""Progress on the terminal, and statistics as a file."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from tidelog.errors import fail

if TYPE_CHECKING:
    from tidelog.core.limits import Progress
    from tidelog.kb import KnowledgeBase, ShowProgress


@contextmanager
def progress_display(*, is_quiet: bool) -> Iterator[ShowProgress | None]:
    """A progress line on standard error; nothing if standard error is not a terminal."""
    if is_quiet or not sys.stderr.isatty():
        yield None
        return
    console = Console(stderr=True)
    with console.status("reading") as status:
        yield lambda progress: status.update(escape(progress_line(progress)))


def progress_line(progress: Progress) -> str:
    """The progress of an evaluation, in one line."""
    rate = progress.derivations / progress.seconds if progress.seconds else 0.0
    return (
        f"unit {progress.unit + 1} of {progress.units}  {progress.working_on}  round {progress.round}  "
        f"{progress.facts:,} facts  {rate:,.0f} derivations/s  {progress.seconds:.1f} s"
    )


def write_statistics(kb: KnowledgeBase, path: Path) -> None:
    """What each rule did in each round, as CSV."""
    program = kb.program
    node_of = {rule: node.number + 1 for node in program.graph.hyper_nodes for rule in node.rules}
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(("hyper_node", "rule", "derives", "round", "derivations", "new_facts", "seconds"))
            for r in kb.statistics.rounds:
                head = program.rules[r.rule].head.predicate
                seconds = f"{r.seconds:.6f}"
                writer.writerow((node_of[r.rule], program.rule_name(r.rule), head, r.number, r.derivations, r.new_facts, seconds))
    except OSError as error:
        raise fail("TL060", f"cannot write {path}: {error.strerror or error}", fix="choose another path") from error
