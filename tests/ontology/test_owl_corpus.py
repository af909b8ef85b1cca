"""The test cases of the W3C for OWL 2 RL, and LUBM: what follows, what does not, what contradicts, and what is out of reach."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.corpus import CORPUS, needs_corpus

from tidelog import IRI, KnowledgeBase, TidelogError, owl_rl_rules

pytest.importorskip("pyoxigraph")
UNIV = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"
LUBM = {"Student": 7790, "Person": 8330, "Professor": 447, "Organization": 1218, "Chair": 15, "Faculty": 540, "Employee": 540}
RESEARCH_ASSISTANTS = 547
"""They work for some ResearchGroup.  As data, that restriction is below the one for some Organization, and they are employees."""

OUT_OF_REACH = {
    "New-Feature-ReflexiveProperty-001": "a reflexive property is outside of OWL 2 RL's rules",
    "WebOnt-I4.6-005-Direct": "an annotation of one class is none of an equivalent one; in the direct semantics nothing is asked",
    "WebOnt-equivalentClass-008-Direct": "as WebOnt-I4.6-005-Direct",
    "WebOnt-I5.8-008": "the values that two datatypes share are those of a third",
}
"""Positive entailments that neither way proves."""
ONLY_AS_DATA = {
    "WebOnt-I4.6-003": "classes that are the same individual",
    "WebOnt-I5.8-006": "the range of a property is a datatype",
}
ONLY_AS_RULES = {
    "chain2trans1",
    "DisjointClasses-001",
    "DisjointClasses-003",
    "New-Feature-DisjointObjectProperties-002",
    "New-Feature-ObjectQCR-002",
    "owl2-rl-rules-fp-differentFrom",
    "owl2-rl-rules-ifp-differentFrom",
    "WebOnt-I5.26-010",
}
"""Beyond the rules of the W3C: what would contradict, and axioms that are tried on new individuals."""

CASES: list[dict[str, Any]] = []
if CORPUS is not None:
    CASES = json.loads((CORPUS / "owl2rl" / "manifest.json").read_text(encoding="utf-8"))


@needs_corpus
def test_there_are_cases() -> None:
    assert len(CASES) == 58
    positive = {case["id"] for case in CASES if (_folder(case) / "conclusion.nt").exists()}
    assert OUT_OF_REACH.keys() | ONLY_AS_DATA.keys() | ONLY_AS_RULES <= positive
    provable = {case["id"] for case in CASES if case.get("provable_by_rl_rules_per_owlrl")}
    assert provable.isdisjoint(OUT_OF_REACH)


def _folder(case: dict[str, Any]) -> Path:
    assert CORPUS is not None
    return CORPUS / "owl2rl" / str(case["folder"])


@needs_corpus
@pytest.mark.parametrize("way", ["rules", "data", "same_as"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_case(case: dict[str, Any], way: str) -> None:
    kb = KnowledgeBase(owl_rl_rules("replace") if way == "data" else "", same_as=way == "same_as")
    folder, name = _folder(case), str(case["id"])
    premise = folder / "premise.nt"
    if premise.exists():
        kb.add_ontology(premise, equality="replace")
    else:
        imports = {"http://www.w3.org/2002/03owlt/imports/imports013": folder / "import0.nt"}
        report = kb.add_ontology(folder / "input.nt", equality="replace", imports=imports)
        assert [one.file for one in report.imports] == [str(folder / "import0.nt")]
    assert ("InconsistencyTest" in case["types"]) == bool(kb.inconsistencies())
    if "PositiveEntailmentTest" in case["types"]:
        others = ONLY_AS_RULES if way == "data" else ONLY_AS_DATA
        assert kb.entails(folder / "conclusion.nt") is (name not in OUT_OF_REACH and name not in others)
    if "NegativeEntailmentTest" in case["types"]:
        assert not kb.entails(folder / "nonconclusion.nt")


@needs_corpus
@pytest.mark.parametrize("way", ["rules", "data"])
def test_lubm(way: str) -> None:
    assert CORPUS is not None
    kb = KnowledgeBase(owl_rl_rules() if way == "data" else "")
    kb.load_rdf(CORPUS / "lubm" / "lubm1.nt.gz")
    report = kb.add_ontology(CORPUS / "lubm" / "univ-bench.nt")
    if way == "rules":
        assert (report.rules, len(report.outside)) == (98, 8)
        counts = {name: kb.count(UNIV + name) for name in LUBM}
        assert counts == LUBM
    else:
        counts = {name: len(kb.query(f"triple(X, rdf:type, <{UNIV}{name}>)")) for name in LUBM}
        assert counts == LUBM | {"Employee": 540 + RESEARCH_ASSISTANTS}
    assert kb.inconsistencies() == []


@needs_corpus
def test_lubm_both_ways() -> None:
    """For individuals, both ways derive the same triples, but for what follows from restrictions that are below each other."""
    assert CORPUS is not None
    files = CORPUS / "lubm" / "lubm1.nt.gz", CORPUS / "lubm" / "univ-bench.nt"
    rules, data = KnowledgeBase(), KnowledgeBase(owl_rl_rules())
    for kb in (rules, data):
        kb.load_rdf(files[0])
        kb.add_ontology(files[1])
    is_type = IRI("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
    found = {
        (fact[1], is_type, IRI(name)) if len(fact) == 2 else (fact[1], IRI(name), fact[2])
        for name in rules.relations
        if name.startswith(UNIV)
        for fact in ((name, *row) for row in rules[name])
    }
    others = {
        row
        for row in data["triple"]
        if (row[2] if row[1] == is_type else row[1]) in {IRI(name) for name in rules.relations if name.startswith(UNIV)}
    }
    assert len(found) == 137_931  # PyPI's `reasonable` 0.4.4 derives the same
    assistants = {row for (row,) in rules[UNIV + "ResearchAssistant"]}
    assert len(assistants) == RESEARCH_ASSISTANTS
    assert others - found == {(who, is_type, IRI(UNIV + "Employee")) for who in assistants}
    assert found <= others


# --- RDF 1.1 Semantics -------------------------------------------------------------------------------------------------------

RDF_CASES: list[dict[str, Any]] = []
if CORPUS is not None:
    RDF_CASES = json.loads((CORPUS / "rdfmt" / "manifest.json").read_text(encoding="utf-8"))
RDF_OUT_OF_REACH = {
    "rdfms-seq-representation-test004": "rdf:_1 is a container membership property: there is one for each number",
    "literal-type": "no rule says which datatype a value has",
    "double-infinity": "INF is a value, and whether a text is one is decided when it is read",
}
"""Positive entailments of RDF and RDFS that do not follow here."""
MORE_THAN_RDFS = {
    "rdfs-domain-and-range-intensionality-range": "OWL concludes ranges of properties from those of their values (scm-rng1)",
    "rdfs-domain-and-range-intensionality-domain": "the same for domains (scm-dom1)",
    "double-zero": "-0.0 and 0.0 are one value in Tidelog",
}
"""What does not follow in RDFS, and does here."""
NO_TRIPLES = "datatypes-non-well-formed-literal"
"""A literal that is not what its datatype says is refused when it is read."""


@needs_corpus
def test_rdf_entailment() -> None:
    """As far as the rules of OWL 2 RL over triples reach: the cases whose answer is about triples."""
    assert CORPUS is not None
    wrong: dict[str, set[str]] = {"missing": set(), "more": set(), "refused": set()}
    for case in RDF_CASES:
        folder = CORPUS / "rdfmt" / str(case["id"])
        kb = KnowledgeBase(owl_rl_rules())
        if case["id"].startswith(NO_TRIPLES):
            with pytest.raises(TidelogError, match="TL080"):
                kb.add_ontology(folder / "action.nt")
            wrong["refused"].add(case["id"])
        elif (folder / "result.nt").exists():
            kb.add_ontology(folder / "action.nt")
            is_positive = case["type"] == "PositiveEntailmentTest"
            if kb.entails(folder / "result.nt") is not is_positive:
                wrong["missing" if is_positive else "more"].add(case["id"])
    assert len(RDF_CASES) == 29
    assert wrong == {
        "missing": set(RDF_OUT_OF_REACH),
        "more": set(MORE_THAN_RDFS),
        "refused": {f"{NO_TRIPLES}-{number}" for number in (1, 2)},
    }
