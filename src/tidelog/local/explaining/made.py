"""What `change.explain` needs to reverse a change: nothing that the change itself does not keep."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tidelog.local.engine import Dictionary, Difference
    from tidelog.program.changes.live_rules import RuleDifference


class Made(NamedTuple):
    """A change."""

    kb: weakref.ref[Any]
    """The knowledge base, which the change does not keep alive."""
    commits: int
    """How many changes its engine had made with this one."""
    rules: RuleDifference | None
    facts: Difference
    terms: Dictionary
    """What the ids in `facts` stand for."""
