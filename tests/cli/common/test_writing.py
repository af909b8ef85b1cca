"""Files that `run` writes: of RDF, for each relation and for all."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from tests.cli.commands import run

from tidelog import KnowledgeBase
from tidelog.cli.common.writing import WrittenFile, is_rdf

pytest.importorskip("pyoxigraph")
RULES = '@prefix ex: <http://e/> . ex:q(Y, X) :- ex:p(X, Y). count(N) :- N = count { ex:p(_, _) }. @output ex:q "q.ttl" .\n'


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "rules.dl"
    path.write_text(RULES, encoding="utf-8")
    (tmp_path / "data.ttl").write_text("@prefix ex: <http://e/> . ex:a ex:p ex:b, 5 .", encoding="utf-8")
    return path


def test_all_triples(program: Path, tmp_path: Path) -> None:
    for which, count in (("all", 3), ("explicit", 2), ("derived", 1)):
        out = tmp_path / "new" / f"{which}.nt.gz"
        _, output, _ = run("run", program, "--rdf", tmp_path / "data.ttl", "--quiet", "--rdf-out", out, "--which", which)
        counted = "1 triple" if count == 1 else f"{count} triples"
        assert output.startswith(f"{counted} -> {out}"), output
        assert len(gzip.decompress(out.read_bytes()).splitlines()) == count
        assert ("; 2 facts are no triples" in output) == (which != "explicit")
        kb = KnowledgeBase()
        kb.load_rdf(out)
        assert sum(kb.count(name) for name in kb.relations) == count


def test_a_file_for_each_relation(program: Path, tmp_path: Path) -> None:
    given = (program, "--rdf", tmp_path / "data.ttl", "-q")
    _, output, _ = run("run", *given, "--out", tmp_path / "out")
    assert output == f"ex:q: 1 fact -> {tmp_path}/out/q.ttl; 1 fact is no triple\n"
    assert "ex:b ex:q ex:a" in (tmp_path / "out" / "q.ttl").read_text(encoding="utf-8")
    code, output, error = run("run", *given, "--out", tmp_path / "other", "-r", "count", "--format", "nt")
    assert (code, output) == (1, "")
    assert "TL082: cannot write `count` to count.nt: it has no triples" in error
    assert not (tmp_path / "other").exists()
    _, output, _ = run("run", *given, "--rdf-out", tmp_path / "a.nt", "--json")
    assert json.loads(output) == {"files": [{"facts": 3, "path": str(tmp_path / "a.nt"), "left_out": 2}]}


def test_targets_that_cannot_be_written(program: Path, tmp_path: Path) -> None:
    for name in ("all.rdf", "all.ttl.zst", "all"):
        code, _, error = run("run", program, "--rdf", tmp_path / "data.ttl", "--rdf-out", tmp_path / name)
        assert code == 1
        assert "TL082" in error
        assert not (tmp_path / name).exists()


def test_words() -> None:
    assert str(WrittenFile("p", 1, Path("p.csv"))) == "p: 1 fact -> p.csv"
    assert str(WrittenFile("", 2, Path("a.nt"), 3)) == "2 triples -> a.nt; 3 facts are no triples"
    assert [is_rdf(Path(name)) for name in ("a.nt", "a.ttl.gz", "a.csv", "a")] == [True, True, False, False]
