"""A checked program: all errors at once, facts computed, what follows from the rules; and programs from files."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.program.from_text import program

from tidelog.errors import Diagnostics, TidelogError
from tidelog.functions.signatures import ANY
from tidelog.program.modules import ModuleKind
from tidelog.program.program import check, check_document, read_source
from tidelog.source import Source
from tidelog.syntax.parser import parse
from tidelog.values import Kind, from_python


def codes(text: str) -> list[str]:
    with pytest.raises(TidelogError) as caught:
        program(text)
    return [problem.code for problem in caught.value.diagnostics]


def test_what_a_program_holds() -> None:
    found = program("@prefix ex: <http://e/> . base: r(X, Y) :- e(X, Y). r(X, Z) :- r(X, Y), r(Y, Z). e(1, 1 + 1). e(1, 2).")
    assert list(found.relations) == ["r", "e"]
    assert [found.rule_name(at) for at in range(2)] == ["base", "line 1"]
    assert found.facts == (("e", (from_python(1), from_python(2))),)
    assert found.prefixes == {"ex": "http://e/"}
    assert found.printer.predicate("http://e/p") == "ex:p"
    assert [(module.kind, module.relation) for module in found.modules] == [(ModuleKind.TRANSITIVE, "r")]
    assert found.types == {"r": (frozenset({Kind.INT}),) * 2, "e": (frozenset({Kind.INT}),) * 2}
    assert found.graph is found.known_graph
    assert found.warnings == ()


def test_an_empty_program() -> None:
    found = program("")
    assert (found.relations, found.rules, found.facts, found.modules, found.types) == ({}, (), (), (), {})


def test_all_errors_come_at_once_in_the_order_of_their_places() -> None:
    text = "p(X) :- q(Y).\np(1, 2).\n@relation r(a: strng).\nbad(.\ns(X) :- t(X), not s(X).\n"
    assert codes(text) == ["TL030", "TL020", "TL022", "TL001", "TL050"]


def test_a_tree_with_errors_of_the_parser() -> None:
    diagnostics = Diagnostics()
    document = parse(Source("p(a). p(b"), diagnostics)
    with pytest.raises(TidelogError, match="TL005"):
        check_document(document, diagnostics)


def test_warnings_do_not_refuse() -> None:
    found = check(Source("p(X) :- nowhere(X, Y)."))
    assert {warning.code for warning in found.warnings} == {"TL101", "TL102"}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("p(2 * 3).", [6]),
        ('p(cat("a", "b")).', ["ab"]),
        ("@relation p(x: float). p(1).", [1.0]),
        ('p(date("2026-01-01")).', None),
    ],
)
def test_facts_are_computed(text: str, values: list[object] | None) -> None:
    ((name, row),) = program(text).facts
    assert name == "p"
    assert values is None or list(row) == [from_python(value) for value in values]


@pytest.mark.parametrize("text", ["p(1 / 0).", 'p(int("x")).'])
def test_a_fact_without_a_value(text: str) -> None:
    assert codes(text) == ["TL043"]


def test_a_fact_that_cannot_be_computed_has_one_error() -> None:
    """Not a second one for the value that it does not have."""
    assert codes("p(X + 1).") == ["TL034"]
    assert codes("p(nothing(1)).") == ["TL023"]
    assert codes('p("a" + 1).') == ["TL042"]


def test_columns_without_facts_may_hold_anything() -> None:
    assert program("p(X) :- q(X).").types == {"p": (ANY,), "q": (ANY,)}


def test_a_refused_cycle_names_its_rules() -> None:
    with pytest.raises(TidelogError) as caught:
        program("a: p(X) :- e(X), not q(X).\nb: q(X) :- p(X).")
    (problem,) = caught.value.diagnostics
    assert problem.message == "`p` depends on itself through negation of `q`"
    assert problem.notes == (
        "the cycle, each rule using what the next one derives:",
        "  test.dl:1:1: a: p(X) :- e(X), not q(X).",
        "    p needs not q",
        "  test.dl:2:1: b: q(X) :- p(X).",
        "    q needs p",
    )
    assert problem.fix == "derive `q` without `p`"


def test_programs_from_files(tmp_path: Path) -> None:
    path = tmp_path / "rules.dl"
    path.write_bytes(b"\xef\xbb\xbfp(\xc3\xa9).\r\n")
    source = read_source(path)
    assert (source.text, source.name) == ("p(é).\n", str(path))
    with pytest.raises(TidelogError, match="TL060: cannot read"):
        read_source(tmp_path / "missing.dl")
    with pytest.raises(TidelogError, match="TL060: cannot read"):
        read_source(tmp_path)
    path.write_bytes(b"p(\xff).")
    with pytest.raises(TidelogError, match=r"TL061: .*byte 3 cannot be decoded"):
        read_source(path)


def test_the_relation_that_a_name_means() -> None:
    checked = check(Source("@prefix ex: <http://example.org/> . p(X) :- ex:knows(X)."))
    assert checked.relation_name("ex:knows") == "http://example.org/knows"
    assert checked.relation_name("p") == "p"
    assert checked.relation_name("ey:knows") == "ey:knows"


def test_a_path_with_nul() -> None:
    with pytest.raises(TidelogError, match=r"TL060: .* cannot be a path"):
        read_source(Path("a\0b.dl"))
