"""The one runner: `python -m benchmarks [NAME…] [--quick] [--repeats N]`; tables and plots go to `benchmarks/results/`.

A name stands for the workload of that name and those that begin with it and `_`: `zodiac` for both rule sets, `spark` for all on
Spark, `maintenance` for all about updates, `marking` for all about streams, `rule_changes` for all about rules that come and go,
`durable` for saved knowledge bases.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks import (
    aggregates,
    durable,
    explaining,
    front_end,
    growing,
    loading,
    memory_over_time,
    ontologies,
    readers,
    rollback,
    rule_changes,
    sparql,
    start_up,
    taxonomy,
    transitive,
)
from benchmarks.catalogue import ALL_WORKLOADS, DURABLE, MAINTENANCE, MARKING, RULE_CHANGES
from benchmarks.harness import summary
from benchmarks.harness.results import RESULTS
from benchmarks.harness.runner import WrongCountError, run
from benchmarks.maintenance import judging, section
from benchmarks.maintenance import runner as maintenance_runner
from benchmarks.marking import runner as marking_runner
from benchmarks.marking import section as marking_section
from benchmarks.papers import judging as papers_judging
from benchmarks.papers import section as papers_section

SCRIPTS = {
    "rollback": rollback,
    "explaining": explaining,
    "aggregates": aggregates,
    "loading": loading,
    "readers": readers,
    "memory_over_time": memory_over_time,
    "transitive": transitive,
    "taxonomy": taxonomy,
    "growing": growing,
    "sparql": sparql,
    "ontologies": ontologies,
}
NAMES = (
    "front_end",
    "start_up",
    *SCRIPTS,
    *ALL_WORKLOADS,
    *MAINTENANCE,
    *MARKING,
    *RULE_CHANGES,
    *DURABLE,
)


def chosen(names: list[str]) -> list[str]:
    """The workloads that the names stand for, all where there are none."""
    for name in names:
        if not any(_stands_for(name, workload) for workload in NAMES):
            sys.exit(f"no workload {name!r}; there are: {', '.join(NAMES)}")
    return [workload for workload in NAMES if not names or any(_stands_for(name, workload) for name in names)]


def _stands_for(name: str, workload: str) -> bool:
    return workload == name or workload.startswith(name + "_")


def write_summary(folder: Path) -> Path:
    """Everything that is known in a folder of results."""
    others = [*start_up.judgements(folder), *judging.judgements(folder), *marking_section.judgements(folder)]
    others += [
        *rule_changes.judgements(folder),
        *durable.judgements(folder),
        *rollback.judgements(folder),
        *explaining.judgements(folder),
        *aggregates.judgements(folder),
        *loading.judgements(folder),
        *readers.judgements(folder),
        *sparql.judgements(folder),
        *ontologies.judgements(folder),
        *papers_judging.judgements(folder),
        *transitive.judgements(folder),
        *taxonomy.judgements(folder),
        *growing.judgements(folder),
    ]
    file = summary.write(ALL_WORKLOADS, others, folder)
    with file.open("a", encoding="utf-8") as stream:
        sections = (section, papers_section, marking_section, rule_changes, durable)
        stream.write("".join(part.text(folder) for part in sections))
    return file


def main() -> None:
    """Run the workloads named on the command line, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure Tidelog beside its peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to run (all): {', '.join(NAMES)}")
    parser.add_argument("--quick", action="store_true", help="the two smallest sizes only; results go to results/quick")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="measure each N times and keep the best (3)")
    options = parser.parse_args()
    folder = RESULTS / "quick" if options.quick else RESULTS
    all_finished = True
    for name in chosen(options.names):
        print(f"== {name}", flush=True)
        if name == "front_end":
            front_end.run()
        elif name == "start_up":
            start_up.run(folder)
        elif name in SCRIPTS:
            SCRIPTS[name].run(folder, quick=options.quick)
        else:
            try:
                if name in MAINTENANCE:
                    job = MAINTENANCE[name]
                    all_finished &= maintenance_runner.run(job, folder, repeats=options.repeats, quick=options.quick)
                elif name in MARKING:
                    all_finished &= marking_runner.run(MARKING[name], folder, quick=options.quick)
                elif name in RULE_CHANGES:
                    all_finished &= rule_changes.run(RULE_CHANGES[name], folder, quick=options.quick)
                elif name in DURABLE:
                    all_finished &= durable.run(DURABLE[name], folder, quick=options.quick)
                else:
                    all_finished &= run(ALL_WORKLOADS[name], folder, repeats=options.repeats, quick=options.quick)
            except WrongCountError as error:
                sys.exit(f"WRONG: {error}")
    print(f"summary in {write_summary(folder)}")
    if not all_finished:
        sys.exit("some contenders failed, see above")


if __name__ == "__main__":
    main()
