"""The Spark session that Tidelog works in: private, with every setting and its reason in one table.

A session of the user's is never altered: a new one beside it shares its cluster and has settings of its own. Only where there
is no Spark at all, one is started on this machine.
"""

from __future__ import annotations

import atexit
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidelog.errors import fail
from tidelog.options import machine_memory
from tidelog.spark.session.interruption import end_jobs_on_interrupt
from tidelog.spark.session.java import find_java, java_home
from tidelog.spark.session.users_session import is_connect as is_connect  # noqa: PLC0414  # others take it from here
from tidelog.spark.session.users_session import note_user

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of Spark, and why it is as it is."""

    name: str
    value: str
    reason: str


_LOGGING = f'"-Dlog4j2.configurationFile={Path(__file__).with_name("log4j2.properties")}"'

SQL_SETTINGS = (
    Setting("spark.sql.constraintPropagation.enabled", "false", "a union after a checkpoint fails otherwise"),
    Setting("spark.sql.adaptive.enabled", "false", "re-planning costs more than a short round and loses the partitioning by key"),
    Setting(
        "spark.sql.optimizer.excludedRules",
        "org.apache.spark.sql.catalyst.optimizer.PushDownLeftSemiAntiJoin",
        "a semi-join with a relation would be split by its segments, each with a hash table of the other side",
    ),
    Setting("spark.sql.autoBroadcastJoinThreshold", "-1", "sizes after a checkpoint are guesses; the engine broadcasts by name"),
    Setting("spark.sql.requireAllClusterKeysForCoPartition", "false", "facts stay partitioned by one key in joins over two"),
    Setting("spark.sql.optimizer.canChangeCachedPlanOutputPartitioning", "false", "what is kept stays partitioned by key"),
    Setting("spark.sql.execution.arrow.pyspark.enabled", "true", "columns go to Python as Arrow, not row by row"),
    Setting("spark.sql.execution.arrow.maxRecordsPerBatch", "65536", "larger batches make vectorised code worth its calls"),
    Setting(
        "spark.sql.codegen.wholeStage.union.enabled",
        "false",
        "a relation is a union of one more segment in each round: each would be compiled anew, and interpreted until it is",
    ),
    Setting("spark.sql.inMemoryColumnarStorage.compressed", "false", "columns are kept for one update; compressing costs more"),
    Setting("spark.sql.codegen.useIdInClassName", "false", "the same step of the next round has the same code, compiled once"),
    Setting("spark.sql.session.timeZone", "UTC", "a timestamp without a zone is in UTC, whatever the machine's zone"),
)
"""Settings of each private session; all of them can be changed while Spark runs, in Spark Connect too."""

START_SETTINGS = (
    Setting("spark.ui.enabled", "false", "no web server, and no port, for a job of seconds"),
    Setting("spark.ui.showConsoleProgress", "false", "the progress that is shown is ours"),
    Setting(
        "spark.driver.defaultJavaOptions",
        f"{_LOGGING} -XX:+UseParallelGC -XX:MetaspaceSize=256m",
        "Spark's warnings speak of its own inner life, errors are shown; rounds want throughput, not short pauses; Spark "
        "has many classes, and to find room for them step by step is a full collection each time",
    ),
    Setting("spark.checkpoint.compress", "false", "on one machine, compressing costs more than it saves"),
    Setting("spark.sql.ui.retainedExecutions", "20", "plans of rounds long past need no place in the driver's memory"),
    Setting("spark.cleaner.periodicGC.interval", "2min", "what rounds kept is given back while a long job runs"),
)
"""Settings of a Spark that Tidelog starts itself."""

LOCAL_SETTINGS = (
    Setting("spark.driver.bindAddress", "127.0.0.1", "nobody else on the network needs to reach a local Spark"),
    Setting("spark.driver.host", "127.0.0.1", "the machine's own name may lead to an address that is not reachable"),
)
"""Settings of a Spark that Tidelog starts on this machine only."""

_FEWEST_PARTITIONS, _ENOUGH_PARTITIONS = 8, 32
_SMALLEST, _LARGEST = 1 << 30, 8 << 30
_MEMORY = re.compile(r"[1-9][0-9]*[kmgt]b?", re.IGNORECASE)


def session(
    spark: SparkSession | None = None,
    *,
    memory: str | int | None = None,
    cores: int | None = None,
    master: str | None = None,
    app_name: str = "tidelog",
    partitions: int | None = None,
) -> SparkSession:
    """A private session: beside `spark`, beside the one that is active, or in a Spark that is started for it.

    `memory` (`"4g"`, or bytes) and `cores` are for a Spark that is started here; the default is half of the machine's memory, at
    most 8 GB, and all cores. `partitions` is the number of partitions of a shuffle: the default is that of `shuffle_partitions`.
    """
    _require_pyspark()
    from pyspark.sql import SparkSession as Session

    # What we use of PySpark does not go through pandas, and was tried with pandas 3.
    warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)

    given = spark if spark is not None else Session.getActiveSession()
    user = given if given is not None else _start(memory, cores, master, app_name)
    private = _beside(user)
    note_user(private, user)
    for setting in SQL_SETTINGS:
        private.conf.set(setting.name, setting.value)
    private.conf.set("spark.sql.shuffle.partitions", str(partitions or shuffle_partitions(private)))
    return private


@contextmanager
def made_active(spark: SparkSession) -> Iterator[None]:
    """Around a checkpoint: the frames of checkpoints belong to the active session in Spark Connect, whoever made them (4.3)."""
    holder = getattr(type(spark), "_active_session", None) if is_connect(spark) else None
    if holder is None:
        yield
        return
    before = getattr(holder, "session", None)
    holder.session = spark
    try:
        yield
    finally:
        holder.session = before


def close(private: SparkSession) -> None:
    """Close a private session; the Spark that it is in keeps running."""
    if is_connect(private) and not private.client.is_closed:
        with suppress(Exception):
            private.client.release_session()
        private.client.close()


def is_local(spark: SparkSession) -> bool:
    """Whether Spark's executor is inside its driver, so that blocks are lost only when all is lost."""
    return str(spark.conf.get("spark.master", "")).startswith("local[") or spark.conf.get("spark.master", "") == "local"


