"""The part of a knowledge base that concerns ontologies; an engine that can do it overrides these methods."""

# ruff: noqa: ARG002  # the engine that overrides a method uses its arguments
from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING

from tidelog.changes import Change
from tidelog.errors import TidelogError, fail
from tidelog.options import Equality

if TYPE_CHECKING:
    from tidelog.ontology.consistency import Inconsistency
    from tidelog.ontology.loaded import OntologyReport


class Reasoning:
    """Ontologies of OWL 2 RL as rules and facts, questions that are graphs, and contradictions."""

    def add_ontology(
        self,
        source: object,
        *,
        name: str | None = None,
        format: str | None = None,  # noqa: A002
        base: str | None = None,
        equality: Equality = "auto",
        imports: Mapping[str, str | PathLike[str]] | None = None,
        import_root: str | PathLike[str] | None = None,
    ) -> OntologyReport:
        """Add the axioms of a file or graph as rules and its assertions as facts, and derive what follows.

        All of it happens, or nothing.  `name` is what `remove_ontology` takes; without it, that is the path, or the IRI of the
        ontology.  An ontology that is there already is replaced.  `owl:imports` are followed to files beside it, below
        `import_root`, or to those that `imports` gives for an IRI.  `equality` is `auto`, `replace` or `none`.

        If the program has a relation `triple` of three columns, all triples become its facts: its rules read axioms as data.
        """
        raise _missing()

    def remove_ontology(self, name: object) -> Change:
        """Take back the rules and facts of an ontology, except those that were there before, or belong to another one."""
        raise _missing()

    @property
    def ontologies(self) -> list[str]:
        """The names of the ontologies that have been added."""
        raise _missing()

    def entails(self, graph: object, *, format: str | None = None) -> bool:  # noqa: A002
        """Whether everything that a graph says follows: a path, a text of Turtle, a graph, or triples.

        Its blank nodes stand for anything.  Axioms are tried on new individuals.
        """
        raise _missing()

    def inconsistencies(self) -> list[Inconsistency]:
        """The contradictions that rules with the head `inconsistent(rule, about)` find, each with its facts."""
        raise _missing()


def _missing() -> TidelogError:
    fix = 'choose engine="local"; or write the rules to a file with `tidelog ontology`, and give it those'
    return fail("TL074", 'engine="spark" has no such method', fix=fix)
