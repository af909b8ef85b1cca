"""The part of the local knowledge base that concerns ontologies: axioms as rules, questions that are graphs, contradictions.

What ontologies have brought is kept as facts (`ontology.loaded`), and each change is one update, so it is saved like any other.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tidelog.arguments import shown, wrong
from tidelog.changes import Change
from tidelog.errors import did_you_mean, fail
from tidelog.local.graph_kb import GraphKnowledgeBase
from tidelog.local.reasoning.ownership import Ownership, What
from tidelog.local.triples.triple_rows import TRIPLE, facts_of_quad
from tidelog.options import Equality, refuse
from tidelog.program.checks.declared_columns import coerce_rule
from tidelog.program.explicit import explicit_facts
from tidelog.rdf.exchange import Quad
from tidelog.surface.keywords import naming_options
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Rule, atoms
from tidelog.values import IRI, from_python, string, text_of

if TYPE_CHECKING:
    from tidelog.ontology.axioms import OntologyGraph, Triple
    from tidelog.ontology.consistency import Inconsistency
    from tidelog.ontology.loaded import OntologyReport
    from tidelog.ontology.rule_maker import Translation

Fact = tuple[Any, ...]


class OntologyKnowledgeBase(GraphKnowledgeBase):
    """A knowledge base that takes ontologies; `LocalKnowledgeBase` is one."""

    @naming_options
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
        """As `Reasoning` says."""
        from tidelog.ontology.axioms import read_ontology
        from tidelog.ontology.listing import prefixes_of
        from tidelog.ontology.loaded import ONTOLOGIES, RULES, TRIPLES, OntologyReport

        refuse(equality=equality)
        if name is not None and not isinstance(name, str):
            raise wrong("the name of an ontology", name, 'give a text: `name="zoo"`')
        with self._sharing:
            graph = read_ontology(source, format, base=base, root=import_root, imports=imports)
            name = _name_of(source if name is None else name) or graph.name or "ontology"
            prefixes = prefixes_of(graph, self.program.prefixes)
            translated = self._translated(graph, equality, prefixes)
            engine = self._maintained()
            rules, triples = Ownership(engine, RULES, name), Ownership(engine, TRIPLES, name)
            own_rules, new_rules = self._rules_to_add(translated.rules, rules)
            own_triples, new_facts = self._triples_to_add(translated.triples, triples)
            inserted: list[Fact] = [(ONTOLOGIES, name), *((RULES, name, *what) for what in own_rules)]
            inserted += [(TRIPLES, name, *what) for what in own_triples]
            deleted: list[Fact] = [(RULES, name, *what) for what in rules.stale(own_rules)]
            deleted += [(TRIPLES, name, *what) for what in triples.stale(own_triples)]
            deleted += self._facts_of_triples(triples.gone(own_triples))
            added = [_text_of(new_rules, prefixes, self.program.prefixes)] if new_rules else []
            change = self._update([*inserted, *new_facts], deleted, (), self._live(rules.gone(own_rules)), added)
        self._deliver()
        counts = len(translated.rules), len(translated.triples)
        return OntologyReport(name, *counts, tuple(translated.outside), tuple(translated.imports), change)

    def remove_ontology(self, name: object) -> Change:
        """As `Reasoning` says."""
        from tidelog.ontology.loaded import ONTOLOGIES, RULES, TRIPLES

        with self._sharing:
            wanted = _name_of(name)
            if wanted is None:
                raise wrong("the name of an ontology", name, "give the path or name that it was added with")
            there = self._names_of_ontologies()
            if wanted not in there:
                fix = did_you_mean(wanted, there) or "`kb.ontologies` has their names"
                raise fail("TL097", f"no ontology {shown(wanted)} has been added", fix=fix)
            engine = self._maintained()
            rules, triples = Ownership(engine, RULES, wanted), Ownership(engine, TRIPLES, wanted)
            deleted: list[Fact] = [(ONTOLOGIES, wanted), *((RULES, wanted, *what) for what in rules.stale())]
            deleted += [(TRIPLES, wanted, *what) for what in triples.stale()]
            deleted += self._facts_of_triples(triples.gone())
            change = self._update((), deleted, (), self._live(rules.gone()), [])
        self._deliver()
        return change

    @property
    def ontologies(self) -> list[str]:
        """The names of the ontologies that have been added."""
        with self._sharing:
            return self._names_of_ontologies()

    # --- what an ontology brings -----------------------------------------------------------------------------------------

    def _translated(self, graph: OntologyGraph, equality: Equality, prefixes: Mapping[str, str]) -> Translation:
        """The rules and triples of an ontology; triples alone if rules of the program read them."""
        from tidelog.ontology.swrl.over_triples import over_triples
        from tidelog.ontology.translation import translate

        taken = {rule.name: rule for rule in self.program.rules if rule.name is not None}
        if self.rdf_shape().triples:
            return over_triples(graph, Printer(prefixes), taken)
        arities = {name: relation.arity for name, relation in self.relations.items()}
        same_as = self._has_same_as
        return translate(graph, Printer(prefixes), equality=equality, arities=arities, taken=taken, same_as=same_as)

    def _rules_to_add(self, rules: Iterable[Rule], owned: Ownership) -> tuple[list[What], list[Rule]]:
        """The rules that belong to an ontology, by name, and those of them that are not there yet."""
        own: list[What] = []
        new: list[Rule] = []
        there: list[What] = []
        live, known = self._schema.live_rules(), self.program.relations
        for rule in rules:
            mentioned = (rule.head, *(atom for atom, _ in atoms(rule.body)))
            is_known = all(atom.predicate in known and known[atom.predicate].arity == len(atom.args) for atom in mentioned)
            same = live.same_as(coerce_rule(rule, known)) if is_known else []
            if same:
                there += [(string(live.written[number].name or ""),) for number in same]
            else:
                new.append(rule)
                own.append((string(rule.name or ""),))
        are_owned = owned.are_owned(there)
        return [*own, *(what for what, is_owned in zip(there, are_owned, strict=True) if is_owned)], new

    def _triples_to_add(self, triples: Iterable[Triple], owned: Ownership) -> tuple[list[What], list[Fact]]:
        """The triples that belong to an ontology, and those of their facts that are not explicit yet."""
        found = [(triple.subject, from_python(IRI(triple.predicate)), triple.object) for triple in triples]
        facts = [self._facts_of_triples([what]) for what in found]
        are_new = iter(~self._are_explicit([fact for some in facts for fact in some]))
        own: list[What] = []
        new: list[Fact] = []
        for what, some, is_owned in zip(found, facts, owned.are_owned(found), strict=True):
            missing = [fact for fact in some if next(are_new)]
            if missing or is_owned:
                own.append(what)
                new += missing
        return own, new

    def _facts_of_triples(self, triples: Iterable[What]) -> list[Fact]:
        shape = self.rdf_shape()
        return [fact for triple in triples for fact in facts_of_quad(Quad(*triple), shape, self._schema)]

    def _are_explicit(self, facts: list[Fact]) -> NDArray[np.bool_]:
        """For each fact whether it is explicit."""
        engine, by_name = self._maintained(), dict[str, list[int]]()
        checked = explicit_facts(self.program, facts, self._schema.name_of)
        for at, (name, _) in enumerate(checked):
            by_name.setdefault(name, []).append(at)
        result = np.zeros(len(facts), np.bool_)
        for name, places in by_name.items():
            ids = engine.dictionary.encode([value for at in places for value in checked[at][1]])
            result[places] = engine.are_explicit(name, ids.reshape(len(places), -1))
        return result

    def _live(self, rules: Iterable[What]) -> list[str]:
        """The names of rules that have not been removed meanwhile."""
        names = {rule.name for rule in self.program.rules}
        return [name for (value,) in rules if (name := text_of(value)) in names]

    def _names_of_ontologies(self) -> list[str]:
        from tidelog.ontology.loaded import ONTOLOGIES

        engine = self._maintained()
        rows = engine.explicit_rows(engine.core.explicit_name(ONTOLOGIES))
        return [] if rows is None else sorted(text_of(name) for name in engine.dictionary.values_of(rows[:, 0]))

    @abstractmethod
    def _update(
        self,
        insert: Any,
        delete: Any,
        upsert: Any,
        remove_rules: str | Iterable[str],
        add_rules: str | Iterable[str],
        *,
        update_id: str | int | None = None,
    ) -> Change:
        """`update` without waiting for another writer, and without telling anybody."""

    # --- questions -------------------------------------------------------------------------------------------------------

    @naming_options
    def entails(self, graph: object, *, format: str | None = None) -> bool:  # noqa: A002
        """As `Reasoning` says."""
        from tidelog.ontology.axioms import graph_of
        from tidelog.ontology.entailment import Questions

        return Questions(self, graph_of(graph, format), triples=TRIPLE if self.rdf_shape().triples else None).hold()

    def inconsistencies(self) -> list[Inconsistency]:
        """As `Reasoning` says."""
        from tidelog.ontology.consistency import described, inconsistency_of, is_contradiction, name_in, question_of
        from tidelog.ontology.rule_maker import INCONSISTENT

        found: dict[Inconsistency, None] = {}
        known = self._schema.relation(INCONSISTENT)
        left = dict.fromkeys(self[INCONSISTENT]) if known is not None and known.arity == 2 else {}
        names = {str(name) for name, _ in left}
        for rule in self.program.rules if left else ():
            if not is_contradiction(rule) or name_in(rule) not in {*names, None}:
                continue
            text, parts = question_of(rule, self.program.printer)
            answers = self.query(text)
            for row in answers:
                one = inconsistency_of(rule, parts, dict(zip(answers.columns, row, strict=True)), self.program)
                found[one] = None
                left.pop((one.rule, one.about), None)
        for name, about in left:
            found[described(str(name), about, (), self.program)] = None
        return sorted(found, key=lambda one: one.text)


def _name_of(source: object) -> str | None:
    """The name of an ontology: a path or a text; None for a graph."""
    return str(source) if isinstance(source, str | PathLike) else None


def _text_of(rules: Iterable[Rule], prefixes: Mapping[str, str], known: Mapping[str, str]) -> str:
    """Rules as a text, with the prefixes of the ontology that the program does not know yet; then it will."""
    printer = Printer(prefixes)
    lines = [f"@prefix {name}: <{iri}> ." for name, iri in prefixes.items() if name not in known]
    return "\n".join([*lines, *map(printer.statement, rules)])
