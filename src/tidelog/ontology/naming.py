"""Names of rules, which say what the axiom is about; and axioms as people read them, in the words of the Manchester syntax."""

from __future__ import annotations

import re
from collections.abc import Collection

from tidelog.ontology.axioms import Malformed, OntologyGraph, is_blank
from tidelog.ontology.vocabulary import (
    ALL,
    CARDINALITIES,
    COMPLEMENT,
    HAS_SELF,
    HAS_VALUE,
    INTERSECTION,
    INVERSE,
    ON_CLASS,
    ON_DATA_RANGE,
    ON_PROPERTY,
    ONE_OF,
    SOME,
    UNION,
)
from tidelog.syntax.printer import Printer
from tidelog.values import Kind, Value, text_of

_LONGEST = 60
_DEEPEST = 8
_LAST = re.compile(r"[#/:]")


def local_name(iri: str) -> str:
    """The last part of an IRI, as an identifier can hold it."""
    parts = [part for part in _LAST.split(iri) if part]
    return re.sub(r"\W", "_", parts[-1], flags=re.ASCII) if parts else ""


def name_of(kind: str, *nodes: Value) -> str:
    """`subclass_Chair_Professor`: the kind of axiom, and the IRIs in it."""
    words = [local_name(text_of(node)) for node in nodes if not is_blank(node)]
    return "_".join([kind.replace(" ", "_"), *(word for word in words if word)])[:_LONGEST]


def unused(name: str, taken: Collection[str]) -> str:
    """The name, or, if it is taken, the first of name_2, name_3, … that is not."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found


class Reading:
    """Writes expressions for people."""

    def __init__(self, graph: OntologyGraph, printer: Printer) -> None:
        self._graph, self._printer = graph, printer

    def expression(self, node: Value, depth: int = 0) -> str:
        """A class or property expression, in the words of the Manchester syntax."""
        graph = self._graph
        if not is_blank(node) or depth > _DEEPEST:
            return "…" if is_blank(node) else self._printer.value(node)
        try:
            for predicate, word in ((INTERSECTION, " and "), (UNION, " or ")):
                if parts := graph.objects(node, predicate):
                    return "(" + word.join(self.expression(part, depth + 1) for part in graph.members(parts[0])) + ")"
            if parts := graph.objects(node, ONE_OF):
                return "{" + ", ".join(map(self._printer.value, graph.members(parts[0]))) + "}"
        except Malformed:
            return "…"
        for predicate, word in ((COMPLEMENT, "not"), (INVERSE, "inverse")):
            if parts := graph.objects(node, predicate):
                return f"{word} {self.expression(parts[0], depth + 1)}"
        return self._restriction(node, depth)

    def _restriction(self, node: Value, depth: int) -> str:
        graph = self._graph
        on = graph.objects(node, ON_PROPERTY)
        name = self.expression(on[0], depth + 1) if on else "…"
        for predicate, word in ((SOME, "some"), (ALL, "only"), (HAS_VALUE, "value")):
            if fillers := graph.objects(node, predicate):
                return f"({name} {word} {self.expression(fillers[0], depth + 1)})"
        if graph.objects(node, HAS_SELF):
            return f"({name} Self)"
        for predicate, bound in CARDINALITIES.items():
            if numbers := graph.objects(node, predicate):
                fillers = graph.objects(node, ON_CLASS) + graph.objects(node, ON_DATA_RANGE)
                what = f" {self.expression(fillers[0], depth + 1)}" if fillers else ""
                word = "exactly" if bound == "exact" else bound
                return f"({name} {word} {text_of(numbers[0])}{what})"
        return "…"

    def names(self, nodes: list[Value]) -> str:
        """Several expressions."""
        return ", ".join(self.expression(node) for node in nodes)

    def value(self, value: Value) -> str:
        """An individual or a literal."""
        return "a blank node" if value.kind is Kind.IRI and is_blank(value) else self._printer.value(value)
