"""A knowledge graph: RDF, an ontology, rules in RDFox's language, SPARQL, and changes that are live in a graph of rdflib."""

from __future__ import annotations

import tempfile
from pathlib import Path
from runpy import run_path
from typing import Any

from rdflib import RDF, Graph, Namespace

from tidelog import KnowledgeBase
from tidelog.rdflib_store import TidelogStore

HERE = Path(__file__).parent
DATA = run_path(str(HERE / "data.py"))
PREFIX = f"PREFIX : <{DATA['NAMESPACE']}> "
QUESTIONS = {
    "students": "SELECT (COUNT(?x) AS ?n) { ?x a :Student }",
    "members of the university": "SELECT (COUNT(?x) AS ?n) { :Delos :member ?x }",
    "chairs": "SELECT ?x { ?x a :Chair } ORDER BY ?x",
    "crowded courses": "SELECT ?x ?n { ?x a :CrowdedCourse ; :students ?n } ORDER BY DESC(?n) ?x",
    "advisors who see their students most": (
        "SELECT ?p (COUNT(?c) AS ?n) { ?s :takesFromAdvisor ?c ; :advisor ?p } GROUP BY ?p ORDER BY DESC(?n) ?p LIMIT 2"
    ),
}


def shown(row: tuple[Any, ...]) -> str:
    """An answer without the namespace."""
    return " ".join(str(getattr(term, "text", term)).removeprefix(DATA["NAMESPACE"]) for term in row)


def ask(kb: KnowledgeBase) -> None:
    """Ask all questions."""
    for title, question in QUESTIONS.items():
        answers: Any = kb.sparql(PREFIX + question)
        print(f"{title}: {', '.join(map(shown, answers))}")


def main() -> None:
    """Load, ask, change, ask again."""
    kb = KnowledgeBase(HERE / "rules.dlog")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.ttl"
        path.write_text(DATA["turtle"](), encoding="utf-8")
        print(f"{sum(report.rows for report in kb.load_rdf(path))} triples loaded")
    report = kb.add_ontology(HERE / "university.ttl", name="university")
    print(f"ontology: {report.rules} rules, {len(report.outside)} outside of OWL 2 RL")
    ask(kb)

    print("\na new chair, and a student who is called a lecturer:")
    update = (
        PREFIX
        + "DELETE DATA { :D0.Professor0 :headOf :D0 } ; INSERT DATA { :D0.Professor3 :headOf :D0 . :D1.Student7 a :Lecturer }"
    )
    change = kb.sparql_update(update)
    for verb, facts in (("are", change.inserted), ("are no longer", change.deleted)):
        chairs = ", ".join(shown(row) for row in facts.get(":Chair", ()))
        print(f"{verb} chairs: {chairs}")
    for problem in kb.inconsistencies():
        print(f"contradiction: {problem.rule}: {shown((problem.about,))}")

    print("\nas a graph of rdflib:")
    university, graph = Namespace(DATA["NAMESPACE"]), Graph(store=TidelogStore(kb))
    student = university["D1.Student7"]
    graph.remove((student, None, university.Lecturer))
    graph.commit()
    print("contradictions:", len(kb.inconsistencies()))
    print("is a person:", (student, RDF.type, university.Person) in graph)
    (crowded,) = graph.subjects(RDF.type, university.CrowdedCourse)
    graph.remove((min(graph.subjects(university.takes, crowded)), university.takes, crowded))
    print("crowded courses:", len(list(graph.subjects(RDF.type, university.CrowdedCourse))))
    graph.rollback()
    print("crowded courses again:", len(list(graph.subjects(RDF.type, university.CrowdedCourse))))


if __name__ == "__main__":
    main()
