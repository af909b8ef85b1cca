"""The session: private, with its settings, and the user's own as it was."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tidelog.errors import TidelogError
from tidelog.spark.session.private_session import (
    LOCAL_SETTINGS,
    SQL_SETTINGS,
    START_SETTINGS,
    _memory,
    is_connect,
    is_local,
    partitions_for,
    private_environment,
    session,
    shuffle_partitions,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_every_setting_has_a_reason_and_stands_once() -> None:
    settings = [*SQL_SETTINGS, *START_SETTINGS, *LOCAL_SETTINGS]
    assert len({setting.name for setting in settings}) == len(settings)
    assert all(len(setting.reason) > 20 for setting in settings)


def test_settings_are_set(spark: SparkSession) -> None:
    for setting in SQL_SETTINGS:
        assert spark.conf.get(setting.name) == setting.value
    assert spark.conf.get("spark.sql.shuffle.partitions") == "16"
    assert spark.conf.get("spark.driver.memory") == "2g"
    assert not is_connect(spark)
    assert is_local(spark)
    assert shuffle_partitions(spark) == 16
    assert [partitions_for(cores) for cores in (1, 2, 8, 100)] == [8, 16, 32, 200]


def test_the_users_session_is_not_altered(spark: SparkSession) -> None:
    users = spark.newSession()
    users.conf.set("spark.sql.adaptive.enabled", "true")
    users.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    users.createDataFrame([(1,)], "a int").createTempView("mine")
    before = {setting.name: users.conf.get(setting.name) for setting in SQL_SETTINGS}
    private = session(users, partitions=7)
    assert private is not users
    assert {setting.name: users.conf.get(setting.name) for setting in SQL_SETTINGS} == before
    assert private.conf.get("spark.sql.adaptive.enabled") == "false"
    assert private.conf.get("spark.sql.shuffle.partitions") == "7"
    private.createDataFrame([(1,)], "a int").createTempView("ours")
    assert [table.name for table in users.catalog.listTables()] == ["mine"]
    assert session(users) is not private


def test_without_one_given_the_active_one_is_used(spark: SparkSession) -> None:
    private = session()
    assert private is not spark
    assert private.sparkContext is spark.sparkContext


def test_workers_run_the_same_python(spark: SparkSession) -> None:
    import pyarrow as pa

    def which(batches):  # type: ignore[no-untyped-def]
        import sys

        for batch in batches:
            yield pa.RecordBatch.from_pydict({"python": [sys.executable] * batch.num_rows})

    assert {row.python for row in spark.range(4).mapInArrow(which, "python string").collect()} == {sys.executable}


def test_memory() -> None:
    assert _memory("3g") == "3g"
    assert _memory(1 << 31) == "2048m"
    assert _memory(1) == "512m"
    assert 1024 <= int(_memory(None).removesuffix("m")) <= 8192
    with pytest.raises(TidelogError) as caught:
        _memory("much")
    assert caught.value.diagnostics[0].code == "TL074"


def test_environment_of_the_workers() -> None:
    assert private_environment("local[2]") == {
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    assert "SPARK_LOCAL_IP" not in private_environment("spark://host:7077")


def test_the_log_has_a_configuration() -> None:
    (setting,) = [setting for setting in START_SETTINGS if setting.name == "spark.driver.defaultJavaOptions"]
    logging = setting.value.split('"')[1]
    assert Path(logging.partition("=")[2]).is_file()
