"""The names of OWL."""

from __future__ import annotations

from tidelog.ontology import vocabulary as owl
from tidelog.values import XSD


def test_names() -> None:
    assert owl.TARGET_VALUE == "http://www.w3.org/2002/07/owl#targetValue"
    assert owl.SUB_CLASS == "http://www.w3.org/2000/01/rdf-schema#subClassOf"
    assert set(owl.CARDINALITIES.values()) == {"min", "max", "exact"}
    assert owl.CARDINALITIES[owl.OWL + "qualifiedCardinality"] == "exact"
    assert owl.AXIOMS.isdisjoint(owl.STRUCTURE)
    assert owl.DECLARATIONS.isdisjoint(owl.CHARACTERISTICS)


def test_datatypes() -> None:
    assert [owl.is_datatype(name) for name in (XSD + "int", owl.RDFS + "Literal", owl.OWL + "real", owl.OWL + "Thing")] == [
        True,
        True,
        True,
        False,
    ]
