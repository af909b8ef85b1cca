"""The picture of a hyper-graph: all rules are in it, nothing overlaps, and what is read stands to the left of what reads it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given, settings
from tests.local_engine import program
from tests.random_programs import RandomProgram, programs
from tests.rule_sets import RS1, RS2, RS3
from typer.testing import CliRunner

from tidelog import KnowledgeBase
from tidelog.cli import app
from tidelog.report.graph import Graph, draw


def check_layout(graph: Graph) -> None:
    ET.fromstring(graph.to_svg())
    for at, one in enumerate(graph.nodes):
        for other in graph.nodes[:at]:
            apart = one.x + one.width <= other.x or other.x + other.width <= one.x
            assert apart or one.y + one.height <= other.y or other.y + other.height <= one.y
    for source, target in graph.edges:
        assert graph.nodes[source].x + graph.nodes[source].width < graph.nodes[target].x


@pytest.mark.parametrize(("text", "count"), [(RS1, 5), (RS2, 14), (RS3, 14)], ids=["RS1", "RS2", "RS3"])
def test_rule_sets(text: str, count: int) -> None:
    checked = program(text)
    graph = draw(checked)
    assert len(graph.nodes) == len(checked.graph.hyper_nodes) == count
    assert sum(len(node.lines) for node in graph.nodes) == len(checked.rules)
    check_layout(graph)


def test_negative_edges_and_modules_are_marked() -> None:
    graph = draw(program(RS3))
    by_title = {node.title: at for at, node in enumerate(graph.nodes)}
    p13, p20 = by_title["p14, p13"], next(at for at, node in enumerate(graph.nodes) if "not p13(Y, Z)" in str(node.lines))
    assert graph.edges[p13, p20]
    assert "module" in graph.nodes[by_title["p11 · symmetric-transitive"]].classes


@given(programs())
@settings(max_examples=100)
def test_random_programs(random_program: RandomProgram) -> None:
    checked = program(random_program.text)
    graph = draw(checked)
    assert len(graph.nodes) == len(checked.graph.hyper_nodes)
    check_layout(graph)


def test_difference() -> None:
    graph = draw(program(RS2), program(RS3.replace("r17: p30", "r17: p99")))
    check_layout(graph)
    texts = {text: (style, node.classes) for node in graph.nodes for text, style in node.lines}
    assert texts["r10"][0] == "minus"
    assert texts["r10: p20(X, Y) :- p12(X, Y), not p13(Y, Z)."] == ("plus", ["added"])
    assert texts["r17"] == ("minus", ["removed"])
    assert "touched" in texts["r12: p21(X, Y) :- p20(X, Y)."][1]
    assert "touched" not in texts["r18: p31(X, Y) :- p25(X, Y), p26(Y, Z)."][1]


def test_a_knowledge_base_shows_how_many_facts_there_are() -> None:
    kb = KnowledgeBase("q(X) :- p(X). p(1). p(2).")
    assert "q (2)" in kb.graph()._repr_html_()
    kb.add_rules("o(X) :- q(X), X < 2.")
    assert "o (1)" in kb.graph()._repr_svg_()


@pytest.mark.parametrize("ending", ["svg", "html"])
def test_command(tmp_path: Path, ending: str) -> None:
    (tmp_path / "a.dl").write_text(RS2, encoding="utf-8")
    (tmp_path / "b.dl").write_text(RS3, encoding="utf-8")
    out = tmp_path / f"graph.{ending}"
    result = CliRunner().invoke(app, ["graph", str(tmp_path / "a.dl"), "--diff", str(tmp_path / "b.dl"), "--out", str(out)])
    assert result.exit_code == 0
    assert "14 hyper-nodes" in result.stdout
    assert "<svg" in out.read_text(encoding="utf-8")
    assert CliRunner().invoke(app, ["graph", str(tmp_path / "a.dl"), "--out", "graph.png"]).exit_code == 2
    assert CliRunner().invoke(app, ["graph", str(tmp_path / "a.dl"), "--out", str(tmp_path / "no" / "g.svg")]).exit_code == 1
