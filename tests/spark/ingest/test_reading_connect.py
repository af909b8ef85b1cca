"""Ingesting and lineage through Spark Connect, in a process of its own: a process is either classic or Connect."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("connect")  # one after the other: a local server always listens at the same port

SCRIPT = """
import sys
from pyspark.sql import SparkSession
from tidelog.program.relations import Relation
from tidelog.spark.ingest import Rejects, ingest, ingest_rdf
from tidelog.spark.session.lineage import Lineage
from tidelog.spark.session.private_session import SQL_SETTINGS, close, is_connect, is_local, session

folder = sys.argv[1]
builder = SparkSession.builder.remote("local[2]").config("spark.driver.memory", "1g")
users = builder.config("spark.ui.enabled", "false").getOrCreate()
try:
    users.conf.set("spark.sql.adaptive.enabled", "true")
    spark = session(users)
    assert is_connect(spark) and is_local(spark) and spark is not users
    assert users.conf.get("spark.sql.adaptive.enabled") == "true"
    assert all(spark.conf.get(setting.name) == setting.value for setting in SQL_SETTINGS)
    for lineage in (Lineage(spark), Lineage(spark, "reliable", folder + "/run")):
        kept, count = lineage.cut_and_count(spark.range(10).where("id > 4"))
        assert (count, kept.count()) == (5, 5)
        assert lineage.cut_and_count(kept.where("id > 100"))[1] == 0
        lineage.release(kept)
        lineage.close()
    rejects = Rejects(folder + "/rejects", 1)
    found = ingest(spark, folder + "/a.csv", "edge", rejects=rejects)
    assert sorted(map(tuple, found.frame.collect())) == [("sx", "i1"), ("sy", "i2")], found.frame.collect()
    assert (rejects.count, rejects.first(1)[0].line) == (1, 4)
    frame = users.createDataFrame([(1, "a")], "a int, b string")
    assert list(map(tuple, ingest(spark, frame, "edge").frame.collect())) == [("i1", "sa")]
    frame.createTempView("mine")
    assert list(map(tuple, ingest(spark, "mine", "edge", tables=users).frame.collect())) == [("i1", "sa")]
    facts = ingest_rdf(spark, folder + "/a.ttl")
    assert facts.counts() == {("http://a/C", 1): 1, ("http://a/p", 2): 1}
    close(spark)
    assert users.range(3).count() == 3
finally:
    users.stop()
"""


def run_connected(script: str, folder: Path) -> None:
    """Run a script that is given a folder, and prints at its end that all is well."""
    for library in ("pyspark", "grpc", "grpc_status", "pandas", "pyoxigraph", "zstandard"):
        pytest.importorskip(library, reason=f"{library}, which Spark Connect needs, is not installed")
    from tidelog.spark.session.java import find_java, java_home

    with java_home(find_java(os.environ)):
        environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    file = folder / "script.py"
    file.write_text(script + '\nprint("all is well")\n', encoding="utf-8")
    ran = subprocess.run([sys.executable, file, folder], env=environment, capture_output=True, text=True, check=False)
    assert ran.stdout.splitlines()[-1:] == ["all is well"], ran.stderr[-3000:]


def test_connect(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name,size\nx,1\ny,2\nz\n", encoding="utf-8")
    (tmp_path / "a.ttl").write_text("@prefix ex: <http://a/> . ex:s a ex:C ; ex:p 5 .", encoding="utf-8")
    run_connected(SCRIPT, tmp_path)
