"""Streaming jobs: every update exactly once, whatever ends a run; broken updates; what readers find."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pyarrow.parquet as pq
import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.errors import fail
from tidelog.pipeline.batch.versioned_folder import read_current
from tidelog.pipeline.job.job_file import Job, read_job
from tidelog.pipeline.report.terminal import Terminal
from tidelog.pipeline.streaming.stream_state import Commit, StreamState
from tidelog.streams import Update

pytest.importorskip("pyspark")

from tidelog.pipeline.streaming.streaming_job import StreamingJob, stream_job
from tidelog.spark.kb import SparkKnowledgeBase

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RULES = """\
@relation edge(src: string, dst: string) .
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
many(X, N) :- N = count { Y : path(X, Y) }.
end(X) :- edge(_, X), not edge(X, _).
edge(p, q).
"""
JOB = """\
[program]
path = "rules.dl"

[[source]]
relation = "edge"
path = "edges.csv"
header = true

[[sink]]
relation = "path"
path = "out/path"

[stream]
folder = "updates"
state = "out/state"
feed = "out/feed"
updates = {updates}
snapshot_every = {every}
{more}

[engine]
memory_budget = "256 MB"
placement = "{placement}"
"""
FeedRow = tuple[str, str, str, str, str]


def prepare(folder: Path, *, updates: int = 4, every: int = 2, more: str = "", placement: str = "auto") -> Job:
    """A folder with a job and no update yet."""
    (folder / "updates").mkdir(parents=True)
    (folder / "rules.dl").write_text(RULES, encoding="utf-8")
    (folder / "edges.csv").write_text("src,dst\na,b\nb,c\n", encoding="utf-8")
    text = JOB.format(updates=updates, every=every, more=more, placement=placement)
    (folder / "job.toml").write_text(text, encoding="utf-8")
    return read_job(folder / "job.toml")


def random_updates(count: int, seed: int) -> list[Update]:
    """Edges that come and go, among them the one from the text of the program."""
    chosen = random.Random(seed)
    nodes = "abcdefgpq"

    def some() -> tuple[tuple[str, str, str], ...]:
        return tuple(("edge", chosen.choice(nodes), chosen.choice(nodes)) for _ in range(chosen.randint(0, 2)))

    return [Update(f"u{at}", delete=(*some(), ("edge", "p", "q")), insert=some()) for at in range(count)]


def put(folder: Path, updates: list[Update], first: int = 0) -> None:
    for at, update in enumerate(updates, first):
        hidden = folder / "updates" / f".{at:05}.jsonl"
        hidden.write_text(update.to_json() + "\n", encoding="utf-8")
        hidden.rename(folder / "updates" / f"{at:05}.jsonl")


def stream(job: Job, spark: SparkSession, should_stop: Callable[[], bool] = lambda: False) -> Commit:
    """One run over what is waiting."""
    streaming = StreamingJob(job, Terminal(is_quiet=True), should_stop, spark)
    try:
        streaming.begin()
        return streaming.follow(lambda *_: None, once=True)
    finally:
        streaming.close()


def feed(folder: Path) -> list[FeedRow]:
    """All rows of the feed, without the batch."""
    rows = [json.loads(line) for path in sorted((folder / "out/feed").glob("*.jsonl")) for line in path.open(encoding="utf-8")]
    return [(row["update"], row["relation"], json.dumps(row["fact"]), row["change"], row["kind"]) for row in rows]


def expected(updates: list[Update]) -> tuple[set[FeedRow], set[tuple[Any, ...]]]:
    """The feed of an undisturbed run, from the local engine, and the facts of the sink at its end."""
    kb = KnowledgeBase(RULES)
    kb.update(insert=[("edge", "a", "b"), ("edge", "b", "c")])
    rows: set[FeedRow] = set()
    for update in updates:
        change = kb.update(insert=update.insert, delete=update.delete)
        for sign, facts in (("+", change.inserted), ("-", change.deleted)):
            for kind, part in (("explicit", facts.explicit), ("derived", facts.derived)):
                rows |= {(str(update.id), n, json.dumps(list(fact)), sign, kind) for n, found in part.items() for fact in found}
    return rows, set(kb["path"])


def check_result(folder: Path, updates: list[Update]) -> None:
    rows, paths = expected(updates)
    found = feed(folder)
    assert len(found) == len(set(found)), "a change twice"
    assert set(found) == rows
    table = pq.read_table(read_current(folder / "out/path"))
    assert set(zip(*(column.to_pylist() for column in table.columns), strict=True)) == paths


@pytest.mark.parametrize("placement", ["auto", pytest.param("rounds", marks=pytest.mark.nightly)])
def test_a_stream_goes_on_where_it_stopped(spark: SparkSession, tmp_path: Path, placement: str) -> None:
    job, updates = prepare(tmp_path, placement=placement), random_updates(14, 1)
    put(tmp_path, updates[:9])
    last = stream(job, spark)
    assert (last.updates, last.file) == (9, "00008.jsonl")
    put(tmp_path, updates[9:], 9)
    assert stream(job, spark).updates == 14
    check_result(tmp_path, updates)


def test_a_run_whose_batches_fail_again_breaks_off(spark: SparkSession, tmp_path: Path) -> None:
    job, updates = prepare(tmp_path), random_updates(8, 2)
    put(tmp_path, updates)
    create, tried = StreamState._create, 0

    def never_created(state: StreamState, made: Commit) -> bool:
        nonlocal tried
        if made.updates:
            tried += 1
            raise RuntimeError("before it counts")
        return create(state, made)

    with patch.object(StreamState, "_create", never_created), pytest.raises(TidelogError, match=r"TL095.*it counts"):
        stream(job, spark)
    state = StreamState(tmp_path / "out/state")
    assert (last := state.open()) is not None
    assert (last.updates, tried) == (0, 2)
    assert stream(job, spark).updates == 8
    check_result(tmp_path, updates)


@pytest.mark.parametrize("placement", [pytest.param("auto", marks=pytest.mark.nightly), "rounds"])
def test_after_a_batch_that_failed_all_is_as_in_the_last_commit(spark: SparkSession, tmp_path: Path, placement: str) -> None:
    """In the middle of a batch, with rules and facts half done; and after the moment that a commit counts."""
    rule = "back(X, Y) :- path(Y, X)."
    job, updates = prepare(tmp_path, placement=placement), random_updates(12, 2)
    put(tmp_path, [*updates[:2], Update("come", add_rules=(rule,)), Update("go", remove_rules=(rule,)), *updates[2:]])
    work_off, commit, failed = SparkKnowledgeBase.apply, StreamState.commit, list[str]()

    def fails(kb: SparkKnowledgeBase, update: Update, waiting: Any) -> Any:
        if update.id in ("go", "u6") and update.id not in failed:
            failed.append(str(update.id))
            raise fail("TL086", "an executor was lost") if update.id == "go" else RuntimeError("no idea")
        return work_off(kb, update, waiting)

    def no_answer(state: StreamState, made: Commit) -> None:
        commit(state, made)
        if made.updates == 14 and "commit" not in failed:
            failed.append("commit")
            raise RuntimeError("after it counts")

    with patch.object(SparkKnowledgeBase, "apply", fails), patch.object(StreamState, "commit", no_answer):
        last = stream(job, spark)
    assert (failed, last.updates, last.broken) == (["go", "u6", "commit"], 14, 0)
    rows, paths = expected(updates)
    found = [row for row in feed(tmp_path) if row[0] not in ("come", "go")]
    assert sorted(found) == sorted(rows), "nothing twice and nothing missing"
    table = pq.read_table(read_current(tmp_path / "out/path"))
    assert set(zip(*(column.to_pylist() for column in table.columns), strict=True)) == paths


def test_a_job_that_was_taken_over_does_not_begin_again(spark: SparkSession, tmp_path: Path) -> None:
    job, updates = prepare(tmp_path), random_updates(3, 2)
    put(tmp_path, updates)
    work_off = SparkKnowledgeBase.apply

    def taken_over(kb: SparkKnowledgeBase, update: Update, waiting: Any) -> Any:
        if update.id == "u1":
            StreamState(tmp_path / "out/state").open()
            raise RuntimeError("too late")
        return work_off(kb, update, waiting)

    with patch.object(SparkKnowledgeBase, "apply", taken_over), pytest.raises(TidelogError, match="TL093"):
        stream(job, spark)
    assert stream(job, spark).updates == 3
    check_result(tmp_path, updates)


# --- a streaming DataFrame -----------------------------------------------------------------------------------------------


def frame_of(folder: Path, spark: SparkSession) -> DataFrame:
    """A file after the other, in the order of their times; with columns as Kafka's have them, and offsets from their texts."""
    from pyspark.sql import functions as f

    files = sorted((folder / "updates").iterdir())
    for at, path in enumerate(files):
        os.utime(path, (1_700_000_000 + at, 1_700_000_000 + at))
    lines = spark.readStream.option("maxFilesPerTrigger", 2).text(f"file://{folder / 'updates'}")
    offset = f.regexp_extract("value", r'"id": "u(\d+)"', 1).cast("long")
    return lines.select(f.col("value").cast("binary"), f.lit(0).alias("partition"), offset.alias("offset"))


