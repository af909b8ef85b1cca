"""A cluster that loses executors: under `reliable` the result is the same, under `local` there is an error and nothing else.

A JVM has one Spark only, so the cluster is started by a process of its own, which runs this file. It goes through all scenarios
and says what it saw; the tests judge that. The cluster is of one machine, with two executors in processes of their own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from tests.spark.on_executors import nothing_in_the_driver

from tidelog.errors import TidelogError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidelog.spark.kb import SparkKnowledgeBase

pytestmark = pytest.mark.nightly
PROJECT = Path(__file__).parents[2]
NODES = 13
"""Of a chain; a round follows it one step further, so there are as many rounds."""
FACTS = sorted([f"n{left:02}", f"n{right:02}"] for left, right in combinations(range(NODES), 2))
RULES = """
@relation edge(src: string, dst: string) .
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
"""
JOB = """
[program]
path = "rules.dl"
[[source]]
relation = "edge"
path = "edge.csv"
[[sink]]
relation = "path"
path = "out/path"
[engine]
placement = "rounds"
lineage = "local"
"""


# --- in the process of the cluster ---------------------------------------------------------------------------------------


class Cluster:
    """A Spark of two executors, and the means to kill them."""

    def __init__(self) -> None:
        from tidelog.spark.session.private_session import session

        self.spark: SparkSession = session(master="local-cluster[2,1,1024]", memory="1g")
        self.killed = 0
        self._known: set[str] = set()
        self._missing = 0

    def kill(self, *, how_many: int) -> None:
        """End so many executors at once, as the loss of their machines would."""
        import psutil  # type: ignore[import-untyped]

        executors = []
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):  # it has ended meanwhile
                if "CoarseGrainedExecutorBackend" in " ".join(child.cmdline()):
                    executors.append(child)
        assert len(executors) >= how_many
        for executor in executors[:how_many]:
            executor.kill()
        self.killed += how_many
        self._missing += how_many

    def kill_one_at_work(self) -> None:
        """End an executor as soon as something is being computed."""
        status = self.spark.sparkContext.statusTracker()

        def wait_and_kill() -> None:
            while not status.getActiveStageIds():
                sleep(0.01)
            self.kill(how_many=1)

        threading.Thread(target=wait_and_kill, daemon=True).start()

    def wait_for_two(self) -> None:
        """Until Spark has noticed all losses and has two executors again."""
        context: Any = self.spark.sparkContext._jsc.sc()
        known: set[str] = set()
        while len(known) < 3 or len(known - self._known) < self._missing:  # the driver counts too
            sleep(0.1)
            known = set(context.getExecutorMemoryStatus().keys().mkString(" ").split())
        self._known, self._missing = known, 0


def at_rounds(actions: dict[int, Callable[[], None]]) -> Callable[[Any], None]:
    """A progress that does something once in each of these rounds, or as soon behind them as it is called."""
    waiting = sorted(actions)

    def show(progress: Any) -> None:
        if waiting and progress.round >= waiting[0]:
            actions[waiting.pop(0)]()

    return show


def code_of(action: Callable[[], object]) -> str:
    """The code of the error that an action ends with; of an error without a code, its kind."""
    try:
        action()
    except TidelogError as error:
        return error.diagnostics[0].code
    except Exception as error:
        return type(error).__name__
    return "no error"


def reliable(cluster: Cluster, folder: Path) -> dict[str, Any]:
    """All executors die behind the loading of facts, one between two rounds, and one at work."""
    from tidelog import KnowledgeBase
    from tidelog.spark.session.lineage import Lineage

    losses = {3: lambda: cluster.kill(how_many=1), 8: cluster.kill_one_at_work}
    kept = folder / "lineage"
    kb: SparkKnowledgeBase = KnowledgeBase(  # type: ignore[assignment]
        folder / "rules.dl",
        engine="spark",
        spark=cluster.spark,
        placement="rounds",
        lineage="reliable",
        lineage_folder=kept,
        progress=at_rounds(losses),
    )
    kb.load("edge", folder / "edge.csv")
    cluster.kill(how_many=2)
    cluster.wait_for_two()
    count = kb.count("path")
    files = sum(path.is_file() for path in kept.rglob("*"))
    facts = sorted(map(list, kb["path"]))
    rounds = kb.placements[-1].rounds
    kb.close()
    left = [str(path) for path in kept.rglob("*")]
    by_default = Lineage(cluster.spark, folder=kept).policy
    return {"count": count, "facts": facts, "rounds": rounds, "files": files, "left": left, "by_default": by_default}


def local(cluster: Cluster, folder: Path) -> dict[str, Any]:
    """All executors die in the fourth round of a job, and with them every row."""
    return _job(folder, at_rounds({4: lambda: cluster.kill(how_many=2)}))


def local_while_writing(cluster: Cluster, folder: Path) -> dict[str, Any]:
    """They die when everything has been derived, and nothing but the writing is left to do."""
    from tidelog.spark.kb import SparkKnowledgeBase

    dataframe = SparkKnowledgeBase.dataframe

    def and_then_kill(kb: SparkKnowledgeBase, relation: str) -> Any:
        found = dataframe(kb, relation)
        cluster.kill(how_many=2)
        return found

    with patch.object(SparkKnowledgeBase, "dataframe", and_then_kill):
        return _job(folder, at_rounds({}))


def local_while_asking(cluster: Cluster, folder: Path) -> dict[str, Any]:
    """They die before somebody looks at the facts."""
    from tidelog import KnowledgeBase

    kb = KnowledgeBase(folder / "rules.dl", engine="spark", spark=cluster.spark, placement="rounds", lineage="local")
    kb.load("edge", folder / "edge.csv")
    assert kb.count("path") == len(FACTS)
    cluster.kill(how_many=2)
    questions: dict[str, Callable[[], object]] = {
        "iteration": lambda: list(kb["path"]),
        "membership": lambda: ("n00", "n01") in kb["path"],
        "table": kb["path"].to_arrow,
        "query": lambda: list(kb.query("path(n00, X)")),
    }
    return {name: code_of(question) for name, question in questions.items()}


def _job(folder: Path, progress: Callable[[Any], None]) -> dict[str, Any]:
    from tidelog.pipeline.batch.run import run_job
    from tidelog.pipeline.job.job_file import job_of
    from tidelog.pipeline.report.terminal import Terminal
    from tidelog.source import Source

    terminal = Terminal(is_quiet=True)
    with patch.object(terminal, "progress", progress):
        code = code_of(lambda: run_job(job_of(Source(JOB, "job.toml"), folder), terminal=terminal))
    return {"code": code, "written": sorted(str(path.relative_to(folder)) for path in (folder / "out").rglob("*"))}


SCENARIOS = (reliable, local, local_while_writing, local_while_asking)


def main(folder: Path) -> None:
    """Go through all scenarios, and print what came of them."""
    cluster = Cluster()
    found: dict[str, Any] = {}
    try:
        for scenario in SCENARIOS:
            cluster.wait_for_two()
            cluster.killed = 0
            with nothing_in_the_driver():
                found[scenario.__name__] = scenario(cluster, folder) | {"killed": cluster.killed}
    finally:
        cluster.spark.stop()
    sys.stdout.write(json.dumps(found) + "\n")


# --- what is to come of it -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the process of the cluster saw in each scenario."""
    for library in ("pyspark", "psutil"):
        pytest.importorskip(library, reason=f"{library} is not installed")
    from tidelog.spark.session.java import find_java, java_home

    folder = tmp_path_factory.mktemp("cluster")
    (folder / "rules.dl").write_text(RULES, encoding="utf-8")
    edges = [f"n{at:02},n{at + 1:02}\n" for at in range(NODES - 1)]
    (folder / "edge.csv").write_text("src,dst\n" + "".join(edges), encoding="utf-8")
    try:
        with java_home(find_java(os.environ)):
            paths = os.pathsep.join([str(PROJECT), *filter(None, [os.environ.get("PYTHONPATH")])])
            environment = {**os.environ, "PYTHONPATH": paths, "SPARK_HOME": str(_own_home(folder / "spark"))}
    except TidelogError as error:
        pytest.skip(str(error))
    ran = subprocess.run(
        [sys.executable, __file__, folder], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-5000:]
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


