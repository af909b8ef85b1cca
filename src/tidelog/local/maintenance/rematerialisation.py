"""Rematerialisation: a unit derived from its explicit facts and what it reads, from scratch, within an update."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from time import thread_time

from tidelog.core.arrays import Rows
from tidelog.core.rules import FunctionCalls, is_visible
from tidelog.errors import TidelogWarning, fail
from tidelog.local.closure.changes import change_of
from tidelog.local.closure.closure_diff import VirtualChange
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.maintenance.costs import SMALL
from tidelog.local.maintenance.delta.deltas import Delta
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.maintenance.update_context import UpdateContext, count_visible
from tidelog.local.storage.replacements import Replacement, Version
from tidelog.local.storage.tables import Table

_NONE: Mapping[str, Rows] = {}


def materialise(runtime: UnitRuntime, context: UpdateContext) -> None:
    """Derive a unit whose tables hold explicit facts and nothing else, and record what that took."""
    spent = thread_time()
    context.evaluation.from_scratch(runtime.unit)
    runtime.costs.derived(thread_time() - spent, runtime.row_count())


def rematerialise(runtime: UnitRuntime, context: UpdateContext, removed: Mapping[str, Rows] = _NONE) -> None:
    """Derive a unit anew; `removed` are facts that this update has already deleted from its relations."""
    context.has_rematerialised = True
    began, state, undo, unit = thread_time(), context.state, context.undo, runtime.unit
    progress, modules = context.evaluation.watch.progress, unit.modules
    own = {name: state.tables[name] for name in unit.relations if name not in modules}
    closed = {name: _held(name, context) for name in modules}
    held = count_visible(own.items())
    for name, table in own.items():
        count = table.end
        undo.truncate(table)
        table.reserve(count)  # as good a guess as any, and what is not used takes no memory
        if name in state.explicit:
            table.insert(state.explicit[name].rows)
        if name in state.answered:
            state.answered[name] = 0  # requested arguments get other row numbers
    for operator in unit.operators.values():
        if isinstance(operator, FunctionCalls):
            state.answered[operator.requested] = 0
    progress.facts += count_visible(own.items()) - held
    with context.phase("starting over"):
        materialise(runtime, context)
    for name, table in own.items():
        before = undo.version_before(table, removed.get(name))
        context.record_replacement(name, Replacement(before, Version.now(table)))
    for name, was in closed.items():
        after = state.virtual[name]
        if isinstance(was, VirtualRelation) and not context.changes_rules:
            context.deltas.of[name] = Delta(virtual=change_of(was, after))
        else:
            _record_closed(name, was, context)
    runtime.costs.derived(thread_time() - began, runtime.row_count())  # with the search for what is different now


def start_over(runtime: UnitRuntime, context: UpdateContext, why: str, removed: Mapping[str, Rows] = _NONE) -> None:
    """Rematerialise a unit although less has changed, unless the user wants to be asked."""
    context.chosen.setdefault("rematerialise", why)
    announce(runtime, context, why)
    rematerialise(runtime, context, removed)


def announce(runtime: UnitRuntime, context: UpdateContext, why: str) -> None:
    """Refuse to derive a unit anew, or warn of it, if the user wants that, has not asked for it, and less has changed."""
    way, rows = context.evaluation.watch.limits.starting_over, runtime.row_count()
    if way == "allow" or context.algorithm == "rematerialise" or rows < SMALL:
        return
    deltas = context.deltas.of
    if 2 * sum(deltas[name].gained + deltas[name].lost for name in runtime.unit.uses if name in deltas) > rows:
        return
    names = ", ".join(f"`{name}`" for name in runtime.unit.relations if is_visible(name))
    message = f"this change would derive {names} from scratch: {why}"
    if way == "warn":
        warnings.warn(TidelogWarning(message), stacklevel=2)
    else:
        raise fail("TL067", message, fix='change less at once, or allow it: KnowledgeBase(..., starting_over="allow")')


def rematerialise_stored(runtime: UnitRuntime, context: UpdateContext, converted: set[str]) -> None:
    """Derive a unit anew of which some relations were virtual, and are stored from now on."""
    state = context.state
    virtual = {name: state.virtual.pop(name) for name in converted if name in state.virtual}
    rematerialise(runtime, context)
    for name, relation in virtual.items():
        context.deltas.of.pop(name, None)
        context.record_replacement(name, Replacement(relation, Version.now(state.tables[name])))


def materialise_first(runtime: UnitRuntime, context: UpdateContext) -> None:
    """Derive the relations of a unit that had no rules before."""
    state = context.state
    begin = {name: state.tables[name].end for name in runtime.unit.relations}
    for name in begin:
        if name in state.explicit:
            state.tables[name].insert(state.explicit[name].rows)
    with context.phase("insertion"):
        materialise(runtime, context)
    for name, at in begin.items():
        context.deltas.grew(name, at)


def close_anew(runtime: UnitRuntime, context: UpdateContext, name: str) -> None:
    """Close a relation that was not closed before, or by other rules."""
    before = _held(name, context)
    context.evaluation.from_scratch(runtime.unit)
    _record_closed(name, before, context)


def _held(name: str, context: UpdateContext) -> Table | VirtualRelation | None:
    """What held a relation before the update that is closed now; None if it is new."""
    return context.undo.virtual[name] if name in context.undo.virtual else context.state.tables.get(name)


def _record_closed(name: str, before: Table | VirtualRelation | None, context: UpdateContext) -> None:
    """Record the delta of a relation that was closed from scratch, and take away its table if it had one."""
    after = context.state.virtual[name]
    if before is None:
        context.deltas.of[name] = Delta(virtual=VirtualChange(None, after))
    elif isinstance(before, Table):
        context.record_replacement(name, Replacement(Version.now(before), after))
        context.replaced_tables.append(context.state.take_table(name))
    else:
        context.record_replacement(name, Replacement(before, after))
