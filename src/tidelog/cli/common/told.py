"""A change as lines: what has come and gone, relation by relation, as a program writes facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tidelog.display.counts import counted
from tidelog.values import from_python

if TYPE_CHECKING:
    from tidelog.changes import Change
    from tidelog.syntax.printer import Printer

_MOST_SHOWN = 20


def told(change: Change, printer: Printer, most: int | None = _MOST_SHOWN) -> Iterator[str]:
    """What has come and gone; so many facts at most, or all of them."""
    lines = 0
    for sign, side in (("+", change.inserted), ("-", change.deleted)):
        for name, facts in side.items():
            count, relation = len(facts), printer.predicate(name)
            some = facts if most is None else facts.head(max(0, most - lines))
            shown = sorted(
                f"{sign} {relation}({', '.join(printer.value(from_python(value)) for value in fact)})" for fact in some
            )
            lines += len(shown)
            yield from shown
            if count > len(shown):
                yield f"{sign} … and {count - len(shown):,} more of {relation}"
    if change.rules is not None and (change.rules.added or change.rules.removed):
        yield f"{counted(len(change.rules.added), 'rule')} added, {len(change.rules.removed):,} removed"
    elif not lines:
        yield "nothing has changed"
