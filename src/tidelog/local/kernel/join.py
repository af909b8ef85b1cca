"""The join kernel: one function that interprets the plan of any rule.

A plan is a list of steps, each a loop or a test inside the one before; behind the last one the head is derived. `depth` is
the current step. A loop keeps its next candidate in `cursor[depth]`, so a run can stop anywhere and continue later: when the
budget is used up (then Python checks limits, the clock and Ctrl-C), and when a table or the dictionary is full (then Python
makes it larger). Everything is saved in `cursor`, `lists`, `slots` and `state`, the buffers of the plan's row (`layout`).

Two things make it fast. The last loop and the derivation of a binary head are one step (PROBE_EMIT), without the interpreter
in between. And where both sides are matrices of bits, that step joins whole rows: `head(x, Z) :- …, r(y, Z)` is row x |= row
y, 64 facts at a time. Rows of r that are only being derived in this round then take part too; that costs nothing and loses
nothing, since every fact is a delta once.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import arithmetic, layout, range_search, terms
from tidelog.local.kernel.build import CHECKED, either, part, plan_runner
from tidelog.local.kernel.closures import virtual_steps as virtual
from tidelog.local.kernel.emit_loop import can_compose, compose, have_rows, probe_emit, span_begin, span_end
from tidelog.local.kernel.memory import call, int32s, int64s
from tidelog.local.kernel.plan_table import (
    load_key,
    matches,
    plan_code,
    plan_cursor,
    plan_key,
    plan_lists,
    plan_slots,
    run_state,
)
from tidelog.local.kernel.rows.pair_rows import is_among_first
from tidelog.local.kernel.shortest_chain import CHOOSE, next_of_shortest
from tidelog.local.kernel.table_rows import FULL, chain, contains, insert, older_rows, rows_of
from tidelog.local.kernel.tiers.choice import need

A_STEP = either(64, 1)
"""What a step costs of the budget: Python takes longer for one, and is to come back as often."""


@part
def _exists(M: Int64s, X: Int64s, code: Int32s, at: int, key: Int32s) -> bool:
    """Whether a row has the key and equal values in all pairs of columns; for NONE and SOME, whose words begin behind `at`."""
    index, table, keys = np.int64(code[at + 1]), np.int64(code[at + 2]), code[at + 3]
    pairs_at = at + 4 + keys
    pairs = code[pairs_at]
    rows, arity = rows_of(M, table), M[table, layout.ARITY]
    if index < 0:
        if pairs == 0:
            return M[table, layout.COUNT] > M[table, layout.TOMBSTONES]
        row = M[table, layout.COUNT] - 1
    else:
        row = chain(M, X, index, key)
    while row >= 0:
        same = index >= 0 or rows[row * arity] >= 0
        for j in range(pairs):
            if rows[row * arity + code[pairs_at + 1 + 2 * j]] != rows[row * arity + code[pairs_at + 2 + 2 * j]]:
                same = False
                break
        if same:
            return True
        row = row - 1 if index < 0 else np.int64(older_rows(M, X, table, index)[row]) - 1
    return False


@part
def can_begin(M: Int64s, X: Int64s, code: Int32s, slots: Int32s, key: Int32s) -> bool:
    """Whether the first step of a plan finds anything, as far as one probe can tell: most plans that are tried end there."""
    at = np.int64(code[layout.STEPS_AT])
    op = code[at]
    if op == layout.TEST or op == layout.EARLIER:
        load_key(code, at + 3, code[at + 2], slots, key)
        table = np.int64(code[at + 1])
        return contains(M, table, key) if op == layout.TEST else is_among_first(M, table, key)
    if op == layout.PROBE:
        load_key(code, at + 5, code[at + 4], slots, key)
        return chain(M, X, np.int64(code[at + 1]), key) >= 0
    if op == layout.SOME:
        load_key(code, at + 4, code[at + 3], slots, key)
        return _exists(M, X, code, at, key)
    return True


@part
def _step_here(services: Int64s, op: int, W: Int64s, first: int, second: int, L: Int64s) -> int:  # noqa: ARG001
    return virtual.run_step(op, W, first, second, L)


@part
def _step_there(services: Int64s, op: int, W: Int64s, first: int, second: int, L: Int64s) -> int:
    return call(services[1], op, W.ctypes.data, first, second, L.ctypes.data, 0)


@part
def _range_here(services: Int64s, M: Int64s, X: Int64s, T: Int64s, plan: Int64s, at: int, entering: bool) -> int:  # noqa: ARG001
    return range_search.next_in_range(M, X, T, plan, at, entering)


@part
def _range_there(services: Int64s, M: Int64s, X: Int64s, T: Int64s, plan: Int64s, at: int, entering: bool) -> int:
    return call(services[2], M.ctypes.data, X.ctypes.data, T.ctypes.data, plan.ctypes.data, at, entering)


_next_in_range = either(_range_here, _range_here if CHECKED else _range_there)
virtual_step = either(_step_here, _step_here if CHECKED else _step_there)
"""Run a step of a plan that reads a virtual relation."""


@part
def refill_lists(VR: Int64s, plan: Int64s, depth: int) -> None:
    """Make the lists of virtual relations again that the steps of a plan down to `depth` read: runs share their scratch."""
    code, slots, lists = plan_code(plan), plan_slots(plan), plan_lists(plan)
    for step in range(depth + 1):
        at = np.int64(code[layout.STEPS_AT + step])
        op = np.int64(code[at])
        if op == layout.NODES or op == layout.FORWARD or op == layout.BACKWARD:
            services = int64s(plan[layout.PLAN_SERVICES], layout.SERVICES)
            virtual_step(services, op, VR[code[at + 1]], np.int64(slots[code[at + 2]]), np.int64(0), lists[step])


_ADDRESSES: Int64s = np.zeros(layout.SERVICES, np.int64)
_SERVICES = (arithmetic.evaluate_at, virtual.run_step_at, range_search.next_in_range_at)
for _at, _service in enumerate(_SERVICES):
    _service.place = _ADDRESSES[_at : _at + 1]


def service_addresses(*, computes: bool, reads_virtual: bool, has_ranges: bool = False) -> Int64s:
    """The addresses of the services, the same for all plans; those that a plan needs are there when compiled code runs it."""
    if not CHECKED:
        for service, is_needed in zip(_SERVICES, (computes, reads_virtual, has_ranges), strict=True):
            if is_needed:
                need(service)
    return _ADDRESSES


@plan_runner
def run(M: Int64s, X: Int64s, VR: Int64s, T: Int64s, plan: Int64s) -> int:
    """Run a plan from where it stopped; why it stops this time, which is also `state[STATUS]`."""
    # One function, however long: the steps share a dozen local variables, and a call for each step would cost more than the step.
    state, services = run_state(plan), int64s(plan[layout.PLAN_SERVICES], layout.SERVICES)
    code, slots, cursor, lists = plan_code(plan), plan_slots(plan), plan_cursor(plan), plan_lists(plan)
    key, stack = plan_key(plan), int64s(plan[layout.PLAN_STACK], plan[layout.PLAN_STACK_LENGTH])
    depth, entering = state[layout.DEPTH], state[layout.ENTERING] != 0
    budget = state[layout.BUDGET]
    status = np.int64(layout.DONE)
    while depth >= 0:
        if budget <= 0:
            status = np.int64(layout.PAUSED)
            break
        budget -= A_STEP
        at = np.int64(code[layout.STEPS_AT + depth])
        op = code[at]
        found = False
        if op == layout.PROBE_EMIT:
            index, table, head = np.int64(code[at + 1]), np.int64(code[at + 2]), np.int64(code[layout.HEAD_TABLE])
            keys = code[at + 7]
            if entering:
                load_key(code, at + 8, keys, slots, key)
                cursor[depth] = -2
                if code[at + 3] != layout.DELTA and can_compose(M, table, head, code[at + 4], code[at + 6], keys):
                    if have_rows(M, table, head, slots[code[at + 5]], key[0]):
                        cursor[depth] = 0
                lists[depth, 0] = cursor[depth] + 2  # whether rows are composed: not 0
                if cursor[depth] == -2:
                    cursor[depth] = chain(M, X, index, key)
            before = M[head, layout.COUNT]
            if lists[depth, 0] != 0:
                load_key(code, at + 8, keys, slots, key)
                stopped = compose(M, table, head, slots[code[at + 5]], key[0], state)
                budget -= 4
            else:
                stopped = probe_emit(M, X, code, at, slots, key, cursor[depth], state)
                budget -= state[layout.WALKED]
            budget -= M[head, layout.COUNT] - before
            if stopped >= 0:
                cursor[depth] = stopped
                state[layout.CULPRIT] = head
                status = np.int64(layout.GROW_TABLE)
                entering = lists[depth, 0] != 0  # a row of bits is begun again: the head may have no bits any more
                break
        elif op == layout.PROBE:
            index, table = np.int64(code[at + 1]), np.int64(code[at + 2])
            keys = code[at + 4]
            if entering:
                load_key(code, at + 5, keys, slots, key)
                row = chain(M, X, index, key)
            else:
                row = cursor[depth]
            if row >= 0:
                rows, arity, following = rows_of(M, table), M[table, layout.ARITY], older_rows(M, X, table, index)
                oldest, limit = span_begin(M, table, code[at + 3]), span_end(M, table, code[at + 3])
                while row >= oldest:
                    if row < limit and matches(rows, row * arity, code, at + 5 + keys, slots):
                        found = True
                        break
                    row = np.int64(following[row]) - 1
                    budget -= 1
                if found:
                    cursor[depth] = np.int64(following[row]) - 1
        elif op == layout.SCAN:
            table, span = np.int64(code[at + 1]), code[at + 2]
            row, end = cursor[depth], span_end(M, table, span)
            if entering:
                row = span_begin(M, table, span)
            rows, arity = rows_of(M, table), M[table, layout.ARITY]
            has_tombstones = M[table, layout.TOMBSTONES] > 0
            while row < end:
                if (not has_tombstones or rows[row * arity] >= 0) and matches(rows, row * arity, code, at + 3, slots):
                    found = True
                    break
                row += 1
                budget -= 1
            cursor[depth] = row + 1
        elif op == layout.RANGE:
            actions = at + 7 + code[at + 6]
            row, arity = _next_in_range(services, M, X, T, plan, at, entering), M[np.int64(code[at + 2]), layout.ARITY]
            while row >= 0 and not found:
                budget -= 1
                found = matches(rows_of(M, np.int64(code[at + 2])), row * arity, code, actions, slots)
                if not found:
                    row = _next_in_range(services, M, X, T, plan, at, False)
        elif op == layout.SHORTEST:
            if entering:
                cursor[depth] = CHOOSE
            found = next_of_shortest(M, X, code, at, slots, key, cursor[depth : depth + 1], state)
            budget -= state[layout.WALKED]
        elif op == layout.EMIT:
            head, arity = np.int64(code[layout.HEAD_TABLE]), code[layout.HEAD_ARITY]
            load_key(code, code[layout.HEAD_AT], arity, slots, key)
            outcome = insert(M, head, key)
            if outcome == FULL:
                state[layout.CULPRIT] = head
                status = np.int64(layout.GROW_TABLE)
                break
            state[layout.DERIVATIONS] += 1
            depth = np.int64(code[layout.CUT])
            entering = False
            continue
        elif op == layout.YIELD:
            state[layout.DERIVATIONS] += 1
            status = np.int64(layout.FOUND)
            depth -= 1
            entering = False
            break
        elif op == layout.NODES or op == layout.FORWARD or op == layout.BACKWARD:
            v = np.int64(code[at + 1])
            if entering:
                cursor[depth] = 0
                budget -= virtual_step(services, np.int64(op), VR[v], np.int64(slots[code[at + 2]]), np.int64(0), lists[depth])
            if cursor[depth] < lists[depth, 1]:
                bound = code[at + 2] if op == layout.NODES else code[at + 3]
                slots[bound] = int32s(lists[depth, 0], lists[depth, 1])[cursor[depth]]
                cursor[depth] += 1
                found = True
        elif entering:
            if op == layout.TEST or op == layout.ABSENT:
                load_key(code, at + 3, code[at + 2], slots, key)
                found = contains(M, np.int64(code[at + 1]), key) == (op == layout.TEST)
            elif op == layout.EARLIER:
                load_key(code, at + 3, code[at + 2], slots, key)
                found = is_among_first(M, np.int64(code[at + 1]), key)
            elif op == layout.DIFFERENT:
                found = slots[code[at + 1]] != slots[code[at + 2]]
            elif op == layout.SAME:
                found = slots[code[at + 1]] == slots[code[at + 2]]
            elif op == layout.FILTER:
                if arithmetic.evaluate_called(services, T, code, at + 2, at + 2 + code[at + 1], slots, stack):
                    found = stack[1] == 1
                else:
                    state[layout.UNDEFINED] += 1
            elif op == layout.LET:
                if arithmetic.evaluate_called(services, T, code, at + 3, at + 3 + code[at + 2], slots, stack):
                    value = stack[2]
                    if value < 0:
                        value = np.int64(terms.intern_number(T, stack[0], stack[1]))
                    if value == terms.FULL:
                        status = np.int64(layout.GROW_TERMS)
                        break
                    slots[code[at + 1]] = value
                    found = True
                else:
                    state[layout.UNDEFINED] += 1
            elif op == layout.NONE or op == layout.SOME:
                load_key(code, at + 4, code[at + 3], slots, key)
                found = _exists(M, X, code, at, key) == (op == layout.SOME)
            elif op == layout.HAS_PAIR or op == layout.LACKS_PAIR:
                left, right = np.int64(slots[code[at + 2]]), np.int64(slots[code[at + 3]])
                is_pair = virtual_step(services, layout.HAS_PAIR, VR[code[at + 1]], left, right, lists[depth]) == 1
                found = is_pair == (op == layout.HAS_PAIR)
                budget -= 4
            else:  # NO_PAIR
                form, v = code[at + 2], np.int64(code[at + 1])
                if form == layout.ANY_PAIR:
                    found = not virtual.has_any(VR[v])
                elif form == layout.ANY_LOOP:
                    found = not virtual.has_any_loop(VR[v])
                else:
                    side = np.int64(layout.FORWARD if form == layout.FROM_LEFT else layout.BACKWARD)
                    found = virtual_step(services, side, VR[v], np.int64(slots[code[at + 3]]), np.int64(0), lists[depth]) == 0
        if found:
            depth += 1
            entering = True
        else:
            depth -= 1
            entering = False
    state[layout.DEPTH] = depth
    state[layout.ENTERING] = entering
    state[layout.STATUS] = status
    return status
