"""Job files: what they may say, and every problem of one at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pipeline.jobs import JOB, job_from, prepare

from tidelog.errors import TidelogError
from tidelog.pipeline.job.job_file import read_job
from tidelog.pipeline.job.job_values import shown_size, size_of, with_variables
from tidelog.secrets import redacted, shown_options


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    prepare(tmp_path)


def problems(folder: Path, text: str) -> list[str]:
    """`code: message` of each problem of a job."""
    with pytest.raises(TidelogError) as caught:
        job_from(folder, text)
    return [f"{d.code}: {d.message}" for d in caught.value.diagnostics]


def fixes(folder: Path, text: str) -> list[str | None]:
    with pytest.raises(TidelogError) as caught:
        job_from(folder, text)
    return [d.fix for d in caught.value.diagnostics]


FULL = """\
[program]
text = "edge(a, b). path(X, Y) :- edge(X, Y)."

[[source]]
relation = "edge"
table = "shop.edges"
format = "jdbc"
options = { url = "jdbc:x:y", password = "${PW}", fetchsize = 1000, ssl = true }
columns = { from = "c1", to = "c2" }

[[source]]
path = "more.ttl"

[[sink]]
relation = "path"
table = "shop.paths"
format = "delta"
mode = "append"

[[sink]]
relation = "path"
path = "s3a://bucket/paths"
keep = 5

[engine]
name = "spark"
memory_budget = "2 GB"
placement = "rounds"
lineage = "reliable"
modules = false

[limits]
facts = 1_000_000
seconds = 60
rounds = 100
rejects = 10

[rejects]
folder = "bad"

[report]
path = "report.html"
"""


def test_everything_that_a_job_can_say(tmp_path: Path) -> None:
    job = job_from(tmp_path, FULL)
    first, second = job.sources
    assert first.options == {"url": "jdbc:x:y", "password": "${PW}", "fetchsize": "1000", "ssl": "true"}
    assert first.columns == {"from": "c1", "to": "c2"}
    assert (second.path, second.format, second.is_rdf, second.relation) == (str(tmp_path / "more.ttl"), "ttl", True, None)
    assert [sink.target for sink in job.sinks] == ["table shop.paths", "s3a://bucket/paths"]
    assert [sink.is_versioned for sink in job.sinks] == [False, True]
    assert (job.engine.memory_budget, job.engine.placement, job.engine.modules) == (2_000_000_000, "rounds", False)
    assert (job.limits.facts, job.limits.rejects, job.variables) == (1_000_000, 10, ["PW"])
    assert (job.rejects_folder, job.report) == (str(tmp_path / "bad"), str(tmp_path / "report.html"))


def test_paths_start_from_the_job_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    job = read_job("../job.toml")
    assert job.sources[0].path == "../edges.csv"
    assert job.engine.lineage == "auto"
    assert job.limits.rejects == 0


def test_all_problems_come_at_once(tmp_path: Path) -> None:
    text = """\
