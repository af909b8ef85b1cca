"""Runs on Spark that end too early: limits, and Ctrl-C while facts are derived or written; readers see nothing of it.

Each run is a process of its own, as it is for users, so that no JVM stays behind.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread, current_thread
from time import sleep
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from tests.pipeline.jobs import RULES, job_from

from tidelog.errors import TidelogError
from tidelog.pipeline import read_current, run_job
from tidelog.spark.session.interruption import end_jobs_on_interrupt

if TYPE_CHECKING:
    import pyarrow as pa

PROJECT = Path(__file__).parents[2]
CHAIN = 200
"""So long that a run in rounds, one for each step, is still under way whenever it is interrupted."""
JOB = """\
[program]
path = "rules.dl"
[[source]]
relation = "edge"
path = "edges.csv"
[[sink]]
relation = "path"
path = "out/path"
format = "csv"
[engine]
placement = "{placement}"
lineage = "reliable"
lineage_folder = "lineage"
"""
INTERRUPTED = 130


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A job whose sink has a result already, of three facts, and whose next run would have many."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    from tidelog.spark.session.java import find_java

    try:
        find_java(os.environ)
    except TidelogError as error:
        pytest.skip(str(error))
    (tmp_path / "temporary").mkdir()
    (tmp_path / "rules.dl").write_text(RULES, encoding="utf-8")
    (tmp_path / "edges.csv").write_text("src,dst\na,b\nb,c\n", encoding="utf-8")
    run_job(job_from(tmp_path, JOB.partition("[engine]")[0] + '[engine]\nname = "local"\n'))
    edges = "".join(f"n{at},n{at + 1}\n" for at in range(CHAIN))
    (tmp_path / "edges.csv").write_text("src,dst\n" + edges, encoding="utf-8")
    return tmp_path


class Run:
    """A run of the job, with a terminal of its own for what it tells, and all that it has told."""

    def __init__(self, folder: Path, more: str = "", *, placement: str = "rounds", script: str | None = None) -> None:
        job = folder / "job.toml"
        job.write_text(JOB.format(placement=placement) + more, encoding="utf-8")
        paths = os.pathsep.join([str(PROJECT), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {**os.environ, "PYTHONPATH": paths, "TMPDIR": str(folder / "temporary")}
        environment |= {"TERM": "xterm", "COLUMNS": "200"}  # so that no line of progress is cut
        self._terminal, theirs = os.openpty()
        self._process = subprocess.Popen(
            [sys.executable, *([script] if script is not None else ["-m", "tidelog.pipeline"]), str(job)],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.told = ""
        self._listener = Thread(target=self._listen)
        self._listener.start()

    def _listen(self) -> None:
        while True:
            try:
                heard = os.read(self._terminal, 4096)
            except OSError:  # nobody is left at the other end
                break
            self.told += heard.decode("utf-8", "replace")

    def interrupt_when(self, is_time: Callable[[], bool]) -> None:
        """Ctrl-C at some moment, to all processes of the run, as a terminal does it."""
        while not is_time():
            assert self._process.poll() is None, f"it ended before: {self.told}"
            sleep(0.01)
        os.killpg(self._process.pid, signal.SIGINT)

    def end(self) -> int:
        """Wait for the end; the status."""
        status = self._process.wait()
        self._listener.join()
        os.close(self._terminal)
        return status


def check_nothing_has_changed(folder: Path) -> None:
    """The result is the one before, whole, and the run that was ended has left nothing behind."""
    sink = folder / "out/path"
    current = Path(read_current(sink))
    lines = [line for part in current.glob("*.csv") for line in part.read_text(encoding="utf-8").splitlines()[1:]]
    assert sorted(lines) == ["a,b", "a,c", "b,c"]
    assert sorted(entry.name for entry in sink.iterdir()) == ["CURRENT", "versions"]
    assert list((sink / "versions").iterdir()) == [current]
    assert list((folder / "lineage").glob("*")) == []
    assert list((folder / "temporary").glob("tidelog*")) == []


# --- limits --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["facts = 1000", pytest.param("rounds = 3", marks=pytest.mark.nightly)])
def test_limits(folder: Path, limit: str) -> None:
    run = Run(folder, f"[limits]\n{limit}\n")
    assert run.end() == 1
    assert "error TL070: there " in run.told
    assert "Traceback" not in run.told
    check_nothing_has_changed(folder)


# --- Ctrl-C --------------------------------------------------------------------------------------------------------------


def test_ctrl_c_while_facts_are_derived(folder: Path) -> None:
    run = Run(folder)
    run.interrupt_when(lambda: re.search(r"round [1-9]", run.told) is not None)
    assert run.end() == INTERRUPTED
    assert "interrupted" in run.told
    assert "Traceback" not in run.told
    check_nothing_has_changed(folder)


def test_ctrl_c_while_a_sink_is_written(folder: Path) -> None:
    def is_half_written() -> bool:
        return any(path.stat().st_size for path in folder.glob("out/path/versions/*/_temporary/**/*.csv") if path.exists())

    run = Run(folder, placement="kernel", script=__file__)
    run.interrupt_when(is_half_written)
    assert run.end() == INTERRUPTED
    assert "interrupted" in run.told
    check_nothing_has_changed(folder)


# --- between Python and Spark --------------------------------------------------------------------------------------------


class StandIn:
    """What of Spark takes part in an interruption; a call interrupts itself so many times before it comes back."""

    def __init__(self) -> None:
        self.interrupts = 0
        self.came_back: list[str] = []
        self.ending: list[Thread] = []
        self._gateway = SimpleNamespace(_gateway_client=self)
        self.sparkContext = self

    def send_command(self, command: str) -> str:
        for _ in range(self.interrupts):
            signal.raise_signal(signal.SIGINT)
        self.came_back.append(command)
        return "answer"

    def cancelAllJobs(self) -> None:  # noqa: N802
        self.ending.append(current_thread())


@pytest.fixture
def spark() -> Iterator[Any]:
    before = signal.getsignal(signal.SIGINT)
    standing_in: Any = StandIn()
    end_jobs_on_interrupt(standing_in)
    yield standing_in
    signal.signal(signal.SIGINT, before)


def ended(spark: Any) -> None:
    """Wait until jobs have been ended, which nobody but another thread can do: this one's connection is in use."""
    while not spark.ending:
        sleep(0.01)
    assert current_thread() not in spark.ending


