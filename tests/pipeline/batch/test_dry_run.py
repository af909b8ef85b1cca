"""A dry run: what a job would do, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pipeline.jobs import JOB, StandIn, job_from, prepare

from tidelog.pipeline.batch.dry_run import describe, expected_placements
from tidelog.pipeline.batch.versioned_folder import POINTER
from tidelog.pipeline.job.job_file import Job


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    prepare(tmp_path)


def lines(job: Job, backend: StandIn | None = None) -> list[str]:
    return list(describe(job, backend))


def test_without_a_backend_sources_are_not_opened(tmp_path: Path) -> None:
    found = lines(job_from(tmp_path))
    assert found[:2] == ["job.toml: 2 rules, 2 relations, engine local", ""]
    assert "    wanted src: string, dst: string" in found
    assert not any(line.startswith("    has") for line in found)
    assert "    has    src: string" in lines(job_from(tmp_path), StandIn())


def test_secrets_are_hidden_and_variables_are_named(tmp_path: Path) -> None:
    source = 'table = "t"\nformat = "jdbc"\noptions = { url = "jdbc:x://me:geheim@h", password = "${PW}", token = "abc" }'
    text = JOB.replace('path = "edges.csv"', source).replace('name = "local"', 'name = "spark"')
    found = lines(job_from(tmp_path, text))
    assert "    options url = jdbc:x://me:•••@h, password = ${PW}, token = •••" in found
    assert found[-1] == "environment: PW"


def test_the_version_of_a_sink(tmp_path: Path) -> None:
    assert "    no version yet; 3 are kept" in lines(job_from(tmp_path))
    (tmp_path / "out/path").mkdir(parents=True)
    (tmp_path / "out/path" / POINTER).write_text("run-7\n", encoding="utf-8")
    assert "    the version now is run-7; 3 are kept" in lines(job_from(tmp_path))


def test_all_limits_are_shown(tmp_path: Path) -> None:
    given = '[limits]\nfacts = 5000\nseconds = 2.5\nrejects = 3\nmemory = "1 GB"\ntext = "2 MB"\ninput_root = "facts"\n'
    expected = f"limits: facts 5,000, seconds 2.5, rejects 3, memory 1.0 GB, text 2.0 MB, input_root {tmp_path}/facts"
    assert expected in lines(job_from(tmp_path, JOB + given))
    assert "limits: rejects 0, text 268 MB" in lines(job_from(tmp_path))


def test_a_stream(tmp_path: Path) -> None:
    text = JOB.replace('name = "local"', 'name = "spark"') + '[stream]\nfolder = "u"\nstate = "s"\nfeed = "f"\nupdates = 2000\n'
    found = lines(job_from(tmp_path, text))
    assert f"updates <- {tmp_path}/u, 2,000 a batch; broken ones: set aside" in found
    assert f"state -> {tmp_path}/s" in found
    assert f"change feed -> {tmp_path}/f (json)" in found


@pytest.mark.parametrize(
    ("rules", "options", "where", "why"),
    [
        ("", 'name = "local"', "kernel", "the local engine evaluates everything in its kernel"),
        ("", 'placement = "rounds"', "rounds", "as requested, where that is possible"),
        ("", 'memory_budget = "1 GB"', "kernel", "if its facts fit the budget of 1.0 GB; otherwise decomposed, a share of"),
        ("path(X, Y) :- path(Y, X).", "", "kernel", "if its facts fit the memory budget; otherwise by connected components"),
        ("", "modules = false", "kernel", "if its facts fit the memory budget; otherwise by tasks where rules hand a key on"),
    ],
)
def test_placements(tmp_path: Path, rules: str, options: str, where: str, why: str) -> None:
    text = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z)." + rules
    (tmp_path / "rules.dl").write_text(text, encoding="utf-8")
    (found,) = expected_placements(job_from(tmp_path, JOB.replace('name = "local"', options)))
    assert (found.relations, found.where) == (("path",), where)
    assert found.why.startswith(why)
