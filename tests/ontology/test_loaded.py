"""To whom rules and triples belong."""

from __future__ import annotations

from tidelog.changes import Change
from tidelog.ontology.axioms import Import
from tidelog.ontology.loaded import OntologyReport, Ownership
from tidelog.ontology.rule_maker import OutsideAxiom
from tidelog.values import from_python


def test_ownership() -> None:
    rows = [("one", "r"), ("two", "r"), ("one", "s"), ("one", 1), ("two", True)]
    owned = Ownership.of([tuple(map(from_python, row)) for row in rows])
    r, s, number, truth = ((from_python(thing),) for thing in ("r", "s", 1, True))
    assert owned.of_one("one") == [r, s, number]
    assert owned.only_of("one") == [s, number]
    assert owned.only_of("two") == [truth]
    assert owned.of_one("three") == []


def test_the_report() -> None:
    outside, imports = (OutsideAxiom("a", "b"),), (Import("http://a", None), Import("http://b", "b.ttl"))
    report = OntologyReport("a.ttl", 2, 3, outside, imports, Change({}, {}, None))  # type: ignore[arg-type]
    assert str(report) == "a.ttl: 2 rules, 3 assertions, 1 things outside of OWL 2 RL, 1 imports that are not here"
    assert str(OntologyReport("b", 1000, 0, (), (), report.change)) == "b: 1,000 rules, 0 assertions"
