"""The choice of a backend for a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidelog.pipeline.batch.backend import Backend, ShowProgress

if TYPE_CHECKING:
    from tidelog.pipeline.job.job_file import Job


def backend_for(job: Job, progress: ShowProgress | None = None) -> Backend:
    """The backend of the engine that the job file names."""
    if job.engine.name == "local":
        from tidelog.pipeline.batch.local_backend import LocalBackend

        return LocalBackend(job, progress)
    from tidelog.pipeline.batch.spark_backend import SparkBackend

    return SparkBackend(job, progress)
