"""The sessions of the contenders: one Spark of two cores in each process, with the same Java, memory and log for all of them.

What differs is what one may set while Spark runs.  Tidelog's knowledge bases make private sessions with settings of their own
beside the one that is active; a plain session has Spark's defaults, and fewer partitions for shuffles than its 200, which suit
clusters.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from benchmarks.harness.workload import NotAvailable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CORES = 2
PARTITIONS = 8
"""Of shuffles in a plain session: some for each core, so that none waits long for the last."""


def started() -> SparkSession:
    """The session that is active, with Spark started if need be: knowledge bases find it by themselves."""
    if importlib.util.find_spec("pyspark") is None:
        raise NotAvailable("pyspark is not installed")
    from pyspark.sql import SparkSession as Session

    from tidelog.spark.session.private_session import session

    return Session.getActiveSession() or session(cores=CORES, app_name="tidelog-bench")


def plain() -> SparkSession:
    """A session with Spark's own defaults, adaptive execution among them."""
    fresh = started().newSession()
    fresh.conf.set("spark.sql.shuffle.partitions", str(PARTITIONS))
    return fresh