def test_a_streaming_dataframe(spark: SparkSession, tmp_path: Path) -> None:
    """It goes on where it stopped, and a batch that Spark gives again is known."""
    job, updates = prepare(tmp_path), random_updates(9, 12)
    (tmp_path / "job.toml").write_text(
        (tmp_path / "job.toml").read_text(encoding="utf-8").replace('folder = "updates"\n', ""), encoding="utf-8"
    )
    job = read_job(tmp_path / "job.toml")
    with pytest.raises(TidelogError, match=r"TL090.*where updates come from"):
        stream(job, spark)
    put(tmp_path, updates[:5])
    commit = StreamState.commit

    def no_answer(state: StreamState, made: Commit) -> None:
        commit(state, made)
        if made.updates == 4:
            raise RuntimeError("after it counts")

    with patch.object(StreamState, "commit", no_answer):
        assert stream_job(job, updates=frame_of(tmp_path, spark), once=True, spark=spark).updates == 5
    put(tmp_path, updates[5:], 5)
    shown: list[int] = []
    last = stream_job(job, updates=frame_of(tmp_path, spark), once=True, show=lambda number, *_: shown.append(number))
    assert (last.updates, last.file, last.line, shown) == (9, "0", 8, [6, 7, 8, 9])
    check_result(tmp_path, updates)
    text = (tmp_path / "job.toml").read_text(encoding="utf-8").replace("[stream]", '[stream]\nfolder = "updates"')
    (tmp_path / "folder.toml").write_text(text, encoding="utf-8")
    with pytest.raises(TidelogError, match=r"TL077.*from a frame before"):
        stream(read_job(tmp_path / "folder.toml"), spark)
    shutil.rmtree(tmp_path / "out/state/checkpoint")
    with pytest.raises(TidelogError, match=r"TL077.*not the checkpoint"):
        stream_job(job, updates=frame_of(tmp_path, spark), once=True)
    check_result(tmp_path, updates)


