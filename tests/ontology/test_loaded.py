"""The report on an ontology."""

from __future__ import annotations

from tidelog.changes import Change
from tidelog.ontology.axioms import Import
from tidelog.ontology.loaded import OntologyReport
from tidelog.ontology.rule_maker import OutsideAxiom


def test_the_report() -> None:
    outside, imports = (OutsideAxiom("a", "b"),), (Import("http://a", None), Import("http://b", "b.ttl"))
    report = OntologyReport("a.ttl", 2, 3, outside, imports, Change({}, {}, None))  # type: ignore[arg-type]
    assert str(report) == "a.ttl: 2 rules, 3 assertions, 1 thing outside of OWL 2 RL, 1 import not here"
    assert str(OntologyReport("b", 1000, 0, (), (), report.change)) == "b: 1,000 rules, 0 assertions"
