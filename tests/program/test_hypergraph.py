"""Hyper-nodes, components, strata, and refused cycles."""

from __future__ import annotations

import pytest
from tests.program.from_text import program
from tests.rule_sets import RS1, RS2, RS3

from tidelog.errors import TidelogError
from tidelog.program.hypergraph import POSITIVE
from tidelog.program.program import Program
from tidelog.syntax.tree import atoms


def hyper_nodes(checked: Program) -> list[set[str]]:
    return [{checked.rules[at].name or "" for at in node.rules} for node in checked.graph.hyper_nodes]


def test_hyper_nodes_of_the_paper() -> None:
    expected = [
        {"r1"}, {"r2", "r3"}, {"r4"}, {"r5"}, {"r6"}, {"r7", "r8"}, {"r9"}, {"r10"}, {"r11"}, {"r12", "r13", "r14"},
        {"r15"}, {"r16"}, {"r17"}, {"r18"},
    ]  # fmt: skip
    for text in (RS2, RS3):
        found = hyper_nodes(program(text))
        assert len(found) == 14
        assert sorted(map(sorted, found)) == sorted(map(sorted, expected))


def test_hyper_nodes_of_the_wind_farm() -> None:
    checked = program(RS1)
    assert sorted(map(sorted, hyper_nodes(checked))) == [["r1", "r2"], ["r3"], ["r4"], ["r5"], ["r6"]]
    assert checked.graph.strata["hasNeighbour"] == 0
    assert checked.graph.strata["SensorAnomalyWindTurbine"] == 1


@pytest.mark.parametrize("text", [RS1, RS2, RS3])
def test_order_of_evaluation(text: str) -> None:
    """Whatever a rule uses is derived in the same or an earlier hyper-node and component; strictly earlier if negated."""
    checked = program(text)
    node_of = {at: node.number for node in checked.graph.hyper_nodes for at in node.rules}
    component_of = {at: c.number for c in checked.graph.components for at in c.rules}
    edges = (
        (before, after, sign)
        for after, rule in enumerate(checked.rules)
        for atom, sign in atoms(rule.body)
        for before, other in enumerate(checked.rules)
        if other.head.predicate == atom.predicate
    )
    for before, after, sign in edges:
        assert node_of[before] <= node_of[after]
        assert component_of[before] <= component_of[after]
        if sign != POSITIVE:
            assert component_of[before] < component_of[after]
            heads = [checked.graph.strata[checked.rules[at].head.predicate] for at in (before, after)]
            assert heads[0] < heads[1]


def test_components_hold_all_rules_of_their_predicates() -> None:
    checked = program("p(X) :- e(X). p(X) :- q(X). q(X) :- p(X). r(X) :- q(X).")
    shapes = [(c.predicates, c.rules, c.is_recursive) for c in checked.graph.components]
    assert shapes == [(("p", "q"), (0, 1, 2), True), (("r",), (3,), False)]
    assert [node.rules for node in checked.graph.hyper_nodes] == [(0,), (1, 2), (3,)]


def test_strata() -> None:
    checked = program("p(X) :- e(X), not q(X). q(X) :- f(X). r(N) :- N = count { p(_) }. s(X) :- r(X), q(X).")
    assert checked.graph.strata == {"p": 1, "e": 0, "q": 0, "f": 0, "r": 2, "s": 2}


def test_hyper_nodes_come_by_stratum() -> None:
    checked = program("a(X) :- e(X), not f(X). b(X) :- a(X). c(X) :- e(X). d(X) :- c(X), not b(X). g(X) :- f(X).")
    strata = [node.stratum for node in checked.graph.hyper_nodes]
    assert strata == sorted(strata) == [0, 0, 1, 1, 2]


@pytest.mark.parametrize(
    ("text", "code", "names"),
    [
        ("p(X) :- e(X), not p(X).", "TL050", ["p needs not p"]),
        ("a: p(X) :- e(X), not q(X). b: q(X) :- r(X). c: r(X) :- p(X).", "TL050", ["p needs not q", "q needs r", "r needs p"]),
        ("p(N) :- N = count { X : q(X) }. q(X) :- p(X).", "TL051", ["p needs an aggregate of q", "q needs p"]),
        ("p(X) :- e(X), N = count { not p(X), e(Y) }, N > 0.", "TL051", ["p needs an aggregate of p"]),
    ],
)
def test_refused_cycles(text: str, code: str, names: list[str]) -> None:
    with pytest.raises(TidelogError) as caught:
        program(text)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    assert [note.strip() for note in diagnostic.notes if " needs " in note] == names


def test_every_bad_component_is_reported() -> None:
    with pytest.raises(TidelogError) as caught:
        program("p(X) :- e(X), not p(X). q(X) :- e(X), not r(X). r(X) :- q(X).")
    assert [d.code for d in caught.value.diagnostics] == ["TL050", "TL050"]


def test_the_order_does_not_depend_on_the_order_of_rules() -> None:
    forward = program("b(X) :- a(X). c(X) :- b(X). d(X) :- c(X).")
    backward = program("d(X) :- c(X). c(X) :- b(X). b(X) :- a(X).")
    heads = [[p.rules[n.rules[0]].head.predicate for n in p.graph.hyper_nodes] for p in (forward, backward)]
    assert heads == [["b", "c", "d"]] * 2


def test_a_predicate_shared_by_many_rules_costs_no_square() -> None:
    text = "\n".join([f"hub(X) :- in{i}(X). out{i}(X) :- hub(X)." for i in range(3000)])
    checked = program(text)
    assert len(checked.graph.hyper_nodes) == 6000
