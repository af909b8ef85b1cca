"""A checked program, and all checks in their order: `check` is the entry point of the package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tidelog.arguments import path_of
from tidelog.display.html import code
from tidelog.errors import Diagnostic, Diagnostics, fail
from tidelog.functions.evaluate import evaluate
from tidelog.functions.signatures import FUNCTIONS, Type
from tidelog.program import hypergraph, relations
from tidelog.program.checks import lint, safety, types
from tidelog.program.checks.declared_columns import coerce_rule, coerce_value
from tidelog.program.checks.type_checks import TypeChecker
from tidelog.program.hypergraph import BadCycle, HyperGraph
from tidelog.program.modules import Module, find_modules
from tidelog.program.relations import Relation
from tidelog.source import Source
from tidelog.syntax.parser import parse
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Call, Constant, Document, Fact, Port, Rule, Term, atoms
from tidelog.values import Value

GroundFact = tuple[str, tuple[Value, ...]]


@dataclass(frozen=True)
class Program:
    """Rules and facts that passed every check."""

    document: Document
    relations: dict[str, Relation]
    rules: tuple[Rule, ...]
    facts: tuple[GroundFact, ...]
    prefixes: dict[str, str]
    warnings: tuple[Diagnostic, ...] = ()
    known_graph: HyperGraph | None = field(default=None, repr=False, compare=False)

    @cached_property
    def graph(self) -> HyperGraph:
        """The dependency graph, built on first use."""
        return self.known_graph or hypergraph.build(self.rules, tuple(self.relations))

    @cached_property
    def modules(self) -> tuple[Module, ...]:
        """The transitive relations that a closure evaluates."""
        return find_modules(self.rules, self.graph)

    @cached_property
    def types(self) -> dict[str, tuple[Type, ...]]:
        """For each relation the kinds of its columns, declared or inferred."""
        return types.infer(self.relations, self.rules, self.facts, self.graph)

    @cached_property
    def inputs(self) -> dict[str, list[str]]:
        """The files that `@input` names, by relation; the program may not mention the relation otherwise."""
        found: dict[str, list[str]] = {
            name: list(relation.inputs) for name, relation in self.relations.items() if relation.inputs
        }
        for port in self.document.statements:
            if isinstance(port, Port) and port.direction == "input" and port.relation not in self.relations:
                found.setdefault(port.relation, []).append(port.path)
        return found

    @cached_property
    def printer(self) -> Printer:
        """Prints with the prefixes of this program."""
        return Printer(self.prefixes)

    def __repr__(self) -> str:
        counts = {"rule": len(self.rules), "fact": len(self.facts), "relation": len(self.relations)}
        counted = ", ".join(f"{count:,} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items())
        return f"<Program {self.document.source.name}: {counted}>"

    def __str__(self) -> str:
        """The program as a text, in canonical form."""
        return self.printer.document(self.document)

    def _repr_html_(self) -> str:
        return code(str(self).splitlines())

    def relation_name(self, given: str) -> str:
        """The name of the relation that a name from outside of rules means: `ex:knows` and `<http://…>` as in rules."""
        if given in self.relations or (":" not in given and not given.startswith("<")):
            return given
        return self.printer.expanded(given)

    def rule_name(self, at: int) -> str:
        """The name of a rule, or its line in the text."""
        rule = self.rules[at]
        return rule.name or f"line {rule.source.line_of(rule.span.start)}"


def check(source: Source) -> Program:
    """The program in a text, or one `TidelogError` with everything that is wrong in it."""
    diagnostics = Diagnostics()
    document = parse(source, diagnostics)
    return check_document(document, diagnostics)


def check_document(document: Document, diagnostics: Diagnostics) -> Program:
    """The program of a syntax tree; `diagnostics` holds the errors found while parsing."""
    rules = tuple(s for s in document.statements if isinstance(s, Rule))
    facts = tuple(s for s in document.statements if isinstance(s, Fact))
    printer = Printer(document.prefixes)
    known = relations.collect(document, diagnostics, printer.predicate)
    relations.check_declarations(document, diagnostics)
    relations.check_names(document, diagnostics)
    checker = TypeChecker(known, diagnostics, printer.predicate)
    for fact in facts:
        safety.check_fact(fact, diagnostics)
        checker.check_fact(fact)
    for rule in rules:
        safety.check_rule(rule, diagnostics)
        checker.check_rule(rule)
    graph = hypergraph.build(rules, tuple(known))
    for cycle in graph.bad_cycles:
        refuse_cycle(cycle, rules, printer, diagnostics)
    facts_of_it = tuple(dict.fromkeys(ground(fact, known, diagnostics) for fact in facts))
    diagnostics.raise_errors()
    lint.warn(rules, known, diagnostics, printer.predicate)
    return Program(
        document,
        known,
        tuple(coerce_rule(rule, known) for rule in rules),
        facts_of_it,
        document.prefixes,
        tuple(diagnostics.warnings),
        graph,
    )


def ground(fact: Fact, known: Mapping[str, Relation], diagnostics: Diagnostics) -> GroundFact:
    """The fact with its expressions computed."""
    relation = known[fact.atom.predicate]
    values: list[Value] = []
    for position, arg in enumerate(fact.atom.args):
        if not _can_be_computed(arg):
            continue  # another check has reported it
        value = evaluate(arg, {})
        if value is None:
            diagnostics.add("TL043", "this expression has no value, so there is no such fact", fact.source, arg.span)
        else:
            values.append(coerce_value(value, relation.declared_type(position)))
    return fact.atom.predicate, tuple(values)


def _can_be_computed(term: Term) -> bool:
    """Whether every function of a term exists and can work on its arguments, and nothing in it is a variable."""
    if isinstance(term, Call):
        function = FUNCTIONS.get(term.function)
        fits = function is not None and function.takes(len(term.args)) and bool(types.type_of(term, {}))
        return fits and all(_can_be_computed(arg) for arg in term.args)
    return isinstance(term, Constant)


def refuse_cycle(cycle: BadCycle, rules: Sequence[Rule], printer: Printer, diagnostics: Diagnostics) -> None:
    """Report a recursion through negation or an aggregate, rule by rule."""
    first = rules[cycle.rules[0]]
    code, how = ("TL050", "negation") if cycle.kind == hypergraph.NEGATIVE else ("TL051", "an aggregate")
    head, used = printer.predicate(first.head.predicate), printer.predicate(cycle.uses[0])
    notes = ["the cycle, each rule using what the next one derives:"]
    for place, (at, uses) in enumerate(zip(cycle.rules, cycle.uses, strict=True)):
        rule = rules[at]
        shown = printer.rule(rule)
        notes.append(f"  {rule.source.place(rule.span)}: {shown if len(shown) <= _LONGEST else shown[:_LONGEST] + '...'}")
        signs = {sign for atom, sign in atoms(rule.body) if atom.predicate == uses} if place else {cycle.kind}
        sign = "" if hypergraph.POSITIVE in signs else _SIGNS[min(signs)]
        notes.append(f"    {printer.predicate(rule.head.predicate)} needs {sign}{printer.predicate(uses)}")
    fix = f"derive `{used}` without `{head}`"
    if used == head:
        fix = f"let the rule use another relation than `{head}` there, one that does not depend on it"
    message = f"`{head}` depends on itself through {how} of `{used}`"
    diagnostics.add(code, message, first.source, first.span, notes=notes, fix=fix)


_SIGNS = {hypergraph.NEGATIVE: "not ", hypergraph.AGGREGATE: "an aggregate of "}
_LONGEST = 160


def read_source(path: Path, fix: str | None = None) -> Source:
    """The text of a program file; one that ends with `.dlog` is in RDFox's language."""
    try:
        data = path_of(path).read_bytes()
    except OSError as error:
        raise fail("TL060", f"cannot read {path}: {error.strerror or error}", fix=fix) from error
    try:
        return Source(data.decode("utf-8-sig"), str(path), language="dlog" if path.suffix == ".dlog" else "tidelog")
    except UnicodeDecodeError as error:
        place = f"byte {error.start + 1}"
        raise fail("TL061", f"{path} is not UTF-8 text: {place} cannot be decoded", fix="save the file as UTF-8") from error
