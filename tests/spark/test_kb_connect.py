"""Updates and rules that change through Spark Connect, in a process of its own; streams are refused there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.spark.ingest.test_reading_connect import run_connected

pytestmark = pytest.mark.xdist_group("connect")  # one after the other: a local server always listens at the same port

SCRIPT = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession
from tidelog import KnowledgeBase, TidelogError
from tidelog.pipeline import read_job, stream_job

folder = Path(sys.argv[1])
builder = SparkSession.builder.remote("local[2]").config("spark.driver.memory", "1g")
users = builder.config("spark.ui.enabled", "false").getOrCreate()
RULES = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z). n(X, N) :- N = count { path(X, Y) }."
BACK = "back(X, Y) :- path(Y, X)."
try:
    for placement in ("kernel", "rounds"):
        kb = KnowledgeBase(RULES, engine="spark", spark=users, placement=placement, modules=False)
        kb.update(insert=[("edge", 1, 2), ("edge", 2, 3), ("edge", 3, 4)])
        more = users.createDataFrame([(4, 5)], "a int, b int")
        change = kb.update(delete=[("edge", 2, 3)], insert={"edge": more})
        assert sorted(kb["path"]) == [(1, 2), (3, 4), (3, 5), (4, 5)], sorted(kb["path"])
        assert sorted(kb["n"]) == [(1, 1), (3, 2), (4, 1)]
        assert sorted(map(tuple, change.inserted_df("path").collect())) == [(3, 5), (4, 5)]
        assert sorted(kb.add_rules(BACK).inserted["back"]) == [(2, 1), (4, 3), (5, 3), (5, 4)]
        assert list(kb.remove_rules(BACK).deleted) == ["back"]
        kb.close()
    try:
        stream_job(read_job(folder / "job.toml"), spark=users, once=True)
    except TidelogError as error:
        assert error.diagnostics[0].code == "TL074" and "Connect" in str(error), error
    else:
        raise AssertionError("a stream has run")
finally:
    users.stop()
"""
JOB = """\
[program]
text = "q(X) :- p(X)."

[[sink]]
relation = "q"
path = "out/q"

[stream]
folder = "updates"
state = "out/state"
"""


def test_updates_and_rules_on_connect(tmp_path: Path) -> None:
    (tmp_path / "updates").mkdir()
    (tmp_path / "job.toml").write_text(JOB, encoding="utf-8")
    run_connected(SCRIPT, tmp_path)
    assert not (tmp_path / "out/q").exists()
