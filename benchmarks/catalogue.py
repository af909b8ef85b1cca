"""All workloads by name: those of the local engine, then those on Spark."""

from benchmarks.spark import SPARK_WORKLOADS
from benchmarks.workloads import WORKLOADS

ALL_WORKLOADS = {**WORKLOADS, **SPARK_WORKLOADS}
