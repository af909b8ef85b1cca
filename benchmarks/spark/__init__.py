"""Workloads on Spark, in `local[2]`: a closure from file to file, rounds that find little, RDF as numbers, updates, a stream.

Each contender is a fresh process with a JVM of its own.  The warm-up at a tiny size starts Spark and is not measured.  Wall
seconds are the main figure, since driver, JVM and Python workers share the work; CPU seconds are those of all of them.

`sessions` starts Spark, `plain_loop` is what one would write without Tidelog, `triples` makes the RDF.
"""

from benchmarks.spark.closure import SPARK_CLOSURE
from benchmarks.spark.ingest import SPARK_INGEST
from benchmarks.spark.keys import SPARK_RINGS, SPARK_RINGS_UPDATE
from benchmarks.spark.rules import SPARK_RULE_COMES, SPARK_RULE_GOES
from benchmarks.spark.tail import SPARK_TAIL
from benchmarks.spark.updates import SPARK_DELETION, SPARK_MICRO_BATCH, SPARK_STREAM

_WORKLOADS = (
    SPARK_CLOSURE,
    SPARK_RINGS,
    SPARK_RINGS_UPDATE,
    SPARK_TAIL,
    SPARK_INGEST,
    SPARK_DELETION,
    SPARK_RULE_COMES,
    SPARK_RULE_GOES,
    SPARK_STREAM,
    SPARK_MICRO_BATCH,
)
SPARK_WORKLOADS = {workload.name: workload for workload in _WORKLOADS}
