"""Triples that no relation takes: on Spark only those are kept that a program names, and it is told of the others."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping

from tidelog.display.counts import counted
from tidelog.errors import Diagnostic, TidelogWarning
from tidelog.program.relations import Relation
from tidelog.syntax.printer import Printer

_LOGGER = logging.getLogger("tidelog.load")
_SHOWN = 3


def tell_of_left_out(counts: Mapping[tuple[str, int], int], relations: Mapping[str, Relation], printer: Printer) -> None:
    """Warn of predicates and classes, given with how many triples they have, that are no relations of that arity."""
    found = left_out(counts, relations, printer)
    if found is not None:
        _LOGGER.info("%s", found.render())
        warnings.warn(TidelogWarning(found.render()), stacklevel=3)


def left_out(counts: Mapping[tuple[str, int], int], relations: Mapping[str, Relation], printer: Printer) -> Diagnostic | None:
    """The warning of triples that are left out; None if all are taken."""
    if "triple" in relations and relations["triple"].arity == 3:
        return None
    others = {name: number for (name, arity), number in counts.items() if name not in relations or relations[name].arity != arity}
    if not others:
        return None
    most = sorted(others, key=lambda name: (-others[name], name))
    shown = ", ".join(f"`{printer.predicate(name)}`" for name in most[:_SHOWN]) + (", …" if most[_SHOWN:] else "")
    message = f"{counted(sum(others.values()), 'triple')} left out, since no rule mentions {shown}"
    fix = "mention them in rules, or declare them with `@relation`; a relation `triple` of three columns takes all"
    return Diagnostic("TL108", message, fix=fix)
