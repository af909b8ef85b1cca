"""Errors and warnings as the user sees them.

`tests/errors` holds programs, `NAME.dl`, each with what Tidelog says about it, `NAME.err`.  After a deliberate change of a
message, `TIDELOG_UPDATE_GOLDENS=1 pytest tests/test_errors.py` writes the new texts there and into the pages of `docs/errors`;
read the difference before you commit it.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import typer
from tests.spark import provoked
from typer.testing import CliRunner

import tidelog
from tidelog import Change, Facts, KnowledgeBase
from tidelog.cli import app
from tidelog.errors import CODES, Diagnostic, Diagnostics, TidelogError, TidelogWarning, did_you_mean, in_order, render_all
from tidelog.files.reading import read
from tidelog.program.program import check, read_source
from tidelog.program.relations import Relation
from tidelog.rdf.left_out import tell_of_left_out
from tidelog.source import Source, Span
from tidelog.syntax.tree import Column
from tidelog.values import Kind, from_python

GOLDENS = Path(__file__).parent / "errors"
PAGES = Path(__file__).parent.parent / "docs" / "errors"
UPDATE = os.environ.get("TIDELOG_UPDATE_GOLDENS") == "1"

PROGRAMS = sorted(GOLDENS.glob("*.dl"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def report(text: str, name: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """What Tidelog says about a program: the errors, or else the warnings."""
    try:
        diagnostics = check(Source(text, name)).warnings
    except TidelogError as error:
        return str(error), error.diagnostics
    return render_all(diagnostics), diagnostics


# --- programs that something is wrong with -------------------------------------------------------------------------------


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_golden(program: Path) -> None:
    rendered, diagnostics = report(program.read_text(encoding="utf-8"), program.name)
    assert diagnostics, "a golden must provoke something"
    golden = program.with_suffix(".err")
    if UPDATE:
        golden.write_text(rendered + "\n", encoding="utf-8")
    assert golden.read_text(encoding="utf-8") == rendered + "\n"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_diagnostics_are_in_order_and_have_places(program: Path) -> None:
    text = program.read_text(encoding="utf-8")
    _, diagnostics = report(text, program.name)
    assert list(diagnostics) == in_order(diagnostics)
    assert len({d.is_error for d in diagnostics}) == 1
    for diagnostic in diagnostics:
        assert diagnostic.code in CODES
        assert diagnostic.span is not None
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
        assert "\n" not in diagnostic.message


def test_goldens_are_pairs() -> None:
    assert len(PROGRAMS) >= 45
    assert {path.stem for path in PROGRAMS} == {path.stem for path in GOLDENS.glob("*.err")}


# --- errors that no program text provokes ---------------------------------------------------------------------------------


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """The kernel says so when it is compiled for the first time; let that be over."""
    KnowledgeBase("p(1). q(X) :- p(X).").count("q")


def command(*args: str, text: str | bytes | None = None) -> str:
    """What a command that fails prints."""
    result = CliRunner().invoke(app, list(args), input=text)
    assert result.exit_code == 1
    return result.output


def missing_file(folder: Path) -> str:
    path = folder / "missing.dl"
    output = command("check", str(path))
    assert output == f"error TL060: cannot read {path}: No such file or directory\n"
    return output


def folder_as_file(folder: Path) -> str:
    output = command("format", str(folder))
    assert output.startswith(f"error TL060: cannot read {folder}: ")
    return output


def latin_1_file(folder: Path) -> str:
    path = folder / "latin1.dl"
    path.write_bytes("name(a, \xe9).".encode("latin-1"))
    output = command("check", str(path))
    place = "byte 9 cannot be decoded"
    assert output == f"error TL061: {path} is not UTF-8 text: {place}\n    fix: save the file as UTF-8\n"
    return output


def latin_1_standard_input(folder: Path) -> str:
    output = command("run", "-", text=b"\xff")
    assert output == "error TL061: standard input is not UTF-8 text\n"
    return output


def too_many_facts(folder: Path) -> str:
    output = command("run", "--limit-facts", "1000", "-", text="n(0).\nn(X + 1) :- n(X).\n")
    assert output in blocks((PAGES / "TL070.md").read_text(encoding="utf-8"), "text")[0][2]
    return output


def too_many_rounds(folder: Path) -> str:
    output = command("run", "--limit-rounds", "5", "-", text="n(0).\nn(X + 1) :- n(X).\n")
    assert output.startswith("error TL070: there have been more than 5 rounds")
    return output


def too_much_memory(folder: Path) -> str:
    output = command("run", "--limit-memory", "1MB", "-", text="n(0).\nn(X + 1) :- n(X).\n")
    assert output.startswith("error TL070: facts and values would need ")
    return output


def text_that_is_too_long(folder: Path) -> str:
    output = command("run", "--limit-text", "10", "-", text="n(0).\nn(X + 1) :- n(X).\n")
    assert output.startswith("error TL070: the program is longer than 10 bytes\n")
    return output


def input_outside_its_root(folder: Path) -> str:
    program = folder / "example.dl"
    program.write_text('@relation user(line: string) . @input user "/etc/passwd" .', encoding="utf-8")
    output = command("run", str(program), "--input-root", str(folder / "data"))
    assert output.replace(f"{folder}/", "") in blocks((PAGES / "TL088.md").read_text(encoding="utf-8"), "text")[0][2]
    return output


def output_outside_its_folder(folder: Path) -> str:
    output = command("run", "-", "--out", str(folder / "out"), text='p(1). @output p "../p.csv" .')
    assert not (folder / "p.csv").exists()
    assert output.startswith("error TL088: the @output of `p`, ")
    return output


def argument_of_no_use(folder: Path) -> str:
    with pytest.raises(TidelogError) as caught:
        KnowledgeBase("path(X, Y) :- edge(X, Y).")[5]  # type: ignore[index]
    assert str(caught.value) + "\n" == blocks((PAGES / "TL071.md").read_text(encoding="utf-8"), "text")[0][2]
    return str(caught.value)


def python_value_without_a_place(folder: Path) -> str:
    with pytest.raises(TidelogError) as caught:
        from_python(None)
    assert str(caught.value).startswith("error TL072: None of type NoneType ")
    return str(caught.value)


def python_integer_too_large(folder: Path) -> str:
    with pytest.raises(TidelogError) as caught:
        from_python(2**63)
    return str(caught.value)


def unknown_relation(folder: Path) -> str:
    output = command("run", "-", "-r", "paths", text="path(a).\n")
    assert output == "error TL073: the program has no relation `paths`\n    fix: did you mean `path`?\n"
    return output


def loading(path: Path, text: str, relation: Relation | None = None) -> str:
    """What reading a file with that text says."""
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TidelogError) as caught:
        read(path, "edge", relation)
    return str(caught.value)


def row_that_does_not_fit(folder: Path) -> str:
    columns = (Column("src", Kind.STRING), Column("weight", Kind.INT))
    path = folder / "edges.csv"
    output = loading(path, "src,weight\na,5\nb,heavy\nc,\n", Relation("edge", 2, columns))
    assert output.replace(f"{folder}/", "") + "\n" == blocks((PAGES / "TL080.md").read_text(encoding="utf-8"), "text")[1][2]
    return output


def columns_that_do_not_fit(folder: Path) -> str:
    output = loading(folder / "edges.csv", "a,b,5\n", Relation("edge", 2))
    assert output.replace(f"{folder}/", "") + "\n" == blocks((PAGES / "TL081.md").read_text(encoding="utf-8"), "text")[0][2]
    return output


def unknown_file_format(folder: Path) -> str:
    output = loading(folder / "edges.xlsx", "")
    assert output.replace(f"{folder}/", "") + "\n" == blocks((PAGES / "TL082.md").read_text(encoding="utf-8"), "text")[0][2]
    return output


def damaged_file(folder: Path) -> str:
    output = loading(folder / "edges.parquet", "a,b\nc,d\n")
    assert output.startswith(f"error TL083: {folder / 'edges.parquet'} is damaged: ")
    return output


def job(folder: Path, text: str) -> str:
    """What running a job with that text says, without the folder."""
    (folder / "rules.dl").write_text("@relation edge(src: string, weight: int) .\np(X) :- edge(X, _).\n", encoding="utf-8")
    (folder / "edges.csv").write_text("a,heavy\n", encoding="utf-8")
    (folder / "job.toml").write_text('program = { path = "rules.dl" }\n' + text, encoding="utf-8")
    return command("pipeline", "run", "--quiet", str(folder / "job.toml")).replace(f"{folder}/", "")


SINK = '[[sink]]\nrelation = "p"\npath = "out/path"\n'
LOCAL = '[engine]\nname = "local"\n'


def job_file_with_errors(folder: Path) -> str:
    source = '[[source]]\nrelation = "edge"\npath = "edges.csv"\nheadr = true\n'
    output = job(folder, SINK + source + '[engine]\nname = "sparc"\n')
    assert output == blocks((PAGES / "TL090.md").read_text(encoding="utf-8"), "text")[0][2]
    return output


def job_beyond_its_engine(folder: Path) -> str:
    output = job(folder, '[[sink]]\nrelation = "p"\ntable = "t"\n' + LOCAL)
    assert output == blocks((PAGES / "TL091.md").read_text(encoding="utf-8"), "text")[0][2]
    return output


def too_many_rejected_rows(folder: Path) -> str:
    source = '[[source]]\nrelation = "edge"\npath = "edges.csv"\nheader = false\n'
    output = job(folder, SINK + source + LOCAL).replace("edges.csv:1", "edges.csv:2")
    run_id = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{6}")
    page = blocks((PAGES / "TL092.md").read_text(encoding="utf-8"), "text")[0][2]
    assert run_id.sub("", output) == run_id.sub("", page)
    return output


def sink_with_other_things(folder: Path) -> str:
    (folder / "out/path").mkdir(parents=True)
    (folder / "out/path/letter.txt").touch()
    output = job(folder, SINK + LOCAL)
    assert output == blocks((PAGES / "TL093.md").read_text(encoding="utf-8"), "text")[0][2]
    return output


def missing_variable(folder: Path) -> str:
    source = '[[source]]\nrelation = "edge"\ntable = "t"\nformat = "jdbc"\noptions = { password = "${SHOP_PASSWORD}" }\n'
    output = job(folder, SINK + source)
    assert output == blocks((PAGES / "TL094.md").read_text(encoding="utf-8"), "text")[0][2]
    return output


def stream_that_broke_off(folder: Path) -> str:
    from tidelog.pipeline.streaming.stream_query import stream_failure

    said = "py4j.Py4JException: An exception was raised.\nOSError: there is no space left on the device\n\tat py4j.Protocol"
    output = str(stream_failure(said)) + "\n"
    assert output == blocks((PAGES / "TL095.md").read_text(encoding="utf-8"), "text")[0][2]
    return output


def algorithm_that_does_not_exist(folder: Path) -> str:
    with pytest.raises(TidelogError) as caught:
        KnowledgeBase("p(a).", algorithm="magic")  # type: ignore[arg-type]
    assert str(caught.value) + "\n" == blocks((PAGES / "TL074.md").read_text(encoding="utf-8"), "text")[0][2]
    return str(caught.value)


def option_that_does_not_exist(folder: Path) -> str:
    with pytest.raises(TidelogError) as caught:
        KnowledgeBase("p(a).", marking="sometimes")  # type: ignore[arg-type]
    assert str(caught.value).startswith(
        "error TL074: there is no marking='sometimes'\n    fix: choose one of 'auto', True, False"
    )
    return str(caught.value)


def missing_library(folder: Path) -> str:
    with patch.dict(sys.modules, {"polars": None}), pytest.raises(TidelogError) as caught:
        KnowledgeBase("path(a, b).")["path"].to_polars()
    assert str(caught.value) + "\n" == blocks((PAGES / "TL084.md").read_text(encoding="utf-8"), "text")[0][2]
    return str(caught.value)


def upsert_without_a_key(folder: Path) -> str:
    with pytest.raises(TidelogError) as caught:
        KnowledgeBase("@relation temp(turbine: string, celsius: float) .").update(upsert=[("temp", "t1", 21.5)])
    assert str(caught.value) + "\n" == blocks((PAGES / "TL075.md").read_text(encoding="utf-8"), "text")[0][2]
    return str(caught.value)


def update_that_is_none(folder: Path) -> str:
    path, page = folder / "updates.jsonl", blocks((PAGES / "TL076.md").read_text(encoding="utf-8"), "text")
    path.write_text("{}\n" + page[0][2], encoding="utf-8")
    with pytest.raises(TidelogError) as caught:
        list(KnowledgeBase().follow(path))
    assert str(caught.value).replace(f"{folder}/", "") + "\n" == page[1][2]
    assert len(list(KnowledgeBase().follow([page[2][2]]))) == 1
    return str(caught.value)


def file_that_came_late(folder: Path) -> str:
    inbox = folder / "inbox"
    inbox.mkdir()
    (inbox / "0007.jsonl").write_text("{}\n", encoding="utf-8")
    following = KnowledgeBase().follow(inbox)
    next(following)
    (inbox / "0005.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(TidelogError) as caught:
        next(following)
    shown = str(caught.value).replace(f"{folder}/", "").replace("update 2: ", "")
    assert shown + "\n" == blocks((PAGES / "TL077.md").read_text(encoding="utf-8"), "text")[0][2]
    return str(caught.value)


def stream_that_ends_too_early(folder: Path) -> str:
    (folder / "rules.dl").write_text("p(a).\n", encoding="utf-8")
    updates, out = folder / "updates.jsonl", str(folder / "changes.jsonl")
    args = ["stream", str(folder / "rules.dl"), "--updates", str(updates), "--out", out, "--quiet"]
    updates.write_text("{}\n{}\n{}\n", encoding="utf-8")
    assert CliRunner().invoke(app, args).exit_code == 0
    updates.write_text("{}\n{}\n", encoding="utf-8")
    output = command(*args, "--resume").replace(f"{folder}/", "")
    assert output == blocks((PAGES / "TL077.md").read_text(encoding="utf-8"), "text")[1][2]
    return output


def rule_that_is_there_already(folder: Path) -> str:
    kb = KnowledgeBase("r1: path(X, Z) :- path(X, Y), edge(Y, Z).")
    with pytest.raises(TidelogError) as caught:
        kb.add_rules("path(A, C) :- edge(B, C), path(A, B).")
    assert str(caught.value) + "\n" == blocks((PAGES / "TL078.md").read_text(encoding="utf-8"), "text")[0][2]
    return str(caught.value)


def rule_that_is_not_there(folder: Path) -> str:
    kb = KnowledgeBase("r1: path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z).")
    with pytest.raises(TidelogError) as caught:
        kb.remove_rules(["r2", "path(X, Z) :- path(X, Y), edge(Z, Y)."])
    assert str(caught.value) + "\n" == blocks((PAGES / "TL079.md").read_text(encoding="utf-8"), "text")[0][2]
    return str(caught.value)


def raised(folder: Path, code: str, action: Callable[[], object]) -> str:
    """What an action says, as its page shows it."""
    with pytest.raises(TidelogError) as caught:
        action()
    shown = str(caught.value).replace(f"{folder}/", "")
    assert shown + "\n" == blocks((PAGES / f"{code}.md").read_text(encoding="utf-8"), "text")[0][2]
    return shown


def damaged_saved_knowledge_base(folder: Path) -> str:
    KnowledgeBase.open(folder / "warehouse", "p(1).").close()
    (folder / "warehouse" / "snapshot-1" / "table-0.arrow").unlink()
    return raised(folder, "TL062", lambda: KnowledgeBase.open(folder / "warehouse"))


def folder_that_is_used_already(folder: Path) -> str:
    KnowledgeBase.open(folder / "warehouse", "p(1).").close()
    return raised(folder, "TL063", lambda: KnowledgeBase("p(1).").save(folder / "warehouse"))


def rules_of_another_knowledge_base(folder: Path) -> str:
    KnowledgeBase.open(folder / "warehouse", "p(1).").close()
    return raised(folder, "TL064", lambda: KnowledgeBase.open(folder / "warehouse", "p(1). q(X) :- p(X)."))


def change_of_a_closed_knowledge_base(folder: Path) -> str:
    kb = KnowledgeBase("p(1).")
    kb.close()
    return raised(folder, "TL065", lambda: kb.update(insert=[("p", 2)]))


def change_without_room_for_it(folder: Path) -> str:
    kb: Any = KnowledgeBase.open(folder / "warehouse", "p(1).", durability="none")
    kb.saved.manifest.execute("PRAGMA max_page_count = 1")
    with kb:
        return raised(folder, "TL066", lambda: kb.update(insert=[("text", "x" * 100_000)]))


def sparql_text_that_is_none(folder: Path) -> str:
    return raised(folder, "TL015", lambda: KnowledgeBase("").sparql("SELECT ?x { ?x a ex }"))


def sparql_that_is_not_supported(folder: Path) -> str:
    query = "SELECT ?x { SERVICE <http://example.org/sparql> { ?x ?p ?y } }"
    return raised(folder, "TL016", lambda: KnowledgeBase("").sparql(query))


def rdfox_that_is_not_supported(folder: Path) -> str:
    page = (PAGES / "TL017.md").read_text(encoding="utf-8")
    (folder / "example.dlog").write_text(blocks(page, "sparql")[0][2], encoding="utf-8")
    output = command("check", str(folder / "example.dlog")).replace(f"{folder}/", "")
    assert output == blocks(page, "text")[0][2]
    (folder / "example.dlog").write_text(blocks(page, "sparql")[1][2], encoding="utf-8")
    check(read_source(folder / "example.dlog"))
    return output


def closed_snapshot(folder: Path) -> str:
    with KnowledgeBase("p(1).").snapshot() as view:
        pass
    return raised(folder, "TL096", lambda: view.count("p"))


def ontology_that_is_not_there(folder: Path) -> str:
    kb = KnowledgeBase()
    kb.add_ontology([], name="zoo.ttl")
    return raised(folder, "TL097", lambda: kb.remove_ontology("zo.ttl"))


def comparison_of_other_kinds(_: Path) -> str:
    with pytest.warns(TidelogWarning) as caught:
        KnowledgeBase('job("a", 5). late(X) :- job(X, T), T < "b".').count("late")
    return str(caught[0].message)


def text_among_numbers(_: Path) -> str:
    text = blocks((PAGES / "TL107.md").read_text(encoding="utf-8"), "prolog")[0][2]
    with pytest.warns(TidelogWarning) as caught:
        KnowledgeBase(Source(text, "example.dl")).count("total")
    said = str(caught[0].message)
    assert said + "\n" == blocks((PAGES / "TL107.md").read_text(encoding="utf-8"), "text")[0][2]
    return said


def triples_without_a_relation(_: Path) -> str:
    counts = {("http://example.org/name", 2): 2, ("http://example.org/Person", 1): 1}
    program = KnowledgeBase("q(X) :- p(X, _).").program
    with pytest.warns(TidelogWarning) as caught:
        tell_of_left_out(counts, program.relations, program.printer)
    said = str(caught[0].message)
    assert said + "\n" == blocks((PAGES / "TL108.md").read_text(encoding="utf-8"), "text")[0][2]
    return said


def names_as_a_fact(folder: Path) -> str:
    (folder / "supplies.csv").write_text("supplier,part\nAlba,spoke\nBorg,rim\n", encoding="utf-8")
    with pytest.warns(TidelogWarning) as caught:
        KnowledgeBase("").load("supplies", folder / "supplies.csv")
    said = str(caught[0].message).replace(f"{folder}/", "")
    assert said + "\n" == blocks((PAGES / "TL106.md").read_text(encoding="utf-8"), "text")[0][2]
    return said


def change_that_is_over(folder: Path) -> str:
    page = (PAGES / "TL099.md").read_text(encoding="utf-8")
    kb = KnowledgeBase(blocks(page, "prolog")[0][2])
    change = kb.update(insert=[("edge", "a", "b")])
    kb.update(insert=[("edge", "b", "c")])
    output = raised(folder, "TL099", lambda: change.explain("path(a, b)"))
    assert output + "\n" == blocks(page, "text")[0][2]
    return output


def fact_that_does_not_hold(folder: Path) -> str:
    page = (PAGES / "TL098.md").read_text(encoding="utf-8")
    output = raised(folder, "TL098", lambda: KnowledgeBase(blocks(page, "prolog")[0][2]).explain("path(b, a)"))
    assert output + "\n" == blocks(page, "text")[0][2]
    return output


def change_that_would_start_over(folder: Path) -> str:
    kb = KnowledgeBase("steps(9000). steps(N) :- steps(X), N = count { Y : next(Z, Y), Y < X, Z < 3 }.", starting_over="refuse")
    kb.update(insert=[("next", n % 100, n) for n in range(6_000)])
    assert kb.count("steps") == 4
    output = raised(folder, "TL067", lambda: kb.update(delete=[("next", 0, 0)]))
    assert (kb.count("steps"), kb.count("next")) == (4, 6_000)
    assert output + "\n" == blocks((PAGES / "TL067.md").read_text(encoding="utf-8"), "text")[0][2]
    return output


DIRECT: dict[str, list[Callable[[Path], str]]] = {
    **provoked.DIRECT,
    "TL015": [sparql_text_that_is_none],
    "TL016": [sparql_that_is_not_supported],
    "TL017": [rdfox_that_is_not_supported],
    "TL060": [missing_file, folder_as_file],
    "TL061": [latin_1_file, latin_1_standard_input],
    "TL062": [damaged_saved_knowledge_base],
    "TL063": [folder_that_is_used_already],
    "TL064": [rules_of_another_knowledge_base],
    "TL065": [change_of_a_closed_knowledge_base],
    "TL066": [change_without_room_for_it],
    "TL070": [too_many_facts, too_many_rounds, too_much_memory, text_that_is_too_long],
    "TL071": [argument_of_no_use],
    "TL072": [python_value_without_a_place, python_integer_too_large],
    "TL073": [unknown_relation],
    "TL074": [algorithm_that_does_not_exist, option_that_does_not_exist],
    "TL075": [upsert_without_a_key],
    "TL076": [update_that_is_none],
    "TL077": [file_that_came_late, stream_that_ends_too_early],
    "TL078": [rule_that_is_there_already],
    "TL079": [rule_that_is_not_there],
    "TL080": [row_that_does_not_fit],
    "TL081": [columns_that_do_not_fit],
    "TL082": [unknown_file_format],
    "TL083": [damaged_file],
    "TL084": [missing_library],
    "TL088": [input_outside_its_root, output_outside_its_folder],
    "TL090": [job_file_with_errors],
    "TL091": [job_beyond_its_engine],
    "TL092": [too_many_rejected_rows],
    "TL093": [sink_with_other_things],
    "TL094": [missing_variable],
    "TL095": [stream_that_broke_off],
    "TL096": [closed_snapshot],
    "TL097": [ontology_that_is_not_there],
    "TL105": [comparison_of_other_kinds],
    "TL106": [names_as_a_fact],
    "TL107": [text_among_numbers],
    "TL108": [triples_without_a_relation],
    "TL098": [fact_that_does_not_hold],
    "TL099": [change_that_is_over],
    "TL067": [change_that_would_start_over],
}
"""For each code that no program text provokes: what does."""


@pytest.mark.parametrize(
    ("code", "provoke"),
    [pytest.param(code, provoke, id=provoke.__name__) for code, ways in DIRECT.items() for provoke in ways],
)
def test_direct(code: str, provoke: Callable[[Path], str], tmp_path: Path) -> None:
    kind = "error" if code < "TL100" else "warning"
    assert f"{kind} {code}: " in provoke(tmp_path)


def test_every_code_is_provoked() -> None:
    by_goldens: set[str] = set()
    for program in PROGRAMS:
        _, diagnostics = report(program.read_text(encoding="utf-8"), program.name)
        by_goldens |= {d.code for d in diagnostics}
    assert by_goldens.isdisjoint(DIRECT)
    assert by_goldens | set(DIRECT) == set(CODES)


def test_check_reports_the_errors_of_all_files(tmp_path: Path) -> None:
    bad, missing, good = tmp_path / "bad.dl", tmp_path / "missing.dl", tmp_path / "good.dl"
    bad.write_text("p(X).\n", encoding="utf-8")
    good.write_text("p(a).\n", encoding="utf-8")
    output = command("check", str(bad), str(missing), str(good))
    assert re.findall(r"error (TL\d+)", output) == ["TL034", "TL060"]
    assert f"{good}: 0 rules, 1 fact" in output


# --- the pages of the documentation ---------------------------------------------------------------------------------------

BY_TEXT = [code for code in CODES if code not in DIRECT]


def blocks(page: str, language: str) -> list[re.Match[str]]:
    """The fenced blocks of a page in one language."""
    return [block for block in BLOCK.finditer(page) if block[1] == language]


def test_every_code_has_a_page() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == {*CODES, "README"}


@pytest.mark.parametrize("code", CODES)
def test_page_has_its_title(code: str) -> None:
    first, *_ = (PAGES / f"{code}.md").read_text(encoding="utf-8").splitlines()
    assert first == f"# {code}: {CODES[code]}"


def test_index_lists_every_page() -> None:
    rows = re.findall(r"^\| (TL\d+) \| \[(.*)\]\((.*)\) \|$", (PAGES / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [(code, title, f"{code}.md") for code, title in CODES.items()]


@pytest.mark.parametrize("code", BY_TEXT)
def test_example_of_a_page(code: str) -> None:
    path = PAGES / f"{code}.md"
    page = path.read_text(encoding="utf-8")
    example = next(BLOCK.finditer(page))
    assert example[1] == "prolog"
    rendered, diagnostics = report(example[2], "example.dl")
    assert code in {d.code for d in diagnostics}
    shown = blocks(page, "text")[0]
    if UPDATE:
        path.write_text(f"{page[: shown.start(2)]}{rendered}\n{page[shown.end(2) :]}", encoding="utf-8")
        shown = blocks(path.read_text(encoding="utf-8"), "text")[0]
    assert shown[2] == rendered + "\n"


@pytest.mark.parametrize("code", BY_TEXT)
def test_mended_program_of_a_page(code: str) -> None:
    programs = blocks((PAGES / f"{code}.md").read_text(encoding="utf-8"), "prolog")
    assert len(programs) >= 2
    rendered, _ = report(programs[-1][2], "example.dl")
    assert rendered == ""


# --- one diagnostic, and many ---------------------------------------------------------------------------------------------

TEXT = Source("p(a).\nq(bad).\n", "some.dl")
PLACE = Span(8, 11)


def test_diagnostic_with_everything() -> None:
    diagnostic = Diagnostic("TL001", "it is bad", TEXT, PLACE, "make it good", ("first note", "  second note"))
    assert diagnostic.is_error
    assert diagnostic.place == "some.dl:2:3"
    assert diagnostic.render().splitlines() == [
        "some.dl:2:3: error TL001: it is bad",
        "    q(bad).",
        "      ^^^",
        "    first note",
        "      second note",
        "    fix: make it good",
    ]


def test_diagnostic_of_a_whole_file() -> None:
    assert Diagnostic("TL070", "it is bad", TEXT).render() == "some.dl: error TL070: it is bad"


def test_diagnostic_without_a_place() -> None:
    assert Diagnostic("TL060", "it is bad", fix="x").render() == "error TL060: it is bad\n    fix: x"


def test_warning() -> None:
    diagnostic = Diagnostic("TL101", "it is odd", TEXT, PLACE)
    assert not diagnostic.is_error
    assert diagnostic.render().startswith("some.dl:2:3: warning TL101: it is odd\n")


def test_of_many_errors_the_first_are_shown() -> None:
    many = [Diagnostic("TL001", f"number {i}") for i in range(53)]
    lines = render_all(many).splitlines()
    assert lines[0] == "error TL001: number 0"
    assert lines[49:] == ["error TL001: number 49", "... and 3 more"]
    assert render_all(many[:50]).splitlines()[-1] == "error TL001: number 49"
    assert render_all([]) == ""


def test_an_error_keeps_all_diagnostics_of_a_program() -> None:
    with pytest.raises(TidelogError) as caught:
        check(Source("p(X).\n" * 60, "many.dl"))
    assert len(caught.value.diagnostics) == 60
    assert str(caught.value).endswith("\n... and 10 more")


def test_errors_and_warnings_are_apart_and_in_order() -> None:
    other = Source("p(a).", "another.dl")
    diagnostics = Diagnostics()
    diagnostics.add("TL030", "late", TEXT, Span(8, 9))
    diagnostics.add("TL101", "a warning", TEXT, Span(2, 3))
    diagnostics.add("TL031", "early, second code", TEXT, Span(0, 1))
    diagnostics.add("TL030", "early, first code", TEXT, Span(0, 1))
    diagnostics.add("TL030", "late", TEXT, Span(8, 9))
    diagnostics.add("TL060", "no place")
    diagnostics.add("TL070", "whole file", TEXT)
    diagnostics.add("TL040", "another file", other, Span(3, 4))
    messages = ["no place", "another file", "whole file", "early, first code", "early, second code", "late"]
    assert [d.message for d in diagnostics.errors] == messages
    assert [d.message for d in diagnostics.warnings] == ["a warning"]
    with pytest.raises(TidelogError) as caught:
        diagnostics.raise_errors()
    assert [d.message for d in caught.value.diagnostics] == messages


def test_warnings_alone_raise_nothing() -> None:
    diagnostics = Diagnostics()
    diagnostics.add("TL102", "X is used only once")
    diagnostics.raise_errors()


def test_did_you_mean() -> None:
    assert did_you_mean("pth", ["path", "edge"]) == "did you mean `path`?"
    assert did_you_mean("path", ["path", "edge"]) is None
    assert did_you_mean("zzz", ["path", "edge"]) is None
    assert did_you_mean("e", ["f"]) is None


# --- advice ---------------------------------------------------------------------------------------------------------------


def _texts_of_the_source() -> Iterator[tuple[str, str]]:
    """Each module, and each of its texts that is not a docstring."""
    root = Path(tidelog.__file__).parent
    for path in sorted(root.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                yield str(path.relative_to(root)), node.value


def test_no_advice_to_call_what_does_not_exist() -> None:
    """Methods of knowledge bases and results, commands and their options that messages name are there."""
    local = type(KnowledgeBase())
    classes = {"kb": local, "KnowledgeBase": local, "facts": Facts, "change": Change, "tidelog": tidelog}
    group = typer.main.get_command(app)
    commands = dict(group.commands)  # type: ignore[attr-defined]
    commands |= {f"pipeline {name}": command for name, command in commands["pipeline"].commands.items()}
    options = {option for command in (group, *commands.values()) for one in command.params for option in one.opts}
    missing = []
    for module, text in _texts_of_the_source():
        for name, attribute in re.findall(r"\b(kb|KnowledgeBase|facts|change)\.([a-z_]+)\(", text):
            if not hasattr(classes[name], attribute):
                missing.append(f"{module}: {name}.{attribute}")
        missing += [f"{module}: tidelog {name}" for name in re.findall(r"`tidelog ([a-z-]+)", text) if name not in commands]
        missing += [
            f"{module}: {option}" for option in re.findall(r"(?<!var)\((--[a-z][a-z-]+)\)", text) if option not in options
        ]
    assert missing == []