def _own_home(folder: Path) -> Path:
    """A home for Spark whose parts lead to the installed one: the workers of a cluster write into the home."""
    import pyspark

    folder.mkdir()
    for part in Path(pyspark.__file__).parent.iterdir():
        if part.name != "work":
            (folder / part.name).symlink_to(part)
    return folder


def test_reliable_lineage_outlives_executors(seen: dict[str, Any]) -> None:
    found = seen["reliable"]
    assert found["killed"] == 4
    assert found["rounds"] >= NODES - 2
    assert found["count"] == len(FACTS)
    assert found["facts"] == FACTS


def test_reliable_lineage_is_what_a_cluster_gets(seen: dict[str, Any]) -> None:
    assert seen["reliable"]["by_default"] == "reliable"


def test_reliable_lineage_leaves_nothing_behind(seen: dict[str, Any]) -> None:
    assert seen["reliable"]["files"] > 0, "it had been kept in files"
    assert seen["reliable"]["left"] == []


@pytest.mark.parametrize("scenario", ["local", "local_while_writing"])
def test_without_it_a_job_ends_with_an_error_and_writes_nothing(seen: dict[str, Any], scenario: str) -> None:
    found = seen[scenario]
    assert found["killed"] == 2
    assert found["code"] == "TL086"
    assert [path for path in found["written"] if path not in ("out/path", "out/path/versions")] == []


def test_without_it_every_question_is_answered_by_the_error(seen: dict[str, Any]) -> None:
    questions = ("iteration", "membership", "table", "query")
    assert seen["local_while_asking"] == {**dict.fromkeys(questions, "TL086"), "killed": 2}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
