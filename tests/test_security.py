"""What SECURITY.md guarantees: nothing from outside is executed, and nothing but named files is read."""

from __future__ import annotations

import ast
import gzip
import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pytest

import tidelog
from tidelog import KnowledgeBase
from tidelog.errors import TidelogError

SOURCE = Path(tidelog.__file__).parent
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_MODULES = {
    *("pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "yaml", "code", "pty"),
    *("socket", "ssl", "http", "urllib.request", "ftplib", "smtplib", "requests", "httpx", "aiohttp", "xml"),
}
STARTS_A_PROCESS = {"spark/session/java.py", "local/kernel/tiers/requests.py", "local/kernel/tiers/warm_up.py"}
"""Asks Java for its version, by the path of Java; compiles the kernel in another Python, by its path; all without a shell."""


class Module(NamedTuple):
    """What a module imports, and where it does what might execute texts or start processes."""

    imports: set[str]
    executing: list[int]
    starting: list[int]


@cache
def modules() -> dict[str, Module]:
    paths = sorted(SOURCE.rglob("*.py"))
    return {path.relative_to(SOURCE).as_posix(): read(ast.parse(path.read_text(encoding="utf-8"))) for path in paths}


def read(tree: ast.Module) -> Module:
    found = Module(set(), [], [])
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.imports.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.imports.update([node.module, *(f"{node.module}.{alias.name}" for alias in node.names)])
        elif isinstance(node, ast.Call):
            found.executing.extend([node.lineno] * (isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS))
            found.starting.extend([node.lineno] * any(keyword.arg == "shell" for keyword in node.keywords))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            found.starting.extend([node.lineno] * node.attr.startswith(("system", "popen", "exec", "spawn")))
    return found


def is_forbidden(name: str) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in FORBIDDEN_MODULES)


def test_what_is_forbidden_is_found() -> None:
    tree = ast.parse("import os, http.client\nfrom pickle import loads\neval('1')\nos.system('ls')\nrun('ls', shell=True)")
    found = read(tree)
    assert {name for name in found.imports if is_forbidden(name)} == {"http.client", "pickle", "pickle.loads"}
    assert (found.executing, sorted(found.starting)) == ([3], [4, 5])


def test_the_source_calls_nothing_that_executes_texts() -> None:
    assert [(name, module.executing) for name, module in modules().items() if module.executing] == []


def test_the_source_imports_neither_pickles_nor_the_network() -> None:
    assert len(modules()) > 100
    assert [(name, found) for name, module in modules().items() for found in module.imports if is_forbidden(found)] == []


def test_only_java_and_python_are_started_and_no_shell() -> None:
    assert {name for name, module in modules().items() if "subprocess" in module.imports} == STARTS_A_PROCESS
    assert [(name, module.starting) for name, module in modules().items() if module.starting] == []


def test_an_evaluation_opens_no_connection(tmp_path: Path) -> None:
    """Rules, files, RDF and an update, in a process in which every socket is an error."""
    (tmp_path / "e.csv").write_text("a,b\nb,c\n", encoding="utf-8")
    script = f"""
import sys
def refuse(event, args):
    if event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "subprocess.", "os.system", "os.exec")):
        raise RuntimeError(event)
sys.addaudithook(refuse)
from tidelog import KnowledgeBase
from tidelog.rdf.documents import parse_turtle
kb = KnowledgeBase('''@prefix ex: <http://example.invalid/> . @input e "e.csv" .
p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z). ex:q(X) :- p(X, <http://example.invalid/x>).''', folder={str(tmp_path)!r})
kb.update(insert=[("e", "c", "d")], add_rules="r(X) :- p(X, _).")
list(kb.follow(['{{"insert": [["e", "d", "http://example.invalid/"]]}}']))
parse_turtle(b"@prefix x: <http://example.invalid/> . @base <http://example.invalid/b> . <a> x:p <y> .", "s")
print(kb.count("p"), len(kb.query("r(X)")))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["10", "4"], done.stderr


def test_no_question_goes_to_another_server() -> None:
    kb = KnowledgeBase("p(1).")
    for question in ("SELECT * FROM <http://localhost:9/g> { ?s ?p ?o }", "ASK { SERVICE <http://localhost:9/> { ?s ?p ?o } }"):
        with pytest.raises(TidelogError, match="TL016"):
            kb.sparql(question)
    with pytest.raises(TidelogError, match="TL016"):
        kb.sparql_update("LOAD <http://localhost:9/g>")


@pytest.mark.parametrize("url", ["http://example.invalid/e.csv", "file:///etc/passwd", "s3://bucket/e.csv", "hdfs://host/e.csv"])
def test_an_input_is_no_url(url: str, tmp_path: Path) -> None:
    with pytest.raises(TidelogError, match="TL060"):
        KnowledgeBase(f'@relation e(a: string). @input e "{url}" .', folder=tmp_path)


class _Trap:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (Path("trapped"),)  # type: ignore[return-value]


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_python_types_in_metadata_are_not_loaded(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyarrow import parquet

    monkeypatch.chdir(tmp_path)
    metadata = {b"ARROW:extension:name": b"arrow.py_extension_type", b"ARROW:extension:metadata": pickle.dumps(_Trap())}
    table = pa.table(
        [pa.array([1, 2])], pa.schema([pa.field("a", pa.int64(), metadata=metadata)], {b"pandas": pickle.dumps(_Trap())})
    )
    path = tmp_path / f"q.{kind}"
    if kind == "parquet":
        parquet.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    kb = KnowledgeBase()
    kb.load("q", path)
    assert kb.count("q") == 2
    assert not (tmp_path / "trapped").exists()


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_small_file_that_unpacks_to_a_large_one(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"q.{ending}.gz"
    path.write_bytes(gzip.compress((b"a\n" if ending == "csv" else b'{"a": 1}\n') * 5_000_000))
    kb = KnowledgeBase(limit_memory=4_000_000)
    with pytest.raises(TidelogError, match="more than 4,000,000 bytes of facts"):
        kb.load("q", path)
    assert "q" not in kb.relations


def test_a_small_table_that_unpacks_to_a_large_one(tmp_path: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(pa.table({"a": pa.array([7] * 3_000_000)}), tmp_path / "q.parquet")
    with pytest.raises(TidelogError, match="more than 4,000,000 bytes of facts"):
        KnowledgeBase(limit_memory=4_000_000).load("q", tmp_path / "q.parquet")
