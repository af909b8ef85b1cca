"""A thesaurus in SKOS: searches that know narrower and related concepts, and conditions that must hold, while it is edited."""

from __future__ import annotations

from pathlib import Path

from tidelog import IRI, KnowledgeBase

HERE = Path(__file__).parent
MUSIC, SKOS = "http://example.org/music#", "http://www.w3.org/2004/02/skos/core#"
DOCUMENTS = {"suites.pdf": "cello", "reels.pdf": "whistle", "caprices.pdf": "violin", "syrinx.pdf": "flute"}


def found(kb: KnowledgeBase, concept: str) -> str:
    """The documents that a search finds."""
    return ", ".join(document for (document,) in sorted(kb.query(f"finds(<{MUSIC}{concept}>, D)"))) or "nothing"


def main() -> None:
    """Search, edit, and search again."""
    kb = KnowledgeBase(HERE / "rules.dl")
    kb.load_rdf(HERE / "thesaurus.ttl")
    kb.update(insert={"about": [(document, IRI(MUSIC + concept)) for document, concept in DOCUMENTS.items()]})
    for concept in ("instrument", "strings", "flute"):
        print(f"{concept}: {found(kb, concept)}")
    print("top:", ", ".join(concept.text.removeprefix(MUSIC) for (concept,) in kb["top"]))
    kb.update_rdf(insert=f"@prefix : <{MUSIC}> . @prefix skos: <{SKOS}> . :wind skos:narrower :whistle .")
    print(f"with the whistle among the wind instruments, wind: {found(kb, 'wind')}")
    change = kb.update_rdf(insert=f"@prefix : <{MUSIC}> . @prefix skos: <{SKOS}> . :flute skos:related :instrument .")
    broken = [f"{name} ({len(change.inserted[name])})" for name in ("clash", "circle") if name in change.inserted]
    print("conditions that do not hold any more:", ", ".join(broken))


if __name__ == "__main__":
    main()
