"""The fourteen queries of LUBM (Guo, Pan, Heflin, "LUBM: A benchmark for OWL knowledge base systems", 2005), with their answers.

The counts are those that are published for LUBM(1), seed 0, under the univ-bench ontology.
"""

from __future__ import annotations

from typing import NamedTuple

_PREFIXES = (
    "PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> PREFIX ub: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#> "
)
_DEPARTMENT, _UNIVERSITY = "<http://www.Department0.University0.edu>", "<http://www.University0.edu>"


class LubmQuery(NamedTuple):
    """A query and how many answers it has."""

    name: str
    text: str
    answers: int


def _query(name: str, variables: str, pattern: str, answers: int) -> LubmQuery:
    return LubmQuery(name, f"{_PREFIXES}SELECT {variables} WHERE {{ {pattern} }}", answers)


QUERIES = (
    _query(
        "Q1",
        "?X",
        "?X rdf:type ub:GraduateStudent . ?X ub:takesCourse <http://www.Department0.University0.edu/GraduateCourse0>",
        4,
    ),
    _query(
        "Q2",
        "?X ?Y ?Z",
        "?X rdf:type ub:GraduateStudent . ?Y rdf:type ub:University . ?Z rdf:type ub:Department . ?X ub:memberOf ?Z . "
        "?Z ub:subOrganizationOf ?Y . ?X ub:undergraduateDegreeFrom ?Y",
        0,
    ),
    _query(
        "Q3",
        "?X",
        "?X rdf:type ub:Publication . ?X ub:publicationAuthor <http://www.Department0.University0.edu/AssistantProfessor0>",
        6,
    ),
    _query(
        "Q4",
        "?X ?Y1 ?Y2 ?Y3",
        f"?X rdf:type ub:Professor . ?X ub:worksFor {_DEPARTMENT} . "
        "?X ub:name ?Y1 . ?X ub:emailAddress ?Y2 . ?X ub:telephone ?Y3",
        34,
    ),
    _query("Q5", "?X", f"?X rdf:type ub:Person . ?X ub:memberOf {_DEPARTMENT}", 719),
    _query("Q6", "?X", "?X rdf:type ub:Student", 7790),
    _query(
        "Q7",
        "?X ?Y",
        "?X rdf:type ub:Student . ?Y rdf:type ub:Course . ?X ub:takesCourse ?Y . "
        "<http://www.Department0.University0.edu/AssociateProfessor0> ub:teacherOf ?Y",
        67,
    ),
    _query(
        "Q8",
        "?X ?Y ?Z",
        "?X rdf:type ub:Student . ?Y rdf:type ub:Department . ?X ub:memberOf ?Y . "
        f"?Y ub:subOrganizationOf {_UNIVERSITY} . ?X ub:emailAddress ?Z",
        7790,
    ),
    _query(
        "Q9",
        "?X ?Y ?Z",
        "?X rdf:type ub:Student . ?Y rdf:type ub:Faculty . ?Z rdf:type ub:Course . ?X ub:advisor ?Y . ?Y ub:teacherOf ?Z . "
        "?X ub:takesCourse ?Z",
        208,
    ),
    _query(
        "Q10",
        "?X",
        "?X rdf:type ub:Student . ?X ub:takesCourse <http://www.Department0.University0.edu/GraduateCourse0>",
        4,
    ),
    _query("Q11", "?X", f"?X rdf:type ub:ResearchGroup . ?X ub:subOrganizationOf {_UNIVERSITY}", 224),
    _query(
        "Q12",
        "?X ?Y",
        f"?X rdf:type ub:Chair . ?Y rdf:type ub:Department . ?X ub:worksFor ?Y . ?Y ub:subOrganizationOf {_UNIVERSITY}",
        15,
    ),
    _query("Q13", "?X", f"?X rdf:type ub:Person . {_UNIVERSITY} ub:hasAlumnus ?X", 1),
    _query("Q14", "?X", "?X rdf:type ub:UndergraduateStudent", 5916),
)
