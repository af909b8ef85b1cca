"""Runs from sources to sinks, with the local engine and with a stand-in."""

from __future__ import annotations

import csv
import json
import signal
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.pipeline.jobs import JOB, StandIn, job_from, prepare

from tidelog.errors import TidelogError
from tidelog.pipeline import read_current, run_job
from tidelog.pipeline.batch.local_backend import LocalBackend
from tidelog.pipeline.batch.run import backend_for
from tidelog.pipeline.batch.spark_backend import SparkBackend
from tidelog.pipeline.job.job_file import read_job


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    prepare(tmp_path)


def rows(sink: Path) -> list[list[str]]:
    with (Path(read_current(sink)) / "part-00000.csv").open(encoding="utf-8") as file:
        return sorted(list(csv.reader(file))[1:])


def test_from_sources_to_sinks(tmp_path: Path) -> None:
    outcome = run_job(read_job(tmp_path / "job.toml"))
    assert rows(tmp_path / "out/path") == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert outcome.counts == {"edge": 2, "path": 3}
    assert [entry.rows for entry in outcome.inputs] == [2]
    assert [(p.relations, p.where) for p in outcome.placements] == [(("path",), "kernel")]
    assert list(outcome.stages) == ["read", "derive", "write"]
    manifest = json.loads((Path(read_current(tmp_path / "out/path")) / "_manifest.json").read_text(encoding="utf-8"))
    assert manifest["run"] == outcome.run_id
    assert manifest["program"]["text"].startswith("@relation edge")
    assert manifest["counts"] == {"edge": 2, "path": 3}
    assert manifest["inputs"][0]["size"] == 16
    assert manifest["inputs"][0]["modified"].endswith("Z")


def test_formats_of_sinks(tmp_path: Path) -> None:
    text = JOB.replace('format = "csv"', 'format = "parquet"')
    text += '[[sink]]\nrelation = "edge"\npath = "out/edge"\nformat = "json"\n'
    run_job(job_from(tmp_path, text))
    assert pq.read_table(read_current(tmp_path / "out/path")).num_rows == 3
    lines = (Path(read_current(tmp_path / "out/edge")) / "part-00000.json").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0]) == {"src": "a", "dst": "b"}


def test_columns_by_another_name(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("to,weight,from\nb,1,a\n", encoding="utf-8")
    text = JOB.replace('path = "edges.csv"', 'path = "edges.csv"\ncolumns = { from = "src", to = "dst" }')
    run_job(job_from(tmp_path, text))
    assert rows(tmp_path / "out/path") == [["a", "b"]]


def test_columns_of_a_relation_without_a_declaration(tmp_path: Path) -> None:
    (tmp_path / "rules.dl").write_text("path(X, Y) :- edge(X, Y).\n", encoding="utf-8")
    text = JOB.replace('path = "edges.csv"', 'path = "edges.csv"\ncolumns = { dst = "c1", src = "c2" }')
    run_job(job_from(tmp_path, text))
    assert rows(tmp_path / "out/path") == [["b", "a"], ["c", "b"]]


@pytest.mark.parametrize(
    ("mapping", "problem"),
    [("{ sorce = 'src' }", "has no column `sorce`"), ("{ src = 'dst' }", "has no column for `src`")],
)
def test_columns_that_are_not_there(tmp_path: Path, mapping: str, problem: str) -> None:
    text = JOB.replace('path = "edges.csv"', f'path = "edges.csv"\ncolumns = {mapping}')
    with pytest.raises(TidelogError, match=f"TL081: .*{problem}"):
        run_job(job_from(tmp_path, text))


# --- rejected rows -----------------------------------------------------------------------------------------------------------

WEIGHTED = "@relation edge(src: string, weight: int) .\npath(X, W) :- edge(X, W).\n"


def with_rejects(folder: Path, limit: int) -> str:
    (folder / "rules.dl").write_text(WEIGHTED, encoding="utf-8")
    (folder / "edges.csv").write_text("src,weight\na,1\nb,heavy\nc,\nd,4\n", encoding="utf-8")
    return JOB + f"\n[limits]\nrejects = {limit}\n"


def test_too_many_rejected_rows_stop_the_run(tmp_path: Path) -> None:
    with pytest.raises(TidelogError) as caught:
        run_job(job_from(tmp_path, with_rejects(tmp_path, 1)))
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.message) == ("TL092", "2 rows do not fit, and the job allows 1; no sink has been changed")
    assert problem.notes == (
        f'{tmp_path}/edges.csv:3: column weight: "heavy" is not of the type int',
        f"{tmp_path}/edges.csv:4: column weight: it is empty",
    )
    assert not (tmp_path / "out/path/CURRENT").exists()
    assert len(list((tmp_path / "rejects").glob("*/edge.jsonl"))) == 1


