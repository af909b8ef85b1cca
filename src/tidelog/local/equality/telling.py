"""Relations that get their first facts: from then on, rules rewrite their facts to those of representatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from tidelog.core.schema import Schema
from tidelog.program.changes.live_rules import RuleDifference
from tidelog.program.changes.rule_changes import RuleChange, plan_change
from tidelog.program.relations import Relation
from tidelog.program.same_as import REPRESENTATIVE, is_own, refuse_unstratified, same_as_rules, told_name
from tidelog.syntax.printer import Printer

_IN_FULL = Printer({})
"""Prefixes that come with added rules are not known yet."""


def untold(schema: Schema, arities: Mapping[str, int]) -> list[Relation]:
    """The relations among some that have no such rules yet."""
    known = schema.program.relations
    if REPRESENTATIVE not in known:
        return []
    new = [name for name in arities if not is_own(name) and told_name(name) not in known]
    return [schema.relation(name) or Relation(name, arities[name]) for name in new]


def telling(
    schema: Schema,
    arities: Mapping[str, int],
    change_rules: Callable[[RuleDifference], None],
    has_explicit: Callable[[str], bool],
) -> Schema:
    """The schema with rules for some relations; `change_rules` makes the engine have them."""
    new = untold(schema, arities)
    if not new:
        return schema
    live = schema.live_rules()
    text = same_as_rules(new, schema.program.relations, _IN_FULL)
    planned = plan_change(live, (), [text], schema.loaded)
    assert planned.difference is not None, "there are new rules"
    change_rules(planned.difference)
    return replace(schema, live=live).changed(planned, has_explicit)


def planned_with_rules(schema: Schema, plan: Callable[[list[str]], RuleChange], added: list[str]) -> RuleChange:
    """A change of rules, with such rules for the relations that it mentions first; `plan` plans the addition of some texts."""
    planned = plan(added)
    if planned.difference is None or REPRESENTATIVE not in schema.program.relations:
        return planned
    after = planned.difference.after.program
    refuse_unstratified(after)
    new = untold(schema, {name: known.arity for name, known in after.relations.items()})
    if not new:
        return planned
    known = [after.relations[one.name] for one in new]
    return plan([*added, same_as_rules(known, schema.program.relations, _IN_FULL)])


def arities_of(facts: Iterable[tuple[object, ...]], schema: Schema) -> dict[str, int]:
    """The relations of some facts, with their arities; what is wrong with a fact is reported later."""
    return {
        schema.name_of(fact[0]): len(fact) - 1 for fact in facts if isinstance(fact, tuple) and fact and isinstance(fact[0], str)
    }
