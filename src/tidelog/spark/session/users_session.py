"""The user's session beside ours: results, tables and the active session are theirs, and Spark's UI says what our jobs do.

What is planned in our session has our settings, which suit short rounds over frames whose sizes nobody knows. A result crosses
over as rows that are planned here; everything that a user does with it is planned there, with the user's partitions, adaptive
execution and broadcasts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_USERS: WeakKeyDictionary[SparkSession, SparkSession] = WeakKeyDictionary()
"""By private session: the one that it was made beside."""
_DESCRIPTION, _GROUP = "spark.job.description", "spark.jobGroup.id"


def is_connect(spark: SparkSession) -> bool:
    """Whether a session is one of Spark Connect, whose Spark is in another process."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def note_user(private: SparkSession, user: SparkSession) -> None:
    """Remember beside which session a private one is, and leave that one active whatever the private one does."""
    _USERS[private] = user
    if not is_connect(private):
        here: Any = private
        create = private.createDataFrame  # makes its own session the active one (PySpark 4.3)

        def leaving_the_active_one(*args: Any, **options: Any) -> DataFrame:
            with _active_session_kept(private):
                return create(*args, **options)

        here.createDataFrame = leaving_the_active_one


def users_session(private: SparkSession) -> SparkSession:
    """The session that the user works in; on Spark Connect the private one, since nothing crosses over there."""
    return private if is_connect(private) else _USERS.get(private, private)


def for_user(frame: DataFrame) -> DataFrame:
    """The rows of a frame of ours as a frame of the user's session."""
    user = users_session(frame.sparkSession)
    if user is frame.sparkSession:
        return frame
    from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

    ours: Any = frame
    theirs: Any = user
    rows = ours._jdf.queryExecution().toRdd()
    streams = False
    return ClassicDataFrame(theirs._jsparkSession.internalCreateDataFrame(rows, ours._jdf.schema(), streams), user)


@contextmanager
def _active_session_kept(private: SparkSession) -> Iterator[None]:
    """PySpark and the JVM each have an active session."""
    holder: Any = type(private)
    sessions: Any = private._jvm.org.apache.spark.sql.classic.SparkSession  # type: ignore[union-attr]
    ours, theirs = holder._activeSession, sessions.getActiveSession()
    try:
        yield
    finally:
        holder._activeSession = ours
        if theirs.isDefined():
            sessions.setActiveSession(theirs.get())
        else:
            sessions.clearActiveSession()


@contextmanager
def described(spark: SparkSession, what: str) -> Iterator[None]:
    """Say in Spark's UI what the jobs of a block do, behind what the block around it does; a job group of the user's stays."""
    if is_connect(spark):
        yield
        return
    context = spark.sparkContext
    before = {name: context.getLocalProperty(name) for name in (_DESCRIPTION, _GROUP)}
    around = before[_DESCRIPTION]
    context.setLocalProperty(_DESCRIPTION, f"{around}: {what}" if around else f"tidelog: {what}")
    if before[_GROUP] is None:
        context.setLocalProperty(_GROUP, "tidelog")
    try:
        yield
    finally:
        if not context._jsc.sc().isStopped():
            for name, value in before.items():
                context.setLocalProperty(name, value)  # type: ignore[arg-type]  # None removes it