def test_rejected_rows_within_the_limit_are_kept_apart(tmp_path: Path) -> None:
    outcome = run_job(job_from(tmp_path, with_rejects(tmp_path, 2)))
    assert rows(tmp_path / "out/path") == [["a", "1"], ["d", "4"]]
    assert (outcome.rejected, outcome.inputs[0].rejected, outcome.inputs[0].rows) == (2, 2, 4)
    assert [row.record for row in outcome.rejected_rows] == ["b,heavy", "c,"]
    lines = (tmp_path / "rejects" / outcome.run_id / "edge.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["record"] for line in lines] == ["b,heavy", "c,"]


def test_rejects_of_a_few_runs_are_kept(tmp_path: Path) -> None:
    job = job_from(tmp_path, with_rejects(tmp_path, 2))
    (tmp_path / "rejects" / "mine").mkdir(parents=True)
    for _ in range(5):
        run_job(job)
    assert len(list((tmp_path / "rejects").glob("*Z-*"))) == 3
    assert (tmp_path / "rejects" / "mine").exists()


# --- triples -----------------------------------------------------------------------------------------------------------------

TRIPLES = """\
<http://e/a> <http://e/knows> <http://e/b> .
<http://e/a> <http://e/age> "5"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://e/b> <http://e/age> "2.5"^^<http://www.w3.org/2001/XMLSchema#double> .
<http://e/c> <http://e/age> "x"@fr .
<http://e/d> <http://e/age> _:n .
<http://e/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Person> .
<http://e/a> <http://e/unused> "x" .
"""
ABOUT_TRIPLES = """\
[program]
text = '@prefix e: <http://e/> . k(X, Y) :- e:knows(X, Y). all(X, N) :- e:age(X, N). p(X) :- e:Person(X).'
[[source]]
path = "data.nt"
[[sink]]
relation = "all"
path = "out/all"
format = "json"
[engine]
name = "local"
"""


def test_triples_fill_several_relations(tmp_path: Path) -> None:
    pytest.importorskip("pyoxigraph")
    (tmp_path / "data.nt").write_text(TRIPLES, encoding="utf-8")
    outcome = run_job(job_from(tmp_path, ABOUT_TRIPLES))
    assert outcome.counts == {"k": 1, "e:knows": 1, "all": 4, "e:age": 4, "p": 1, "e:Person": 1}
    assert set(outcome.inputs[0].relations) == {"e:knows", "e:age", "e:Person"}
    assert outcome.inputs[0].note == "1 triples are of predicates that the program does not use"
    text = (Path(read_current(tmp_path / "out/all")) / "part-00000.json").read_text(encoding="utf-8")
    assert '"5"' in text or "5" in text


def test_triples_that_do_not_fit(tmp_path: Path) -> None:
    pytest.importorskip("pyoxigraph")
    bad = '<http://e/a> <http://e/age> "five"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
    (tmp_path / "data.nt").write_text(bad, encoding="utf-8")
    with pytest.raises(TidelogError, match="TL092: 1 row does not fit"):
        run_job(job_from(tmp_path, ABOUT_TRIPLES))
    (tmp_path / "data.nt").write_text("<http://e/a> <http://e/age .\n", encoding="utf-8")
    with pytest.raises(TidelogError, match=r"TL083: .*data.nt is damaged: line 1"):
        run_job(job_from(tmp_path, ABOUT_TRIPLES))


# --- what stops a run -------------------------------------------------------------------------------------------------------


def test_all_that_would_stop_a_run_is_said_before_it_starts(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").unlink()
    (tmp_path / "edge.csv").touch()
    (tmp_path / "out/path").mkdir(parents=True)
    (tmp_path / "out/path/letter.txt").touch()
    with pytest.raises(TidelogError) as caught:
        run_job(job_from(tmp_path))
    assert [d.code for d in caught.value.diagnostics] == ["TL060", "TL093"]
    assert caught.value.diagnostics[0].fix == "did you mean `edge.csv`?"


def test_limits_write_nothing(tmp_path: Path) -> None:
    run_job(job_from(tmp_path))
    before = read_current(tmp_path / "out/path")
    (tmp_path / "rules.dl").write_text("path(0, 0).\npath(X + 1, 0) :- path(X, 0).\np(X) :- edge(X, _).\n", encoding="utf-8")
    for limits in ("facts = 1000", "rounds = 20"):
        with pytest.raises(TidelogError, match="TL070"):
            run_job(job_from(tmp_path, JOB + f"\n[limits]\n{limits}\n"))
        assert read_current(tmp_path / "out/path") == before
        assert len(list((tmp_path / "out/path/versions").iterdir())) == 1


def test_ctrl_c_while_writing_changes_nothing(tmp_path: Path) -> None:
    run_job(job_from(tmp_path))
    before = read_current(tmp_path / "out/path")

    def interrupt(_folder: str) -> None:
        signal.raise_signal(signal.SIGINT)

    engine = StandIn(interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_job(job_from(tmp_path), backend=engine)
    assert engine.is_closed
    assert read_current(tmp_path / "out/path") == before
    assert len(list((tmp_path / "out/path/versions").iterdir())) == 1
    assert sorted(entry.name for entry in (tmp_path / "out/path").iterdir()) == ["CURRENT", "versions"]


def test_a_failing_second_sink_leaves_the_first_as_it_was(tmp_path: Path) -> None:
    text = JOB + '[[sink]]\nrelation = "edge"\npath = "out/edge"\n'
    run_job(job_from(tmp_path, text))
    before = read_current(tmp_path / "out/path")

    def fail_at_edge(folder: str) -> None:
        if "out/edge" in folder:
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        run_job(job_from(tmp_path, text), backend=StandIn(fail_at_edge))
    assert read_current(tmp_path / "out/path") == before
    assert len(list((tmp_path / "out/path/versions").iterdir())) == 1


def test_a_run_that_was_overtaken_publishes_nothing(tmp_path: Path) -> None:
    def overtake(_folder: str) -> None:
        (tmp_path / "out/path/CLAIM").write_text("another\n", encoding="utf-8")

    with pytest.raises(TidelogError, match="TL093: the run another has taken over"):
        run_job(job_from(tmp_path), backend=StandIn(overtake))
    assert not (tmp_path / "out/path/CURRENT").exists()


def test_tables_are_written_after_folders(tmp_path: Path) -> None:
    text = JOB.replace('name = "local"', 'name = "spark"') + '[[sink]]\nrelation = "edge"\ntable = "edges"\nformat = "delta"\n'
    engine = StandIn(lambda _folder: None)
    outcome = run_job(job_from(tmp_path, text), backend=engine)
    assert engine.tables == ["edges"]
    assert [(output.target, output.version is None) for output in outcome.outputs][1] == ("table edges", True)


def test_ctrl_c_while_publishing_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tidelog.pipeline.batch.versioned_folder import VersionedFolder

    publish = VersionedFolder.publish

    def interrupted(folder: VersionedFolder) -> None:
        signal.raise_signal(signal.SIGINT)
        publish(folder)

    monkeypatch.setattr(VersionedFolder, "publish", interrupted)
    text = JOB + '[[sink]]\nrelation = "edge"\npath = "out/edge"\n'
    with pytest.raises(KeyboardInterrupt):
        run_job(job_from(tmp_path, text))
    first, second = read_current(tmp_path / "out/path"), read_current(tmp_path / "out/edge")
    assert Path(first).name == Path(second).name
    assert list(Path(first).glob("*.csv"))


def test_the_engine_that_the_job_names(tmp_path: Path) -> None:
    prepare(tmp_path)
    assert isinstance(backend_for(job_from(tmp_path)), LocalBackend)
    on_spark = backend_for(job_from(tmp_path, JOB.replace('name = "local"', 'name = "spark"')))
    assert isinstance(on_spark, SparkBackend)
    assert on_spark._given is None
    on_spark.close()