def test_a_source_of_spark_in_the_job_file(spark: SparkSession, tmp_path: Path) -> None:
    """As Kafka's connector has it: two partitions, whose updates are applied in the order of topic, partition and offset."""
    from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader

    class Log(SimpleDataSourceStreamReader):
        def __init__(self, path: str) -> None:
            self.path = path

        def initialOffset(self) -> dict[str, int]:  # noqa: N802
            return {"at": 0}

        def read(self, start: dict[str, int]) -> Any:
            lines = [json.loads(line) for line in open(self.path, encoding="utf-8")][start["at"] :]  # noqa: PTH123, SIM115
            rows = [(None, text.encode(), "updates", part, offset, None) for part, offset, text in lines]
            return iter(rows), {"at": start["at"] + len(lines)}

        def readBetweenOffsets(self, start: dict[str, int], end: dict[str, int]) -> Any:  # noqa: N802
            return iter(list(self.read(start)[0])[: end["at"] - start["at"]])

    class Kafkaesque(DataSource):
        @classmethod
        def name(cls) -> str:
            return "kafkaesque"

        def schema(self) -> str:
            return "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp"

        def simpleStreamReader(self, schema: Any) -> Log:  # noqa: ARG002, N802
            return Log(self.options["subscribe"])

    spark.dataSource.register(Kafkaesque)
    prepare(tmp_path)
    text = (tmp_path / "job.toml").read_text(encoding="utf-8")
    source = f'format = "kafkaesque"\noptions = {{ subscribe = "{tmp_path}/log" }}'
    (tmp_path / "job.toml").write_text(text.replace('folder = "updates"', source), encoding="utf-8")
    job, updates = read_job(tmp_path / "job.toml"), random_updates(7, 31)

    def put_log(*parts: tuple[int, int, int]) -> None:
        with (tmp_path / "log").open("a", encoding="utf-8") as file:
            file.writelines(json.dumps([part, offset, updates[at].to_json()]) + "\n" for part, offset, at in parts)

    put_log((1, 0, 2), (0, 0, 0), (1, 1, 3), (0, 1, 1))
    assert stream(job, spark).updates == 4
    put_log((1, 2, 6), (0, 2, 4), (0, 3, 5))
    last = stream(job, spark)
    assert (last.updates, last.file, last.line) == (7, "updates/1", 2)
    check_result(tmp_path, updates)
    (tmp_path / "job.toml").write_text(text.replace('folder = "updates"', 'format = "kafka"'), encoding="utf-8")
    with pytest.raises(TidelogError, match=r"(?s)TL087: Spark cannot read the stream of kafka.*spark.jars"):
        stream(read_job(tmp_path / "job.toml"), spark)