sinks = 1
[program]
[[source]]
relation = 5
path = "a.csv"
table = "b"
[[source]]
relation = "edge"
path = "data.xyz"
headr = true
[[sink]]
path = "out"
mode = "append"
format = "xml"
[engine]
name = "flink"
memory_budget = "much"
[limits]
facts = 0
rejects = -1
seconds = "long"
"""
    assert problems(tmp_path, text) == [
        "TL090: engine.memory_budget: 'much' is no size",
        "TL090: engine.name: there is no 'flink'",
        "TL090: limits.facts: 0 is below 1",
        "TL090: limits.rejects: -1 is below 0",
        "TL090: limits.seconds: it is a text, and a number is expected",
        "TL090: program: it needs `path` or `text`",
        "TL090: sink[1].format: a folder of `xml` cannot be written",
        "TL090: sink[1]: `relation` is missing",
        "TL090: sinks: there is no such key",
        "TL090: source[1].relation: it is a whole number, and a text is expected",
        "TL090: source[1]: there are both `path` and `table`",
        "TL090: source[2].headr: there is no such key",
        "TL090: source[2].path: the format of data.xyz cannot be told by its ending",
    ]
    found = fixes(tmp_path, text)
    assert "did you mean `sink`?" in found
    assert "did you mean `header`?" in found


def test_errors_of_the_program_come_along(tmp_path: Path) -> None:
    (tmp_path / "rules.dl").write_text("p(X).\n", encoding="utf-8")
    found = problems(tmp_path, JOB.replace('name = "local"', "nme = 1"))
    assert {line[:5] for line in found} == {"TL034", "TL090"}


def test_relations_and_columns_that_the_program_does_not_have(tmp_path: Path) -> None:
    text = JOB.replace('relation = "path"', 'relation = "paths"')
    text = text.replace('path = "edges.csv"', 'path = "edges.csv"\ncolumns = { a = "src", b = "src", c = "dest" }')
    assert problems(tmp_path, text) == [
        "TL073: sink[1].relation: the program has no relation `paths`",
        "TL090: source[1].columns.b: `a` leads to `src` already",
        "TL090: source[1].columns.c: `edge` has no column `dest`",
    ]
    assert "did you mean `path`?" in fixes(tmp_path, text)


def test_a_relation_may_be_named_with_its_prefix(tmp_path: Path) -> None:
    program = "@prefix ex: <http://e/> . ex:p(a). q(X) :- ex:p(X)."
    for name in ("ex:p", "<http://e/p>", "http://e/p"):
        job = job_from(tmp_path, f'[program]\ntext = "{program}"\n[[sink]]\nrelation = "{name}"\npath = "out"\n')
        assert job.sinks[0].relation == "http://e/p"


def test_what_the_local_engine_cannot_do(tmp_path: Path) -> None:
    text = FULL.replace('name = "spark"', 'name = "local"')
    found = problems(tmp_path, text)
    assert {line[:5] for line in found} == {"TL091"}
    assert [line.split(": ")[1] for line in found] == [
        "engine.memory_budget",
        "engine.placement",
        "sink[1].table",
        "sink[2].path",
        "source[1].options",
        "source[1].table",
    ]


def test_no_toml(tmp_path: Path) -> None:
    (only,) = problems(tmp_path, "[program\n")
    assert only.startswith("TL090: it is no TOML: ")
    assert "line 1" in only


def test_no_sink(tmp_path: Path) -> None:
    assert problems(tmp_path, '[program]\npath = "rules.dl"\n') == ["TL090: there is no sink, so the job would have no result"]


def test_two_sinks_in_one_place(tmp_path: Path) -> None:
    again = '[[sink]]\nrelation = "edge"\npath = "out/path"\n[[sink]]\nrelation = "edge"\npath = "out/path/deeper"\n'
    assert len(problems(tmp_path, JOB + again)) == 3
    fine = '[[sink]]\nrelation = "edge"\npath = "out/path2"\n'
    assert len(job_from(tmp_path, JOB + fine).sinks) == 2


def test_append_is_for_tables(tmp_path: Path) -> None:
    (only,) = problems(tmp_path, JOB.replace('format = "csv"', 'format = "csv"\nmode = "append"'))
    assert only.startswith("TL090: sink[1].mode: a folder holds a whole result")


def test_variables_are_for_options_only(tmp_path: Path) -> None:
    (only,) = problems(tmp_path, JOB.replace("out/path", "out/${USER}"))
    assert only == "TL090: sink[1].path: environment variables have no place here"


def test_triples_need_no_relation(tmp_path: Path) -> None:
    text = JOB.replace('relation = "edge"\npath = "edges.csv"', 'relation = "edge"\npath = "edges.nt.gz"')
    assert problems(tmp_path, text) == [
        "TL090: source[1].relation: it has no place here: triples tell which relation they belong to"
    ]


# --- sizes and secrets -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2 GB", 2_000_000_000),
        ("512MiB", 512 << 20),
        ("1.5g", 1_500_000_000),
        ("100", 100),
        ("0 GB", None),
        ("x", None),
        ("2 XB", None),
    ],
)
def test_sizes(text: str, size: int | None) -> None:
    assert size_of(text) == size


def test_sizes_for_people() -> None:
    assert [shown_size(size) for size in (0, 999, 1500, 123_456, 2_000_000_000)] == ["0 B", "999 B", "1.5 kB", "123 kB", "2.0 GB"]


def test_variables_are_put_in_where_they_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PW", "open sesame")
    assert with_variables({"password": "${PW}", "url": "x?p=${PW}&q"}) == {"password": "open sesame", "url": "x?p=open sesame&q"}
    monkeypatch.delenv("PW")
    with pytest.raises(TidelogError, match="TL094"):
        with_variables({"password": "${PW}"})


def test_secrets_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PW", "open sesame")
    options = {"password": "hunter22", "user": "me", "key": "${PW}", "url": "jdbc:pg://me:geheim@host/db?password=geheim&x=1"}
    shown = shown_options(options)
    assert shown == {"password": "•••", "user": "me", "key": "${PW}", "url": "jdbc:pg://me:•••@host/db?password=•••&x=1"}
    message = redacted("cannot log in with open sesame or hunter22", [options])
    assert message == "cannot log in with ${PW} or •••"