def shuffle_partitions(spark: SparkSession) -> int:
    """Eight times the cores up to 32, twice the cores beyond.

    Each core has several, so that none waits long, and the hash tables of known facts are small enough for caches;
    but short rounds pay for each of them.
    """
    if not is_connect(spark):
        return partitions_for(spark.sparkContext.defaultParallelism)
    cores = re.fullmatch(r"local\[(\d+)\]", str(spark.conf.get("spark.master", "")))
    return partitions_for(int(cores[1])) if cores else int(str(spark.conf.get("spark.sql.shuffle.partitions")))


def partitions_for(cores: int) -> int:
    """How many partitions suit so many cores."""
    return max(2 * cores, min(_FEWEST_PARTITIONS * cores, _ENOUGH_PARTITIONS))


def _require_pyspark() -> None:
    try:
        import pyspark  # noqa: F401
    except ImportError as error:
        raise fail("TL084", "pyspark is not installed", fix='pip install "tidelog[spark]"') from error


def _beside(spark: SparkSession) -> SparkSession:
    """A new session in the same Spark."""
    if not is_connect(spark):
        return spark.newSession()
    any_spark: Any = spark
    private: SparkSession = (
        any_spark.newSession() if hasattr(type(spark), "newSession") else any_spark.cloneSession()
    )  # before 4.3
    atexit.register(private.client.close)  # or its frames would contact their Spark when the process ends
    return private


def _start(memory: str | int | None, cores: int | None, master: str | None, app_name: str) -> SparkSession:
    """A Spark of our own; one that `spark-submit` has prepared, or that SPARK_REMOTE names, keeps what it was given."""
    import pyspark
    from pyspark.sql import SparkSession as Session

    builder: Any = Session.builder.appName(app_name)
    if os.environ.get("SPARK_REMOTE") or os.environ.get("PYSPARK_GATEWAY_PORT"):
        started: SparkSession = builder.getOrCreate()
        if not is_connect(started):
            end_jobs_on_interrupt(started)
        return started
    master = master or f"local[{cores or '*'}]"
    settings = START_SETTINGS + (LOCAL_SETTINGS if master.startswith("local") else ())
    for setting in settings:
        builder = builder.config(setting.name, setting.value)
    builder = builder.master(master).config("spark.driver.memory", _memory(memory))
    for name, value in private_environment(master).items():
        os.environ.setdefault(name, value)
    java = find_java(os.environ, pyspark.__version__)
    for note in java.notes:
        sys.stderr.write(f"tidelog: {note}; using {java.home}\n")
    with java_home(java), _quiet():
        started = builder.getOrCreate()
    end_jobs_on_interrupt(started)
    return started


def private_environment(master: str) -> dict[str, str]:
    """Variables that Spark's processes need: workers of the same Python, and on one machine an address that is always there."""
    always = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    return always | ({"SPARK_LOCAL_IP": "127.0.0.1"} if master.startswith("local") else {})


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what pyspark warns about versions of libraries that we do not use through it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _memory(given: str | int | None) -> str:
    """The memory of the driver as Spark wants it; it must be known before the JVM starts."""
    if isinstance(given, str):
        if _MEMORY.fullmatch(given) is None:
            raise fail("TL074", f"there is no memory={given!r}", fix="write it as a whole number and a unit: `4g` or `512m`")
        return given
    size = given if given is not None else min(max(machine_memory() // 2, _SMALLEST), _LARGEST)
    return f"{max(size >> 20, 512)}m"
