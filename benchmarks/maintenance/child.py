"""One measurement in a process of its own: `python -m benchmarks.maintenance.child JOB CONTENDER SIZE…`, one line of JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from benchmarks.harness.workload import NotAvailable
from benchmarks.maintenance.job import Job
from benchmarks.maintenance.jobs import JOBS
from benchmarks.maintenance.measuring import Steps
from benchmarks.maintenance.table import OK


def measured(job: Job, contender: str, sizes: list[int]) -> dict[int, Steps]:
    """The figures of each step at each size."""
    if job.scale is not None:
        return dict(job.scale.run(contender, sizes))
    assert job.run is not None
    job.run(contender, job.tiny)
    return {size: job.run(contender, size) for size in sizes}


def main() -> None:
    """Measure what the command line names."""
    job, contender, sizes = JOBS[sys.argv[1]], sys.argv[2], [int(size) for size in sys.argv[3:]]
    try:
        found = measured(job, contender, sizes)
        steps = {size: {step: asdict(figures) for step, figures in own.items()} for size, own in found.items()}
        print(json.dumps({"status": OK, "steps": steps}))
    except NotAvailable as reason:
        print(json.dumps({"status": f"not available: {reason}", "steps": {}}))


if __name__ == "__main__":
    main()
