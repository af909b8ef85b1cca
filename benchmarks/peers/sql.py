"""Rules as SQL: a SELECT for each rule, over tables with the columns `x` and `y`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.peers.rules import Atom, Rule

COLUMNS = ("x", "y")


def select(rule: Rule, tables: Sequence[str] | None = None) -> str:
    """The rows of the head; `tables` says what each positive atom ranges over where that is not the relation of its name."""
    bound: dict[str, str] = {}
    conditions: list[str] = []
    sources: list[str] = []
    for place, atom in enumerate(rule.positive):
        table = tables[place] if tables else atom.relation
        sources.append(f"{table} AS t{place}")
        for column, variable in zip(COLUMNS, atom.variables, strict=False):
            here = f"t{place}.{column}"
            if variable in bound:
                conditions.append(f"{bound[variable]} = {here}")
            else:
                bound[variable] = here
    conditions += [f"{bound[a]} <> {bound[b]}" for a, b in rule.different]
    conditions += [f"NOT EXISTS (FROM {_matching(atom, bound)})" for atom in rule.negative]
    results = ", ".join(f"{bound[variable]} AS {column}" for column, variable in zip(COLUMNS, rule.head.variables, strict=False))
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT {results} FROM {', '.join(sources)}{where}"


def _matching(atom: Atom, bound: Mapping[str, str]) -> str:
    """The rows of a negated atom that agree with the others; variables found nowhere else stand for any value."""
    columns = zip(COLUMNS, atom.variables, strict=False)
    equal = [f"n.{column} = {bound[variable]}" for column, variable in columns if variable in bound]
    return f"{atom.relation} AS n WHERE {' AND '.join(equal) or 'true'}"


def recursive_count(rules: Sequence[Rule]) -> str:
    """One relation by linear recursion, as one statement: `WITH RECURSIVE … UNION …`, counted."""
    relation = rules[0].head.relation
    first = [select(rule) for rule in rules if relation not in rule.relations_used]
    again = [select(rule) for rule in rules if relation in rule.relations_used]
    query = f"{' UNION ALL '.join(first)} UNION {' UNION '.join(again)}"
    return f"WITH RECURSIVE {relation}({', '.join(COLUMNS)}) AS ({query}) SELECT count(*) FROM {relation}"


def rounds(rules: Sequence[Rule], component: set[str], starts: Mapping[str, int]) -> dict[str, str]:
    """What a semi-naive round derives for each relation of a component.

    One atom ranges over `delta_…`, what the round before brought; those before it over everything, those after it over what was
    known before that: as rows are only appended, the rows of the table before `starts`.
    """
    selects: dict[str, list[str]] = {relation: [] for relation in component}
    for rule in rules:
        for at, atom in enumerate(rule.positive):
            if atom.relation in component and rule.head.relation in component:
                tables = [
                    f"delta_{other.relation}"
                    if place == at
                    else f"(FROM {other.relation} WHERE rowid < {starts[other.relation]})"
                    if place > at and other.relation in component
                    else other.relation
                    for place, other in enumerate(rule.positive)
                ]
                selects[rule.head.relation].append(select(rule, tables))
    return {relation: " UNION ALL ".join(texts) for relation, texts in selects.items() if texts}
