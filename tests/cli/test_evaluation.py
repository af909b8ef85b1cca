"""`tidelog run` and `tidelog query`: facts from files, results into files, limits, answers."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.cli.commands import EDGES, ENDLESS, PATHS, RULES, files, in_terminal, paths, read_until, run

from tidelog import KnowledgeBase, TidelogError
from tidelog.cli.evaluation import progress_display, progress_line, write_statistics
from tidelog.core.limits import Progress


def test_run(folder: Path) -> None:
    assert run("run", folder / "good.dl") == (0, "% r: 3 facts\nr(a, b).\nr(a, c).\nr(b, c).\n", "")
    assert run("run", folder / "good.dl", "-r", "e")[1] == "% e: 2 facts\ne(a, b).\ne(b, c).\n"


def test_run_shows_outputs_if_there_are_any() -> None:
    text = '@output q "q.csv". p(a). q(X) :- p(X). s(X) :- q(X). t :- s(a).\n'
    assert run("run", "-", text=text)[1] == "% q: 1 fact\nq(a).\n"
    assert run("run", "-", "-r", "t", text=text)[1] == "% t: 1 fact\nt.\n"


def test_run_shows_everything_where_nothing_is_derived() -> None:
    assert run("run", "-", text="p(a).\n")[1] == "% p: 1 fact\np(a).\n"


def test_run_takes_iris_in_every_form() -> None:
    text = "@prefix ex: <http://e/> . ex:p(1).\n"
    for name in ("ex:p", "http://e/p", "<http://e/p>"):
        assert run("run", "-", "-r", name, text=text)[1] == "% ex:p: 1 fact\nex:p(1).\n"


def test_run_refuses_what_it_cannot_do() -> None:
    assert "TL070" in run("run", "-", "--limit-facts", "10", text=ENDLESS)[2]
    assert "did you mean" in run("run", "-", "-r", "paths", text="path(a).\n")[2]
    assert run("run", "-", "--out", "out", "--format", "xlsx", text="p(a).\n")[0] == 2


# --- facts from files -----------------------------------------------------------------------------------------------------


def put_csv(path: Path) -> None:
    path.write_text(EDGES, encoding="utf-8")


def put_tsv(path: Path) -> None:
    path.write_text(EDGES.replace(",", "\t"), encoding="utf-8")


def put_facts(path: Path) -> None:
    path.write_text(EDGES.replace(",", "\t").partition("\n")[2], encoding="utf-8")


def put_gzip(path: Path) -> None:
    path.write_bytes(gzip.compress(EDGES.encode()))


def put_parquet(path: Path) -> None:
    parquet.write_table(pa.table({"src": ["a", "b", "c"], "dst": ["b", "c", "b"]}), path)


def put_json_lines(path: Path) -> None:
    rows = list(csv.DictReader(EDGES.splitlines()))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "put"),
    [
        ("edge.csv", put_csv),
        ("edge.tsv", put_tsv),
        ("edge.facts", put_facts),
        ("edge.csv.gz", put_gzip),
        ("edge.parquet", put_parquet),
        ("edge.jsonl", put_json_lines),
    ],
)
def test_run_reads_a_folder_of_facts(folder: Path, name: str, put: Callable[[Path], None]) -> None:
    put(folder / "facts" / name)
    status, out, err = run("run", folder / "rules.dl", "--facts", folder / "facts", "-r", "path")
    assert (status, paths(out)) == (0, PATHS)
    assert err.startswith(f"edge: 3 rows from {folder / 'facts' / name} (")
    assert run("run", folder / "rules.dl", "--facts", folder / "facts", "-r", "path", "--quiet") == (0, out, "")


def test_run_reads_all_files_of_a_relation_and_no_others(folder: Path) -> None:
    (folder / "facts" / "edge.csv").write_text("a,b\n", encoding="utf-8")
    (folder / "facts" / "edge.tsv").write_text("b\tc\n", encoding="utf-8")
    (folder / "facts" / "edges.csv").write_text("c,d\n", encoding="utf-8")
    (folder / "facts" / "notes.txt").write_text("nothing\n", encoding="utf-8")
    status, out, err = run("run", folder / "rules.dl", "--facts", folder / "facts")
    assert (status, paths(out)) == (0, ["a b", "a c", "b c"])
    assert err.count("1 row from") == 2


def test_facts_of_files_and_of_the_program_are_one(folder: Path, edges: Path) -> None:
    (folder / "more.dl").write_text(RULES + "edge(c, d).\n", encoding="utf-8")
    out = run("run", folder / "more.dl", "--facts", edges, "-r", "path")[1]
    assert paths(out) == ["a b", "a c", "a d", "b b", "b c", "b d", "c b", "c c", "c d"]


def test_no_warning_about_a_relation_whose_facts_come_from_a_file(folder: Path, edges: Path) -> None:
    text = "p(X) :- edge(X, _).\nq(X) :- link(X, _).\n"
    err = run("run", "-", "--facts", edges, text=text)[2]
    assert "warning TL101: `link`" in err
    assert "warning TL101: `edge`" not in err


def test_inputs_are_beside_the_program_or_in_the_folder_of_facts(folder: Path) -> None:
    (folder / "input.dl").write_text('@input edge "links.csv" .\n' + RULES, encoding="utf-8")
    (folder / "links.csv").write_text(EDGES, encoding="utf-8")
    (folder / "facts" / "links.csv").write_text("c,d\n", encoding="utf-8")
    (folder / "facts" / "edge.csv").write_text("x,y\n", encoding="utf-8")
    assert paths(run("run", folder / "input.dl", "-r", "path")[1]) == PATHS
    assert paths(run("run", folder / "input.dl", "-r", "path", "--facts", folder / "facts")[1]) == ["c d"]


def test_inputs_of_standard_input_are_in_the_current_folder(edges: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(edges)
    assert paths(run("run", "-", text=f'@input edge "edge.csv".\n{RULES}')[1]) == PATHS


def test_an_input_that_is_not_there(folder: Path, edges: Path) -> None:
    (folder / "input.dl").write_text('@input edge "edges.csv" .\n' + RULES, encoding="utf-8")
    status, out, err = run("run", folder / "input.dl", "--facts", edges)
    assert (status, out) == (1, "")
    assert f"error TL060: cannot read {edges / 'edges.csv'}" in err
    assert "fix: did you mean `edge.csv`?" in err


def test_a_folder_that_is_not_there(folder: Path) -> None:
    assert "error TL060" in run("run", folder / "rules.dl", "--facts", folder / "nowhere")[2]


def test_a_row_that_does_not_fit(folder: Path, edges: Path) -> None:
    (edges / "edge.csv").write_text("src,dst\na,b\nb\n", encoding="utf-8")
    status, out, err = run("run", folder / "rules.dl", "--facts", edges, "--out", folder / "out")
    assert (status, out) == (1, "")
    assert re.search(r"error TL08\d", err)
    assert not (folder / "out").exists()


# --- results into files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file_format", ["csv", "tsv", "jsonl", "parquet", "arrow"])
def test_run_writes_what_is_derived(folder: Path, edges: Path, file_format: str) -> None:
    out = folder / "new" / "out"
    status, printed, _ = run("run", folder / "rules.dl", "--facts", edges, "--out", out, "--format", file_format)
    assert status == 0
    assert files(out) == [f"back.{file_format}", f"path.{file_format}"]
    assert printed.splitlines() == [
        f"path: 6 facts -> {out / f'path.{file_format}'}",
        f"back: 2 facts -> {out / f'back.{file_format}'}",
    ]
    kb = KnowledgeBase()
    kb.load("path", out / f"path.{file_format}", header=True if file_format in ("csv", "tsv") else "auto")
    assert sorted(f"{x} {y}" for x, y in kb["path"]) == PATHS


def test_run_writes_csv_with_a_header(folder: Path, edges: Path) -> None:
    run("run", folder / "rules.dl", "--facts", edges, "--out", folder / "out", "-r", "edge", "-r", "back")
    assert files(folder / "out") == ["back.csv", "edge.csv"]
    assert (folder / "out" / "edge.csv").read_text(encoding="utf-8") == EDGES
    assert sorted((folder / "out" / "back.csv").read_text(encoding="utf-8").splitlines()) == ["X", "b", "c"]


def test_run_writes_outputs_where_they_say(folder: Path, edges: Path) -> None:
    outputs = '@output path "deep/paths.parquet".\n@output path "paths.tsv.gz".\n'
    (folder / "outputs.dl").write_text(RULES + outputs, encoding="utf-8")
    out = folder / "out"
    assert run("run", folder / "outputs.dl", "--facts", edges, "--out", out, "--format", "arrow")[0] == 0
    assert files(out) == ["deep/paths.parquet", "paths.tsv.gz"]
    assert parquet.read_table(out / "deep" / "paths.parquet").num_rows == 6
    assert len(gzip.decompress((out / "paths.tsv.gz").read_bytes()).splitlines()) == 7
    assert run("run", folder / "outputs.dl", "--facts", edges, "--out", out, "-r", "back")[0] == 0
    assert files(out) == ["back.csv", "deep/paths.parquet", "paths.tsv.gz"]


def test_run_writes_relations_without_facts_or_columns(folder: Path) -> None:
    text = "p(a). none(X) :- p(X), X = b. yes :- p(a). no :- p(b).\n"
    assert run("run", "-", "--out", folder / "out", text=text)[0] == 0
    written = {name: (folder / "out" / name).read_text(encoding="utf-8") for name in files(folder / "out")}
    assert written == {"none.csv": "X\n", "yes.csv": "holds\ntrue\n", "no.csv": "holds\n"}


def test_run_says_one_fact_where_there_is_one(folder: Path) -> None:
    out = run("run", "-", "--out", folder / "out", text="p(a). q(X) :- p(X).\n")[1]
    assert out == f"q: 1 fact -> {folder / 'out' / 'q.csv'}\n"


def test_relations_named_by_iris_are_found_again(folder: Path) -> None:
    text = "@prefix ex: <http://e/> .\nex:p(1). ex:q(X) :- ex:p(X).\n"
    assert run("run", "-", "--out", folder / "out", text=text)[0] == 0
    again = "@prefix ex: <http://e/> .\nr(X) :- ex:q(X).\n"
    assert run("run", "-", "--facts", folder / "out", "-q", text=again) == (0, "% r: 1 fact\nr(1).\n", "")


@pytest.mark.parametrize("target", ["paths.xlsx", "paths.ttl", "paths"])
def test_an_output_that_cannot_be_written_is_found_before_anything_is_derived(folder: Path, edges: Path, target: str) -> None:
    (folder / "outputs.dl").write_text(f'{RULES}@output back "back.csv". @output path "{target}".\n', encoding="utf-8")
    status, printed, err = run("run", folder / "outputs.dl", "--facts", edges, "--out", folder / "out", "-q")
    assert (status, printed) == (1, "")
    assert err.startswith("error TL082: ")
    assert not (folder / "out").exists()


def test_a_folder_that_cannot_be_made(folder: Path, edges: Path) -> None:
    status, _, err = run("run", folder / "rules.dl", "--facts", edges, "--out", folder / "rules.dl")
    assert status == 1
    assert "error TL060: cannot make the folder" in err
    assert (folder / "rules.dl").read_text(encoding="utf-8") == RULES


def test_without_modules_the_results_are_the_same(folder: Path, edges: Path) -> None:
    symmetric = "same(X, Y) :- edge(X, Y). same(X, Y) :- same(Y, X). same(X, Z) :- same(X, Y), same(Y, Z).\n"
    (folder / "both.dl").write_text(RULES + symmetric, encoding="utf-8")
    with_modules = run("run", folder / "both.dl", "--facts", edges)
    assert "module of path" in run("check", folder / "both.dl")[1]
    assert "module of same" in run("check", folder / "both.dl")[1]
    assert with_modules[0] == 0
    assert with_modules == run("run", folder / "both.dl", "--facts", edges, "--no-modules")


# --- limits ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [("--limit-facts", "1000"), ("--limit-seconds", "0.2"), ("--limit-rounds", "50")])
def test_a_limit_stops_and_writes_nothing(folder: Path, limit: tuple[str, str]) -> None:
    (folder / "endless.dl").write_text(ENDLESS, encoding="utf-8")
    out, stats = folder / "out", folder / "stats.csv"
    out.mkdir()
    (out / "n.csv").write_text("as before\n", encoding="utf-8")
    status, printed, err = run("run", folder / "endless.dl", "--out", out, "--stats", stats, *limit)
    assert (status, printed) == (1, "")
    assert err.startswith("error TL070: ")
    assert "Traceback" not in err
    assert files(out) == ["n.csv"]
    assert (out / "n.csv").read_text(encoding="utf-8") == "as before\n"
    assert not stats.exists()
    status, printed, err = run("query", folder / "endless.dl", "n(5)", *limit)
    assert (status, printed) == (1, "")
    assert err.startswith("error TL070: ")


def test_limits_that_are_not_reached(folder: Path, edges: Path) -> None:
    limits = ("--limit-facts", "11", "--limit-rounds", "2", "--limit-seconds", "300")
    assert run("run", folder / "rules.dl", "--facts", edges, "--no-modules", *limits)[0] == 0
    assert run("run", folder / "rules.dl", "--facts", edges, "--no-modules", "--limit-facts", "10")[0] == 1
    assert run("run", folder / "rules.dl", "--facts", edges, "--no-modules", "--limit-rounds", "1")[0] == 1
    assert run("run", folder / "rules.dl", "--limit-facts", "0")[0] == 2


# --- queries --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("table", "X  Y\n-  -\na  b\na  c\nb  c\nc  b\n4 answers\n"),
        ("csv", "X,Y\na,b\na,c\nb,c\nc,b\n"),
        ("tsv", "X\tY\na\tb\na\tc\nb\tc\nc\tb\n"),
        ("jsonl", "".join(f'{{"X": "{x}", "Y": "{y}"}}\n' for x, y in ("ab", "ac", "bc", "cb"))),
    ],
)
def test_query(folder: Path, edges: Path, form: str, expected: str) -> None:
    query = ("query", folder / "rules.dl", "path(X, Y), X != Y", "--facts", edges)
    status, out, err = run(*query, "--format", form)
    assert (status, out) == (0, expected)
    assert err.startswith("edge: 3 rows from")
    assert run(*query, "--format", form, "-q") == (0, expected, "")


def test_query_shows_a_table_unless_told_otherwise(folder: Path, edges: Path) -> None:
    query = "edge(a, X), N = count { Y : path(X, Y) }"
    assert run("query", folder / "rules.dl", query, "--facts", edges)[1] == "X  N\n-  -\nb  2\n1 answer\n"
    assert run("query", folder / "rules.dl", "edge(X, X)", "--facts", edges)[1] == "X\n-\n0 answers\n"


@pytest.mark.parametrize("form", ["table", "csv", "tsv", "jsonl"])
def test_query_without_variables(folder: Path, edges: Path, form: str) -> None:
    for query, answer in (("path(a, c)", "true"), ("path(c, a)", "false"), ("path(a, _), not path(_, a)", "true")):
        assert run("query", folder / "rules.dl", query, "--facts", edges, "--format", form)[1] == f"{answer}\n"


def test_query_shows_values_of_every_kind() -> None:
    text = '@prefix ex: <http://e/> .\np(1). p(2.5). p("a b"). p(ex:c). p("chat"@fr). p(true). p("2026-11-15"^^xsd:date).\n'
    rows = [json.loads(line)["X"] for line in run("query", "-", "p(X)", "--format", "jsonl", text=text)[1].splitlines()]
    values = [1, 2.5, "a b", {"iri": "http://e/c"}, {"value": "chat", "lang": "fr"}, True, "2026-11-15"]
    assert sorted(map(repr, rows)) == sorted(map(repr, values))
    table = run("query", "-", "p(X)", text=text)[1]
    assert {line.strip() for line in table.splitlines()} >= {"1", "2.5", '"a b"', "ex:c", '"chat"@fr', "true"}


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("pth(a, X)", "TL073"),
        ("path(a)", "TL020"),
        ("path(a, X", "TL0"),
        ("path(a, X), Y > 3", "TL031"),
        ("not path(a, X), X = Y", "TL03"),
        ("", "TL001"),
    ],
)
def test_query_with_an_error(folder: Path, edges: Path, query: str, code: str) -> None:
    status, out, err = run("query", folder / "rules.dl", query, "--facts", edges, "-q")
    assert (status, out) == (1, "")
    assert re.match(rf"<query>:1:\d+: error {code}", err)


def test_query_of_a_program_with_errors(folder: Path) -> None:
    status, out, err = run("query", folder / "bad.dl", "p(X)")
    assert (status, out) == (1, "")
    assert "TL030" in err
    assert "TL020" in err


def test_the_example(tmp_path: Path) -> None:
    """What `make run` does."""
    examples = Path(__file__).parents[2] / "examples"
    status, out, _ = run("run", examples / "reach.dl", "--facts", examples / "facts", "--out", tmp_path / "out")
    assert status == 0
    assert re.findall(r"^(\w+): (\d+)", out, re.MULTILINE) == [
        ("reachable", "10"),
        ("round_trip", "6"),
        ("dead_end", "1"),
        ("cut_off", "1"),
    ]
    query = ("query", examples / "reach.dl", "reachable(X, N), N > 3", "--facts", examples / "facts", "--format", "csv", "-q")
    assert run(*query) == (0, "X,N\nhub,9\nnorth,9\npier,9\n", "")


def statistics(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_statistics(folder: Path, edges: Path) -> None:
    text = RULES.replace("back(X)", "returning: back(X)") + "many(X, N) :- edge(X, _), N = count { Y : path(X, Y) }.\n"
    (folder / "rules.dl").write_text(text, encoding="utf-8")
    stats = folder / "stats.csv"
    status, out, _ = run("run", folder / "rules.dl", "--facts", edges, "--stats", stats, "--no-modules")
    assert status == 0
    rows = statistics(stats)
    assert list(rows[0]) == ["hyper_node", "rule", "derives", "round", "derivations", "new_facts", "seconds"]
    for row in rows:
        assert int(row["derivations"]) >= int(row["new_facts"]) >= 0
        assert float(row["seconds"]) >= 0
    for relation, count in re.findall(r"^% (\w+): (\d+) facts?$", out, re.MULTILINE):
        assert sum(int(row["new_facts"]) for row in rows if row["derives"] == relation) == int(count)
    assert {(row["rule"], row["derives"]) for row in rows} == {
        ("line 2", "path"),
        ("line 3", "path"),
        ("returning", "back"),
        ("line 5", "many"),
    }
    assert [row["round"] for row in rows if row["rule"] == "line 3"] == ["0", "1", "2"]
    assert len({row["hyper_node"] for row in rows}) == 4


def test_statistics_of_a_module_are_one_row(folder: Path, edges: Path) -> None:
    run("run", folder / "rules.dl", "--facts", edges, "--stats", folder / "stats.csv")
    rows = [row for row in statistics(folder / "stats.csv") if row["rule"] == "line 3"]
    assert [(row["round"], row["new_facts"]) for row in rows] == [("0", "0")]  # its pairs are not stored


def test_statistics_that_cannot_be_written(folder: Path, edges: Path) -> None:
    stats = folder / "nowhere" / "stats.csv"
    status, _, err = run("run", folder / "rules.dl", "--facts", edges, "--out", folder / "out", "--stats", stats)
    assert status == 1
    assert not (folder / "out").exists()
    assert "error TL060: cannot write" in err


def test_progress_line() -> None:
    progress = Progress(1, 3, "path", 7, 1_234_567, 5_000_000, perf_counter() - 10)
    assert re.fullmatch(
        r"unit 2 of 3  path  round 7  1,234,567 facts  \d{3},\d{3} derivations/s  \d+\.\d s", progress_line(progress)
    )


def test_a_terminal_shows_progress(folder: Path) -> None:
    (folder / "endless.dl").write_text(ENDLESS, encoding="utf-8")
    with in_terminal("run", folder / "endless.dl", "--limit-seconds", "1") as (process, shown):
        text = read_until(shown)
    assert process.returncode == 1
    assert re.search(r"unit 1 of 1  n  round [\d,]+  [\d,]+ facts  [\d,]+ derivations/s", text)
    assert "error TL070" in text


def test_a_quiet_run_shows_nothing(folder: Path, edges: Path) -> None:
    with in_terminal("run", folder / "rules.dl", "--facts", edges, "-r", "path", "--quiet") as (process, shown):
        assert read_until(shown) == ""
        assert process.stdout is not None
        assert paths(process.stdout.read()) == PATHS
    assert process.returncode == 0


def test_without_a_terminal_there_is_no_progress() -> None:
    with progress_display(is_quiet=False) as display:
        assert display is None


def test_statistics_name_rules_by_name_or_line(tmp_path: Path) -> None:
    kb = KnowledgeBase("base: p(X) :- e(X).\np(X) :- q(X), X < 3.\ne(1). q(2).", modules=False)
    kb.count("p")
    write_statistics(kb, tmp_path / "s.csv")
    rows = statistics(tmp_path / "s.csv")
    assert [(row["hyper_node"], row["rule"], row["new_facts"]) for row in rows] == [("1", "base", "1"), ("2", "line 2", "1")]
    with pytest.raises(TidelogError, match="TL060"):
        write_statistics(kb, tmp_path / "missing" / "s.csv")


def test_files_of_rdf(folder: Path) -> None:
    pytest.importorskip("pyoxigraph")
    (folder / "data.nt").write_text("<http://a/a> <http://a/p> <http://a/b> .\n", encoding="utf-8")
    (folder / "rules.dl").write_text("q(X) :- <http://a/p>(X, _).", encoding="utf-8")
    code, out, err = run("run", folder / "rules.dl", "--rdf", folder / "data.nt")
    assert (code, out) == (0, "% q: 1 fact\nq(<http://a/a>).\n")
    assert err == f"{folder / 'data.nt'}: 1 fact of 1 relation\n"
    code, out, _ = run("query", folder / "rules.dl", "q(X)", "--rdf", folder / "data.nt", "--quiet", "--format", "csv")
    assert code == 0
    assert "http://a/a" in out
    code, _, err = run("run", folder / "rules.dl", "--rdf", folder / "rules.dl")
    assert code == 1
    assert err.startswith("error TL082")
