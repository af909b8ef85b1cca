"""What a knowledge base writes to Python's logging: loads and changes of rules as INFO, updates as DEBUG.

The names are `tidelog.load`, `tidelog.rules` and `tidelog.update`, and `tidelog.subscriptions` for functions that fail.  No
handler is installed: without a configuration Python shows warnings and errors, and nothing of the rest.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tidelog.display.counts import counted
from tidelog.errors import TidelogWarning

if TYPE_CHECKING:
    from tidelog.changes import ChangeStatistics, LoadReport, RuleChanges
    from tidelog.errors import Diagnostic

LINT = ("TL102", "TL103", "TL104")
"""What is probably wrong with a rule whatever facts there are; `tidelog check` shows these and others."""
_LOAD, _RULES, _UPDATE = (logging.getLogger(f"tidelog.{name}") for name in ("load", "rules", "update"))
_asks_for_updates = _UPDATE.isEnabledFor


def warn_of(found: Diagnostic) -> None:
    """Tell Python's warnings, and its logging if that is set up, of something in a rule that probably nobody means."""
    if _RULES.hasHandlers():
        _RULES.warning("%s", found.render())
    assert found.source is not None
    assert found.span is not None
    line = found.source.line_of(found.span.start)
    warnings.warn_explicit(TidelogWarning(found.render()), None, found.source.name, line)


def log_loads(reports: Iterable[LoadReport]) -> None:
    """What has been loaded."""
    if _LOAD.isEnabledFor(logging.INFO):
        for report in reports:
            _LOAD.info("%s; %s new facts", report.description or report.relation, f"{report.new_facts:,}")


def log_update(statistics: ChangeStatistics, rules: RuleChanges | None) -> None:
    """What an update has done; facts that were derived are not counted, since that may take long."""
    if rules is not None and _RULES.isEnabledFor(logging.INFO):
        added = counted(len(rules.added), "rule")
        _RULES.info("%s added, %d removed, in %.3f ms", added, len(rules.removed), 1000 * statistics.seconds)
    if _asks_for_updates(logging.DEBUG):
        counts = statistics.inserted, statistics.deleted, statistics.without_effect
        milliseconds = 1000 * statistics.seconds
        _UPDATE.debug("%d inserted, %d deleted, %d without effect, in %.3f ms: %s", *counts, milliseconds, statistics.algorithm)
