"""What a program is, as text: relations, strata, hyper-nodes, modules."""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.facts import aligned
from tidelog.functions.signatures import ANY, type_name
from tidelog.program.modules import Module, ModuleKind
from tidelog.program.program import Program
from tidelog.program.relations import Relation


def describe(program: Program) -> Iterator[str]:
    """The lines of `tidelog check`."""
    graph = program.graph
    strata = len(set(graph.strata.values())) if program.rules else 0
    parts = [
        _count(len(program.rules), "rule"),
        _count(len(program.facts), "fact"),
        _count(len(program.relations), "relation"),
        _count(strata, "stratum", "strata"),
        _count(len(graph.hyper_nodes), "hyper-node"),
    ]
    yield f"{program.document.source.name}: {', '.join(parts)}"
    if program.relations:
        yield ""
        rows = [_relation(relation, program) for relation in program.relations.values()]
        yield from aligned((("relation", "arity", "columns", "facts", "stratum"), *rows))
    if graph.hyper_nodes:
        yield ""
        yield from aligned((("hyper-node", "stratum", "derives", "rules", "notes"), *_hyper_nodes(program)))
    if program.modules:
        yield ""
        modules = (_module(module, program) for module in program.modules)
        yield from aligned((("module", "kind", "rules", "meaning"), *modules))


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _relation(relation: Relation, program: Program) -> tuple[str, ...]:
    columns: list[str] = []
    for at, kinds in enumerate(program.types[relation.name]):
        kind = type_name(kinds) if kinds else "empty"
        if relation.columns is not None:
            column = relation.columns[at]
            columns.append(f"{column.name}: {kind}{' key' if column.is_key else ''}")
        else:
            columns.append(kind)
    from_outside = relation.has_facts or relation.inputs or not relation.has_rules
    origin = " and ".join(word for word, holds in (("explicit", bool(from_outside)), ("derived", relation.has_rules)) if holds)
    declared = "" if relation.is_declared or all(kinds == ANY for kinds in program.types[relation.name]) else "  (inferred)"
    name = program.printer.predicate(relation.name)
    return name, str(relation.arity), ", ".join(columns) + declared, origin, str(program.graph.strata[relation.name])


def _hyper_nodes(program: Program) -> Iterator[tuple[str, ...]]:
    module_of = {at: module for module in program.modules for at in module.rules}
    for node in program.graph.hyper_nodes:
        heads = dict.fromkeys(program.printer.predicate(program.rules[at].head.predicate) for at in node.rules)
        rules = ", ".join(program.rule_name(at) for at in node.rules)
        modules = dict.fromkeys(module_of[at] for at in node.rules if at in module_of)
        notes = ["recursive"] if node.is_recursive else []
        notes += [f"{m.kind} module of {program.printer.predicate(m.relation)}" for m in modules]
        yield str(node.number + 1), str(node.stratum), ", ".join(heads), rules, "; ".join(notes)


def _module(module: Module, program: Program) -> tuple[str, ...]:
    name = program.printer.predicate(module.relation)
    match module.kind:
        case ModuleKind.TRANSITIVE:
            meaning = f"transitive closure of the other facts of {name}"
        case ModuleKind.SYMMETRIC_TRANSITIVE:
            meaning = f"connected components of the other facts of {name}"
        case ModuleKind.LINEAR:
            edge = program.printer.predicate(module.edge or "")
            meaning = f"other facts of {name}, prolonged at their {module.extends} by paths of {edge}"
            meaning += {None: "", "all": f"; {edge} is among them", "loops": f"; {edge} without loops is among them"}[module.base]
    if module.is_irreflexive:
        meaning += ", no pair (X, X) derived"
    if not module.is_whole:
        meaning += "; beside other recursive rules"
    return name, module.kind.value, ", ".join(program.rule_name(at) for at in module.rules), meaning
