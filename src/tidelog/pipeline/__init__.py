"""Pipelines: a job file names the sources of facts, the rules, and the sinks of results.

- `job`: the job file, read and checked;
- `report`: what is known of a run, as a record, a manifest, a page and on the terminal;
- `batch`: one run, from the sources to the sinks;
- `streaming`: a job that follows a stream of updates, in micro-batches.

Each room imports those above it in this list.  No engine imports the pipeline.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["Job", "Outcome", "TidelogDataSource", "read_current", "read_job", "run_job", "stream_job"]

if TYPE_CHECKING:
    from tidelog.pipeline.batch.run import run_job
    from tidelog.pipeline.batch.versioned_folder import read_current
    from tidelog.pipeline.job.job_file import Job, read_job
    from tidelog.pipeline.report.outcome import Outcome
    from tidelog.pipeline.streaming.data_source import TidelogDataSource
    from tidelog.pipeline.streaming.streaming_job import stream_job

_HOMES = {
    "Job": "job.job_file",
    "read_job": "job.job_file",
    "Outcome": "report.outcome",
    "run_job": "batch.run",
    "stream_job": "streaming.streaming_job",
    "TidelogDataSource": "streaming.data_source",
    "read_current": "batch.versioned_folder",
}


def __getattr__(name: str) -> Any:
    """Names of `_HOMES` are imported on first use."""
    if name in _HOMES:
        return getattr(import_module(f"tidelog.pipeline.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'tidelog.pipeline' has no attribute {name!r}")
