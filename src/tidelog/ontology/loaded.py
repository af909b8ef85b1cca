"""What the ontologies of a knowledge base have brought, as facts of the knowledge base itself, so that these are saved with it.

A rule or fact belongs to an ontology if it was not there before any ontology that has it came.  It goes with the last ontology
that it belongs to.  What was there before belongs to nobody, and stays.
"""

from __future__ import annotations

from dataclasses import dataclass

from tidelog.changes import Change
from tidelog.display.counts import counted
from tidelog.ontology.axioms import Import
from tidelog.ontology.rule_maker import OutsideAxiom

ONTOLOGIES, RULES, TRIPLES = "tidelog_ontology", "tidelog_ontology_rule", "tidelog_ontology_triple"
"""Relations of the names of ontologies, of the names of their rules, and of their triples."""
ACCOUNT = frozenset({ONTOLOGIES, RULES, TRIPLES})


@dataclass(frozen=True, slots=True)
class OntologyReport:
    """What adding an ontology did."""

    name: str
    rules: int
    """The number of its rules, those that were there already included."""
    triples: int
    """The number of its assertions."""
    outside: tuple[OutsideAxiom, ...]
    """Axioms, or parts of them, that are outside of OWL 2 RL, each with the reason."""
    imports: tuple[Import, ...]
    change: Change

    def __str__(self) -> str:
        missing = sum(1 for one in self.imports if one.file is None)
        parts = [counted(self.rules, "rule"), counted(self.triples, "assertion")]
        parts += [f"{counted(len(self.outside), 'thing')} outside of OWL 2 RL"] if self.outside else []
        parts += [f"{counted(missing, 'import')} not here"] if missing else []
        return f"{self.name}: {', '.join(parts)}"
