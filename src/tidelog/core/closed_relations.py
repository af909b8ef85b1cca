"""Which relations of a program, or of one component, are closed by a module's algorithm, and which rules that leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tidelog.core.rules import Closure, given_name
from tidelog.program.modules import Module


@dataclass(frozen=True, slots=True)
class ClosedRelations:
    """Virtual relations, by name, and what becomes of the rules."""

    closures: Mapping[str, Closure]
    closing: frozenset[int]
    """The numbers of rules that the closures stand for."""
    external: Mapping[int, str]
    """For rules that read the external facts of a virtual relation in its place: that relation."""


NO_CLOSED_RELATIONS = ClosedRelations({}, frozenset(), {})


def closed_by(modules: Iterable[Module], numbers: Sequence[int], *, only_whole: bool) -> ClosedRelations:
    """What some modules close, with the number of each rule that they know by its position.

    With `only_whole`, these are only relations that no other rule recurs through.
    """
    closures: dict[str, Closure] = {}
    external: dict[int, str] = {}
    for module in modules:
        if module.is_whole or (module.is_shared and not only_whole):
            rules = tuple(numbers[at] for at in module.rules)
            external |= dict.fromkeys((numbers[at] for at in module.external_rules), module.relation)
            known = replace(module, rules=rules, external_rules=())
            closures[module.relation] = Closure(known, given_name(module.relation))
    closing = frozenset(number for closure in closures.values() for number in closure.module.rules)
    return ClosedRelations(closures, closing, external)
