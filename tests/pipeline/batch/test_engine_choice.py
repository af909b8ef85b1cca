"""The backend of a job; that of Spark starts nothing before it is used."""

from __future__ import annotations

from pathlib import Path

from tests.pipeline.jobs import JOB, job_from, prepare

from tidelog.pipeline.batch.engine_choice import backend_for
from tidelog.pipeline.batch.local_backend import LocalBackend
from tidelog.pipeline.batch.spark_backend import SparkBackend


def test_the_engine_that_the_job_names(tmp_path: Path) -> None:
    prepare(tmp_path)
    assert isinstance(backend_for(job_from(tmp_path)), LocalBackend)
    on_spark = backend_for(job_from(tmp_path, JOB.replace('name = "local"', 'name = "spark"')))
    assert isinstance(on_spark, SparkBackend)
    assert on_spark._given is None
    on_spark.close()
