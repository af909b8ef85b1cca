"""An ontology as rules: what follows from it, what contradicts it, and what is left when it goes.

`examples/ontology` has the ontology of a zoo, and animals.  From the command line: `tidelog ontology examples/ontology/zoo.ttl`.
"""

from __future__ import annotations

from pathlib import Path

from tidelog import KnowledgeBase

FOLDER = Path(__file__).parent / "ontology"
PREFIX = "@prefix : <http://example.org/zoo#> . "


def show(kb: KnowledgeBase, *relations: str) -> None:
    """Print the facts of relations, with short names."""
    for name in relations:
        facts = sorted(" ".join(value.text.rpartition("#")[2] for value in fact) for fact in kb[f"zoo:{name}"])
        print(f"  {name}: {', '.join(facts)}")


def main() -> None:
    """Add an ontology, ask, contradict it, and remove it."""
    kb = KnowledgeBase("@prefix zoo: <http://example.org/zoo#> .\nmeal(X) :- zoo:eats(_, X).")
    kb.load_rdf(FOLDER / "animals.ttl")
    report = kb.add_ontology(FOLDER / "zoo.ttl")
    print(f"{report.rules} rules, {report.triples} assertions; outside of OWL 2 RL:")
    for one in report.outside:
        print(f"  {one}")
    show(kb, "Carnivore", "livesIn", "keeperOf")
    print("the same:", kb.entails(f"{PREFIX} @prefix owl: <http://www.w3.org/2002/07/owl#> . :leo owl:sameAs :simba ."))
    change = kb.update_rdf(insert=f"{PREFIX} :rex a :Plant .")
    print(f"{len(change.inserted['inconsistent'])} contradiction:")
    print(*kb.inconsistencies())
    kb.update_rdf(delete=f"{PREFIX} :rex a :Plant .")
    kb.remove_ontology(FOLDER / "zoo.ttl")
    print(f"without it: {len(kb.program.rules)} rule")


if __name__ == "__main__":
    main()
