"""Plans a change of rules in a running knowledge base: parses and checks it against the live rules, or refuses it.

Only new rules are checked, and of the live rules those in the same component, for stratification.  One error tells everything
that is wrong, and nothing has changed then.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tidelog.errors import Diagnostics, did_you_mean
from tidelog.program import hypergraph, relations
from tidelog.program.changes.components import body_of
from tidelog.program.changes.live_rules import LiveRules, RuleDifference, are_same
from tidelog.program.checks import safety
from tidelog.program.checks.declared_columns import coerce_rule
from tidelog.program.checks.type_checks import TypeChecker
from tidelog.program.program import GroundFact, ground, refuse_cycle
from tidelog.program.relations import Relation
from tidelog.source import Source
from tidelog.syntax.parser import parse
from tidelog.syntax.tree import Atom, Declaration, Document, Fact, Port, Rule, Statement, atoms

_NAME = re.compile(r"\s*[^\W\d]\w*\s*")
_MOST_COMPARED = 200
"""Rules that are compared to suggest a similar one."""


@dataclass(slots=True)
class RuleChange:
    """A checked change."""

    difference: RuleDifference | None = None
    """None if no rule changes."""
    insert: list[GroundFact] = field(default_factory=list)
    delete: list[GroundFact] = field(default_factory=list)
    """Facts: clauses without a body."""
    relations: dict[str, Relation] = field(default_factory=dict)
    """Relations that are declared, or have facts, for the first time."""


NO_CHANGE = RuleChange()
"""The empty change."""


def plan_change(live: LiveRules, remove: Iterable[str], add: Iterable[str], others: Mapping[str, Relation]) -> RuleChange:
    """The change that removes rules, by their names or texts, and adds others; or one `TidelogError` with all that is wrong.

    `others` are relations with facts that no rule mentions.
    """
    return _Planner(live, others).plan(remove, add)


class _Planner:
    def __init__(self, live: LiveRules, others: Mapping[str, Relation]) -> None:
        self.live, self.program, self.others = live, live.program, others
        self.printer = live.program.printer
        self.problems = Diagnostics()
        self.change = RuleChange()

    def plan(self, remove: Iterable[str], add: Iterable[str]) -> RuleChange:
        removed: dict[int, None] = {}
        for text in remove:
            removed |= dict.fromkeys(self._meant(text))
        document = Document(tuple(s for text in add for s in self._parsed(text, "<added rules>").statements))
        known = self._relations_of(document)
        rules = [s for s in document.statements if isinstance(s, Rule)]
        self._check(document, rules, known)
        self.problems.raise_errors()
        added: list[tuple[Rule, Rule]] = []
        renamed: dict[int, Rule] = {}
        for rule in rules:
            evaluated = coerce_rule(rule, known)
            same = [number for number in self.live.same_as(evaluated) if number not in renamed]
            replaced = [number for number in same if number in removed]
            if len(replaced) < len(same) or any(are_same(evaluated, other) for _, other in added):
                self._refuse_twice(rule, [number for number in same if number not in removed])
            elif replaced:
                renamed[replaced[0]] = rule
            else:
                added.append((rule, evaluated))
        self._check_rule_names(rules, removed)
        self.problems.raise_errors()
        new = {name: relation for name, relation in known.items() if self.program.relations.get(name) != relation}
        dropped = [number for number in removed if number not in renamed]
        declared = {name for name, relation in new.items() if relation.is_declared}
        if dropped or added or renamed or declared:
            mentioned = {name for _, rule in added for name in (rule.head.predicate, *body_of(rule))}
            taken_up = {name: new[name] for name in new if name in mentioned | declared}
            difference = self.live.changed(dropped, added, renamed, taken_up, document.prefixes)
            self._check_strata(difference)
            self.problems.raise_errors()
            self.change.difference = difference
            new = {name: relation for name, relation in new.items() if name not in taken_up}
        self.change.relations = new
        return self.change

    def _parsed(self, text: str, name: str) -> Document:
        return parse(Source(text, name), self.problems, self.program.prefixes)

    # --- rules to remove -------------------------------------------------------------------------------------------------

    def _meant(self, text: str) -> list[int]:
        """The rules that a name or a text refers to."""
        if _NAME.fullmatch(text):
            name = text.strip()
            if name in self.live.named:
                return [self.live.named[name]]
            fix = did_you_mean(name, self.live.named) or "write the name of a rule, or its text with the final `.`"
            self.problems.add("TL079", f"there is no rule named `{name}`", fix=fix)
            return []
        found: list[int] = []
        for statement in self._parsed(text, "<removed rules>").statements:
            match statement:
                case Rule():
                    found += self._same(statement)
                case Fact():
                    self._remove_fact(statement)
                case Port() | Declaration():
                    self.problems.add("TL079", "only rules and facts can be removed", statement.source, statement.span)
        return found

    def _same(self, rule: Rule) -> list[int]:
        mentioned = {atom.predicate: len(atom.args) for atom in (rule.head, *(atom for atom, _ in atoms(rule.body)))}
        known = self.program.relations
        same: list[int] = []
        if all(name in known and known[name].arity == arity for name, arity in mentioned.items()):
            same = self.live.same_as(coerce_rule(rule, known))
        named = [number for number in same if rule.name is not None and self.live.written[number].name == rule.name]
        if not same:
            message = "there is no such rule"
            self.problems.add("TL079", message, rule.source, rule.span, fix=self._similar(rule))
        return named or same

    def _similar(self, rule: Rule) -> str | None:
        numbers = self.live.components.deriving.get(rule.head.predicate, ())[:_MOST_COMPARED]
        texts = [self.printer.rule(replace(self.live.written[number], name=None)) for number in numbers]
        close = difflib.get_close_matches(self.printer.rule(replace(rule, name=None)), texts, n=1, cutoff=0.0)
        return f"did you mean `{close[0]}`?" if close else did_you_mean(rule.head.predicate, self.live.components.deriving)

    def _remove_fact(self, fact: Fact) -> None:
        relation = self._known(fact.atom.predicate)
        if relation is None or relation.arity != len(fact.atom.args):
            self.problems.add("TL079", "there is no such fact, nor can there be", fact.source, fact.span)
            return
        self._check_facts([fact], {relation.name: relation}, self.change.delete)

    # --- rules to add ----------------------------------------------------------------------------------------------------

    def _known(self, name: str) -> Relation | None:
        return self.program.relations.get(name) or self.others.get(name)

    def _relations_of(self, document: Document) -> dict[str, Relation]:
        """The relations that a text mentions: as known so far, else as the text defines them."""
        problems = self.problems
        found = relations.collect(document, problems, self.printer.predicate)
        for statement in document.statements:
            if isinstance(statement, Port):
                fix = "load the file (`kb.load`); write results with `kb.facts(…).to_csv(…)`"
                message = f"@{statement.direction} cannot come to a knowledge base that is there already"
                problems.add("TL074", message, statement.source, statement.span, fix=fix)
            elif isinstance(statement, Declaration) and (known := self._known(statement.relation)) is not None:
                what = "is declared already" if known.is_declared else "is there already, without a declaration"
                message = f"`{self.printer.predicate(statement.relation)}` {what}"
                problems.add("TL021", message, statement.source, statement.span, fix="declare it from the beginning")
            for atom in relations.mentions(statement) if not isinstance(statement, Declaration) else ():
                self._check_arity(atom, statement)
        for name in found:
            if (known := self._known(name)) is not None:
                found[name] = known
        return found

    def _check_arity(self, atom: Atom, statement: Statement) -> None:
        known = self._known(atom.predicate)
        if known is not None and known.arity != len(atom.args):
            place = self.live.first_mention(atom.predicate)
            here = "1 argument" if len(atom.args) == 1 else f"{len(atom.args)} arguments"
            message = f"`{self.printer.predicate(atom.predicate)}` has {here} here and {known.arity} " + (
                f"at {place}" if place else "elsewhere"
            )
            fix = "a relation has one arity; use another name for one of the two"
            self.problems.add("TL020", message, statement.source, atom.span, fix=fix)

    def _check(self, document: Document, rules: list[Rule], known: dict[str, Relation]) -> None:
        relations.check_declarations(document, self.problems)
        relations.check_names(document, self.problems)
        if self.problems.errors:
            return  # types can be checked only once names and arities are right
        facts = [s for s in document.statements if isinstance(s, Fact)]
        checker = TypeChecker(known, self.problems, self.printer.predicate)
        for rule in rules:
            safety.check_rule(rule, self.problems)
            checker.check_rule(rule)
        self._check_facts(facts, known, self.change.insert)

    def _check_facts(self, facts: list[Fact], known: Mapping[str, Relation], checked: list[GroundFact]) -> None:
        checker = TypeChecker(known, self.problems, self.printer.predicate)
        for fact in facts:
            safety.check_fact(fact, self.problems)
            checker.check_fact(fact)
            checked.append(ground(fact, known, self.problems))

    def _refuse_twice(self, rule: Rule, there: list[int]) -> None:
        message = "this rule is there already"
        if there:
            other = self.live.written[there[0]]
            name = f", as `{other.name}`" if other.name is not None else ""
            message += f"{name}, at {other.source.place(other.span)}"
        self.problems.add("TL078", message, rule.source, rule.span, fix="leave it out")

    def _check_rule_names(self, rules: Iterable[Rule], removed: Mapping[int, None]) -> None:
        for rule in rules:
            number = self.live.named.get(rule.name) if rule.name is not None else None
            if number is not None and number not in removed:
                other = self.live.written[number]
                message = f"another rule is named `{rule.name}` already, at {other.source.place(other.span)}"
                fix = "give this one another name, or remove the other"
                self.problems.add("TL026", message, rule.source, rule.span, fix=fix)

    def _check_strata(self, difference: RuleDifference) -> None:
        """Refuse recursion through negation or an aggregate; only changed components can have it."""
        after = difference.after.components
        for component in difference.components if difference.added else ():
            rules = [after.rules[number] for number in after.rules_of(component)]
            own = set(component.predicates)
            if any(atom.predicate in own and sign != hypergraph.POSITIVE for rule in rules for atom, sign in atoms(rule.body)):
                names = dict.fromkeys(name for rule in rules for name in (rule.head.predicate, *sorted(body_of(rule))))
                for cycle in hypergraph.build(rules, tuple(names)).bad_cycles:
                    refuse_cycle(cycle, rules, self.printer, self.problems)