def test_a_call_comes_back_before_the_interrupt_is_raised(spark: Any) -> None:
    spark.interrupts = 1
    with pytest.raises(KeyboardInterrupt):
        spark.send_command("write")
    assert spark.came_back == ["write"]
    ended(spark)
    spark.interrupts = 0
    assert spark.send_command("tidy up") == "answer"


def test_who_interrupts_twice_does_not_wait(spark: Any) -> None:
    spark.interrupts = 2
    with pytest.raises(KeyboardInterrupt):
        spark.send_command("write")
    assert spark.came_back == []
    ended(spark)
    spark.interrupts = 0
    assert spark.send_command("tidy up") == "answer"


def test_outside_of_calls_nothing_waits(spark: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    ended(spark)


def test_other_threads_are_left_alone(spark: Any) -> None:
    """Their calls are none that the main thread waits for; and they cannot say what signals do."""
    before = signal.getsignal(signal.SIGINT)
    for work in (lambda: spark.send_command("ask"), lambda: end_jobs_on_interrupt(StandIn())):  # type: ignore[arg-type]
        thread = Thread(target=work)
        thread.start()
        thread.join()
    assert spark.came_back == ["ask"]
    assert signal.getsignal(signal.SIGINT) is before


# --- the process that is interrupted while it writes ---------------------------------------------------------------------


def main() -> None:
    """The command, but for writing that takes for ever: each task writes a few rows, and then waits to be ended."""
    from tidelog.cli import app
    from tidelog.spark.kb import SparkKnowledgeBase

    dataframe = SparkKnowledgeBase.dataframe

    def never_done(kb: SparkKnowledgeBase, relation: str) -> Any:
        found = dataframe(kb, relation)
        return found.mapInArrow(_rows_again_and_again, found.schema)

    SparkKnowledgeBase.dataframe = never_done  # type: ignore[method-assign, assignment]
    app(["pipeline", "run", sys.argv[1]])


def _rows_again_and_again(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        while True:
            yield batch
            sleep(0.1)


if __name__ == "__main__":
    main()
