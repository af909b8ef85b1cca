"""Pipelines: a job file says where facts come from, which rules apply, and where results go.

`job` reads the file, all its errors at once (`checking` takes it apart key by key, `values` reads sizes and hides secrets).
`run` carries a job through its stages with a `backend`: the local engine (`local_backend`, with `local_rows` and `local_rdf`
for its sources) or Spark (`spark_backend`).  `sinks` writes results as versions of a folder, and one pointer file says which
version counts (`versions`, over the file systems of `stores`).  `streaming` follows updates (`stream_sources`), works them off
(`working_off`), and keeps what it goes on from (`stream_state`) and a change feed (`feed`).  `outcome` is what is known of a
finished run (`stream_results`, `stream_history`: of a stream so far), `manifest` the same as JSON, `report` the same as a page
with pictures (`plots`, `style`); `dry_run` and `terminal` are what people see before and meanwhile.
"""

from typing import TYPE_CHECKING, Any

__all__ = ["Job", "Outcome", "read_current", "read_job", "run_job", "stream_job"]

if TYPE_CHECKING:
    from tidelog.pipeline.batch.run import run_job
    from tidelog.pipeline.batch.versioned_folder import read_current
    from tidelog.pipeline.job.job_file import Job, read_job
    from tidelog.pipeline.report.outcome import Outcome
    from tidelog.pipeline.streaming.streaming_job import stream_job

_HOMES = {
    "Job": "job.job_file",
    "read_job": "job.job_file",
    "Outcome": "report.outcome",
    "run_job": "batch.run",
    "stream_job": "streaming.streaming_job",
    "read_current": "batch.versioned_folder",
}


def __getattr__(name: str) -> Any:
    """Each part is imported when it is first used."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f"tidelog.pipeline.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'tidelog.pipeline' has no attribute {name!r}")
