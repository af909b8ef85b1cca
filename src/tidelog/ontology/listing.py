"""A translated ontology as a program: prefixes, each axiom as a comment over its rules, assertions, and what is outside."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from tidelog.display.counts import counted
from tidelog.ontology.axioms import OntologyGraph, is_blank
from tidelog.ontology.rule_maker import INCONSISTENT, Translation
from tidelog.ontology.swrl.vocabulary import SWRL, SWRLB, VARIABLE
from tidelog.ontology.vocabulary import TYPE
from tidelog.syntax.clauses import WELL_KNOWN
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Atom, Constant, atoms
from tidelog.values import Kind, Value, text_of

_NAMESPACE = re.compile(r"(.*[#/])[^#/]+")
_WORD = re.compile(r"[a-z][a-z0-9-]*[a-z0-9]|[a-z]")
_WELL_KNOWN = {
    "http://xmlns.com/foaf/0.1/": "foaf",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://www.w3.org/2004/02/skos/core#": "skos",
    "http://schema.org/": "schema",
    "http://purl.obolibrary.org/obo/": "obo",
    "http://www.w3.org/ns/prov#": "prov",
}
_LINE, _MOST_PREFIXES = 120, 50


def prefixes_of(graph: OntologyGraph, given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Prefixes for the classes and properties of an ontology: those that are given, and one for each namespace with several.

    No more than 50 are made; individuals may be in a great many namespaces.
    """
    found = dict(given or {})
    taken = {**WELL_KNOWN, **found}
    counts = Counter(match[1] for iri in _iris(graph) if (match := _NAMESPACE.fullmatch(iri)))
    for namespace, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_PREFIXES]:
        if count < 2 or namespace in taken.values():
            continue
        name = _WELL_KNOWN.get(namespace) or _word_of(namespace)
        number, chosen = 1, name
        while chosen in taken:
            number += 1
            chosen = f"{name}{number}"
        found[chosen] = taken[chosen] = namespace
    return found


def _iris(graph: OntologyGraph) -> Iterator[str]:
    assertions = set(graph.assertions())
    distinct: dict[str, None] = {}
    for triple in graph.triples:
        subject, predicate, value = triple
        distinct[predicate] = None
        nodes = (subject, value) if triple not in assertions else (value,) if predicate == TYPE else ()
        for node in nodes:
            if node.kind is Kind.IRI and not is_blank(node) and VARIABLE not in graph.types(node):
                distinct[text_of(node)] = None
    return (iri for iri in distinct if not iri.startswith((SWRL, SWRLB)))


def _word_of(namespace: str) -> str:
    """`univ-bench` of `http://…/univ-bench.owl#`."""
    parts = [part for part in re.split(r"[/#:]+", namespace.lower().partition(":")[2]) if part]
    words = [match[0] for part in reversed(parts) if (match := _WORD.match(part.removeprefix("www.")))]
    return words[0] if words else "ns"


def listing(translation: Translation, prefixes: Mapping[str, str], source: str) -> str:
    """The text of a program that means the same as the rules and triples of a translation.

    Assertions about blank nodes are not in it: a program has no names for them that would be theirs.
    """
    return "".join(line + "\n" for line in _lines(translation, Printer(prefixes), dict(prefixes), source))


def _lines(translation: Translation, printer: Printer, prefixes: Mapping[str, str], source: str) -> Iterator[str]:
    rules, outside = translation.rules, translation.outside
    others = f"{counted(len(outside), 'thing')} outside of it, listed at the end"
    yield _comment(f"{source}: {counted(len(rules), 'rule')} of OWL 2 RL; {others}")
    for imported in translation.imports:
        yield _comment(f"imports <{imported.iri}>" + (f" from {imported.file}" if imported.file else ", which is not here"))
    if prefixes:
        yield ""
    for name, iri in prefixes.items():
        yield f"@prefix {name}: <{iri}> ."
    relations = {atom.predicate: len(atom.args) for rule in rules for atom in (rule.head, *(a for a, _ in atoms(rule.body)))}
    yield ""
    for name in sorted(relations, key=lambda name: (name == INCONSISTENT, name)):
        yield f"@relation {printer.predicate(name)}({', '.join(_COLUMNS[name == INCONSISTENT, relations[name]])}) ."
    for axiom in translation.axioms:
        if axiom.rules:
            yield ""
            yield _comment(axiom.text)
            yield from (printer.statement(rule) for rule in axiom.rules)
    named = [triple for triple in translation.triples if not (is_blank(triple.subject) or is_blank(triple.object))]
    if translation.triples:
        left_out = len(translation.triples) - len(named)
        yield ""
        yield _comment("Assertions" + (f"; {left_out:,} with blank nodes are left out" if left_out else ""))
    for subject, predicate, value in named:
        yield printer.literal(_atom(subject, predicate, value)) + "."
    if outside:
        yield ""
        yield _comment("Outside of OWL 2 RL, or of what rules can say:")
        for text, reason in dict.fromkeys((_comment(one.text), one.reason) for one in outside):
            yield text
            yield _comment(f"    {reason}")


_COLUMNS = {
    (False, 1): ["individual"],
    (False, 2): ["subject", "object"],
    (True, 2): ["rule", "about"],
}


def _atom(subject: Value, predicate: str, value: Value) -> Atom:
    """The fact of a triple."""
    if predicate == TYPE:
        return Atom(text_of(value), (Constant(subject),))
    return Atom(predicate, (Constant(subject), Constant(value)))


def _comment(text: str) -> str:
    """A text as a comment of one line."""
    text = " ".join(text.split(" ")).translate(_NO_BREAKS)
    return "% " + (text if len(text) <= _LINE else text[: _LINE - 1] + "…")


_NO_BREAKS = {ord(c): " " for c in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"}
