"""Answers of two engines in one form, so that they can be compared."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from tidelog import KnowledgeBase
from tidelog.sparql.results import SparqlAnswers

_NUMBERS = {"integer", "decimal", "double", "float"}


def judge_of(kb: KnowledgeBase, folder: Path) -> ox.Store:
    """A store with all triples of a knowledge base, explicit and derived."""
    kb.write_rdf(folder / "all.nt")
    store = ox.Store()
    store.load(path=str(folder / "all.nt"), format=ox.RdfFormat.N_TRIPLES)
    return store


def check(kb: KnowledgeBase, judge: ox.Store, query: str) -> int:
    """Compare the answers of both; how many there are."""
    theirs: Any = judge.query(query)
    mine = kb.sparql(query)
    if isinstance(mine, bool):
        assert mine is bool(theirs), query
        return int(mine)
    assert isinstance(mine, SparqlAnswers)
    names = sorted(variable.value for variable in theirs.variables)
    assert sorted(mine.variables) == names, query
    expected = [tuple(_of_oxigraph(solution[name]) for name in names) for solution in theirs]
    bindings = json.loads(mine.to_json())["results"]["bindings"]
    found = [tuple(_canonical(binding.get(name)) for name in names) for binding in bindings]
    assert Counter(found) == Counter(expected), query
    assert "ORDER BY" not in query or found == expected, query
    again = kb.sparql(query)  # which may be answered directly
    assert isinstance(again, SparqlAnswers)
    assert again.variables == mine.variables
    assert Counter(map(repr, again)) == Counter(map(repr, mine)) or "STRUUID" in query, query
    return len(found)


def _canonical(term: dict[str, str] | None) -> object:
    """A term; numbers by value, for some results have another datatype, and blank nodes without their labels."""
    if term is None or term["type"] == "bnode":
        return term and "blank"
    datatype = term.get("datatype", "").rsplit("#", 1)[-1]
    if datatype in _NUMBERS:
        return "number", round(float(term["value"]), 9)
    return term["type"], term["value"], datatype.replace("string", ""), term.get("xml:lang", "")


def _of_oxigraph(term: Any) -> object:
    if term is None or isinstance(term, ox.BlankNode):
        return term and "blank"
    if isinstance(term, ox.NamedNode):
        return _canonical({"type": "uri", "value": term.value})
    if term.language:
        return _canonical({"type": "literal", "value": term.value, "xml:lang": term.language})
    return _canonical({"type": "literal", "value": term.value, "datatype": term.datatype.value})