def test_a_streaming_dataframe_stops_at_a_broken_update(spark: SparkSession, tmp_path: Path) -> None:
    """In the middle of a batch; those before it are not worked off again."""
    job, updates = prepare(tmp_path, more='broken = "stop"'), random_updates(4, 13)
    lines = [updates[0].to_json(), updates[1].to_json(), "nonsense", updates[2].to_json()]
    (tmp_path / "updates/0.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    frame = spark.readStream.text(f"file://{tmp_path / 'updates'}")
    for _ in range(2):
        with pytest.raises(TidelogError, match=r"batch 0:3.*TL076"):
            stream_job(job, updates=frame, once=True)
    state = StreamState(tmp_path / "out/state")
    assert (last := state.open()) is not None
    assert (last.updates, last.rows) == (2, 2)
    text = (tmp_path / "job.toml").read_text(encoding="utf-8").replace('broken = "stop"', "")
    (tmp_path / "job.toml").write_text(text, encoding="utf-8")
    last = stream_job(read_job(tmp_path / "job.toml"), updates=frame, once=True)
    assert (last.updates, last.broken) == (3, 1)
    check_result(tmp_path, updates[:3])


@pytest.mark.parametrize("problem", ["not a stream", "needs a column `value`"])
def test_dataframes_that_are_no_updates(spark: SparkSession, tmp_path: Path, problem: str) -> None:
    job = prepare(tmp_path)
    frame = spark.range(3) if problem == "not a stream" else spark.readStream.format("rate").load().select("timestamp")
    with pytest.raises(TidelogError, match=f"TL087.*{problem}"):
        stream_job(job, updates=frame, once=True)


def test_broken_updates_are_set_aside(spark: SparkSession, tmp_path: Path) -> None:
    job, updates = prepare(tmp_path), random_updates(5, 3)
    put(tmp_path, updates)
    lines = ["nonsense", '{"insert": [["edge", "a"]]}', '{"remove_rules": ["nobody"]}', '{"id": "\\ud800"}']
    (tmp_path / "updates" / "00001a.jsonl").write_bytes("\n".join(lines).encode() + b"\n\xff\xfe\n")
    (tmp_path / "updates" / "00001b.jsonl.gz").write_bytes(b"no gzip")
    last = stream(job, spark)
    assert (last.updates, last.broken) == (5, 6)
    found = [
        json.loads(line) for path in sorted((tmp_path / "out/state/broken").iterdir()) for line in path.open(encoding="utf-8")
    ]
    assert [(row["file"], row["line"]) for row in found] == [
        *(("00001a.jsonl", at) for at in (1, 2, 3, 4, 5)),
        ("00001b.jsonl.gz", 1),
    ]
    for row, code in zip(found, ("TL076", "TL020", "TL079", "TL076", "TL061", "TL083"), strict=True):
        assert code in row["reason"]
    check_result(tmp_path, updates)


def test_a_stream_stops_at_a_broken_update(spark: SparkSession, tmp_path: Path) -> None:
    job, updates = prepare(tmp_path, more='broken = "stop"\nfeed_format = "parquet"'), random_updates(3, 4)
    put(tmp_path, updates)
    broken = tmp_path / "updates" / "00001a.jsonl"
    broken.write_text("nonsense\n", encoding="utf-8")
    with pytest.raises(TidelogError, match="TL076"):
        stream(job, spark)
    state = StreamState(tmp_path / "out/state")
    assert (last := state.open()) is not None
    assert (last.updates, last.file) == (2, "00001.jsonl"), "those before it count"
    broken.write_text("{}\n", encoding="utf-8")
    assert stream(job, spark).updates == 4
    rows = [row for path in sorted((tmp_path / "out/feed").glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    assert {(r["update"], r["relation"], r["fact"], r["change"], r["kind"]) for r in rows} == expected(updates)[0]


def test_a_file_that_comes_late_is_said(spark: SparkSession, tmp_path: Path) -> None:
    """While the job stands still, and while it runs; in both cases the sinks are up to date."""
    job, updates = prepare(tmp_path, updates=1, every=99), random_updates(4, 5)
    put(tmp_path, updates[:3])
    stream(job, spark)
    late = tmp_path / "updates" / "00001late.jsonl"
    late.write_text("{}\n", encoding="utf-8")
    with pytest.raises(TidelogError, match=r"TL077.*came late.*00001late.jsonl"):
        stream(job, spark)
    late.unlink()
    put(tmp_path, updates[3:], 3)

    def comes_late(*_: Any) -> None:
        late.write_text("{}\n", encoding="utf-8")
        put(tmp_path, [Update("more")], 4)

    with pytest.raises(TidelogError, match=r"TL077.*came late.*00001late.jsonl"):
        stream_job(job, spark=spark, once=True, show=comes_late)
    check_result(tmp_path, updates)


def test_the_sinks_are_written_after_a_run_that_was_broken_off(spark: SparkSession, tmp_path: Path) -> None:
    """By an update that changes nothing but rules; and when the rules of the job file are others."""
    job = prepare(tmp_path)
    put(tmp_path, [Update("come", add_rules=("path(X, X) :- edge(X, _).",))])
    with patch.object(StreamingJob, "_snapshot", side_effect=RuntimeError("the end")), pytest.raises(RuntimeError):
        stream(job, spark)

    def sink() -> set[tuple[Any, ...]]:
        table = pq.read_table(read_current(tmp_path / "out/path"))
        return set(zip(*(column.to_pylist() for column in table.columns), strict=True))

    assert ("a", "a") not in sink()
    stream(job, spark)
    assert ("a", "a") in sink()
    (tmp_path / "rules.dl").write_text(RULES + "path(X, new) :- edge(X, _).\n", encoding="utf-8")
    stream(read_job(tmp_path / "job.toml"), spark)
    assert ("a", "a") not in sink()
    assert ("a", "new") in sink()


def test_rules_that_come_and_go_are_kept(spark: SparkSession, tmp_path: Path) -> None:
    job = prepare(tmp_path)
    rule = "back(X, Y) :- path(Y, X)."
    put(tmp_path, [Update("come", add_rules=(rule,)), Update("more", insert=(("edge", "c", "d"),))])
    stream(job, spark)
    put(tmp_path, [Update("again", insert=(("edge", "d", "e"),))], 2)
    stream(job, spark)
    put(tmp_path, [Update("go", remove_rules=(rule,))], 3)
    assert stream(job, spark).updates == 4
    found = [(update, fact, sign) for update, relation, fact, sign, _ in feed(tmp_path) if relation == "back"]
    assert len([row for row in found if row[0] == "come"]) == 4
    assert {fact for update, fact, _ in found if update == "again"} == {f'["e", "{x}"]' for x in "abcd"}
    assert len([row for row in found if row[0] == "go" and row[2] == "-"]) == 11
    (tmp_path / "rules.dl").write_text(RULES + "other(X) :- edge(X, _).\n", encoding="utf-8")
    stream(read_job(tmp_path / "job.toml"), spark)


def test_what_comes_and_goes_is_marked(spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Facts that the next update takes back, in the same batch and in the next one."""
    job = prepare(tmp_path, updates=3)
    new = [("edge", f"n{at}", f"n{at + 1}") for at in range(8)]
    updates = [Update(f"u{at}", delete=tuple(new[at - 1 : at]), insert=(new[at],)) for at in range(8)]
    put(tmp_path, updates)
    streaming = StreamingJob(job, Terminal(is_quiet=True), lambda: False, spark)
    marked: list[int] = []
    streaming.begin()
    said = set[str]()

    def show(_number: int, change: Any, _waiting: int) -> None:
        marked.append(change.stats.counters.explicit_marks)
        said.add(str(spark.sparkContext.getLocalProperty("spark.job.description")))

    with caplog.at_level("INFO", "tidelog.spark.stream"):
        streaming.follow(show, once=True)
    streaming.close()
    assert said == {"tidelog: batch 0", "tidelog: batch 1", "tidelog: batch 2"}
    found = [record.__dict__["tidelog"] for record in caplog.records if record.name == "tidelog.spark.stream"]
    assert [(numbers["updates"], numbers["updates_in_all"], numbers["broken"]) for numbers in found] == [
        (3, 3, 0),
        (3, 6, 0),
        (2, 8, 0),
    ]
    assert sum(numbers["inserted"] for numbers in found) > 8
    assert marked == [0, 1, 1, 1, 1, 1, 1, 1]
    check_result(tmp_path, updates)


def test_the_wind_farm(spark: SparkSession, tmp_path: Path) -> None:
    """Anomalies come and go with measurements, and with sensors that are replaced."""
    here = Path(__file__).parents[2] / "examples" / "wind_farm"
    job = read_job(shutil.copytree(here, tmp_path / "examples" / "wind_farm") / "stream.toml")
    assert stream(job, spark).updates == 8
    out = tmp_path / "out/wind_farm/stream"
    rows = [json.loads(line) for path in sorted((out / "feed").iterdir()) for line in path.open(encoding="utf-8")]
    confirmed = [(row["update"][:5], row["change"]) for row in rows if row["relation"] == "confirmed" and "F02-T05" in str(row)]
    assert confirmed == [("06:40", "+"), ("06:50", "-")]
    assert ("07:05", "-") in {(row["update"][:5], row["change"]) for row in rows if row["relation"] == "confirmed"}
    found = [(row["update"][:5], row["change"], json.dumps(row["fact"])) for row in rows if row["relation"] == "anomaly"]
    story = [(at, sign, name) for at, sign, fact in found for name in ("F02-T05", "F01-T07", "F03-T19") if name in fact]
    assert story == [
        ("06:30", "+", "F02-T05"),
        ("06:40", "+", "F02-T05"),
        *[("06:50", "-", "F02-T05")] * 2,
        *[("07:00", "-", "F01-T07")] * 2,
        *[("07:10", "-", "F03-T19")] * 2,
    ]


# --- killed --------------------------------------------------------------------------------------------------------------


def started(folder: Path, *options: str) -> subprocess.Popen[bytes]:
    code = "from tidelog.cli import main; main()"
    command = [sys.executable, "-c", code, "pipeline", "stream", str(folder / "job.toml"), "--quiet", *options]
    return subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)


def commits(folder: Path) -> int:
    found = [int(path.stem) for path in (folder / "out/state/commits").glob("[0-9]*.json")]
    return max(found, default=-1)


def done(folder: Path) -> int:
    """How many updates have been committed."""
    while True:
        newest = folder / "out/state/commits" / f"{(number := commits(folder)):08}.json"
        try:
            return int(json.loads(newest.read_text(encoding="utf-8"))["updates"]) if number >= 0 else 0
        except FileNotFoundError:  # there is a newer one by now
            pass


def wait_for_another(what: Callable[[Path], object], folder: Path, process: subprocess.Popen[bytes]) -> None:
    before = what(folder)
    while what(folder) == before and process.poll() is None:
        time.sleep(0.01)


def kill_again_and_again(folder: Path, kills: int, seed: int) -> None:
    """Kill a job at random moments, while it gets ready or works off updates, and start it again each time."""
    chosen = random.Random(seed)
    for _ in range(kills):
        process = started(folder)
        wait_for_another(chosen.choice([commits, done]), folder, process)
        time.sleep(chosen.random() * 3)
        os.killpg(process.pid, signal.SIGKILL)
        _, said = process.communicate()
        assert process.returncode == -signal.SIGKILL, said.decode()


def end_of(process: subprocess.Popen[bytes]) -> None:
    _, said = process.communicate()
    assert process.returncode == 0, said.decode()


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(10))
def test_killed_again_and_again(tmp_path: Path, seed: int) -> None:
    updates = random_updates(60, seed)
    prepare(tmp_path, updates=2, every=3)
    put(tmp_path, updates)
    kill_again_and_again(tmp_path, 5, seed)
    end_of(started(tmp_path, "--once"))
    check_result(tmp_path, updates)


@pytest.mark.parametrize("kills", [1, pytest.param(5, marks=pytest.mark.nightly)])
def test_killed_and_asked_to_end(tmp_path: Path, kills: int) -> None:
    """At the end asked politely, in the middle of what is left: status 0, nothing half done, and what was done is all there."""
    updates = random_updates(60, 6)
    prepare(tmp_path, updates=1, every=3)
    put(tmp_path, updates)
    kill_again_and_again(tmp_path, kills, 6)
    for moment in (commits, done):  # while it gets ready, and while it works
        last = started(tmp_path)
        wait_for_another(moment, tmp_path, last)
        last.send_signal(signal.SIGTERM)
        end_of(last)
    state = StreamState(tmp_path / "out/state").open()
    assert state is not None
    check_result(tmp_path, updates[: state.updates])
