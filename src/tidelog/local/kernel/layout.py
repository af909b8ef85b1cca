"""The words that Python and the kernel share, by name.  ARCHITECTURE.md draws them.

`M` has a row for each stored table, `X` one for each index, `VR` one for each virtual relation; `T` describes the dictionary of
terms (`terms`). Addresses point into NumPy buffers that `storage.tables`, `storage.dictionary` and `closure` own. No letter of
the kernel is one of those that the B/F paper uses for its sets (C, P, Y, V, D, O, S).
"""

from __future__ import annotations

# M: a table.  Rows are appended and never move; the row number is the fact's id.
ARITY, COUNT, CAPACITY, ROWS, SLOTS, SLOT_COUNT, BITS, DOMAIN, OLD, ALL, TOMBSTONES, REMOVED = range(12)
TIMES, TIME_COUNT, TIME_ROOM, UNORDERED, CLOCK, NUMBERS, NUMBER_ROOM, NUMBERED, NUMBER_COUNT, PLACES = range(12, 22)
TABLE_WIDTH = 22
# ROWS        int32[CAPACITY * ARITY], row after row
# SLOTS       int32[SLOT_COUNT], open addressing: row number + 1, or 0; unused (SLOT_COUNT 0) where BITS are
# BITS        uint64[DOMAIN * DOMAIN / 64] for arity 2: bit y of row x is the fact (x, y); 0 if there are none
# PLACES      int64[5] beside BITS (`term_places`): which row and column is whose; 0 if those of an id have its number
# TOMBSTONES  rows among the first COUNT that were removed: their first column is negative
# REMOVED     int32[CAPACITY]: the numbers of the TOMBSTONES rows, in the order of removal; no buffer before the first removal
# TIMES       int64[TIME_ROOM, 3]: when rows were appended (`row_times`), in TIME_COUNT entries; 0 for helper tables
# UNORDERED   of rows before it nobody knows which came first;  CLOCK int64[1]: the clock of all tables
# NUMBERS     int32[NUMBER_ROOM] beside BITS (`pair_rows`): the row of each pair, for those of the first NUMBERED rows; 0 if there
#             are none; by cell if there is room for all, else by hash, NUMBER_COUNT entries at most
# OLD, ALL    rows before OLD are known to all rules, rows from OLD to ALL are the delta, those from ALL on are being derived

# X: an index.  The rows with the same key form a chain, newest first.
TABLE, IS_DIRECT, HEADS, HEAD_COUNT, NEXT, KEY_COUNT, KEY_COLUMNS, UPTO, DISTINCT, NEWER = range(10)
RUN, RUN_ROOM, SORTED, RANGE_COLUMN = range(10, 14)
INDEX_WIDTH = 14
NOT_LINKED = -1
# HEADS       int32[HEAD_COUNT]: newest row + 1; addressed by the id itself (IS_DIRECT, one column), else by hash of the key
# NEXT        int32[CAPACITY of the table]: next older row + 1 with the same key, 0 at the end; NOT_LINKED for a tombstone
# NEWER       int32[CAPACITY of the table]: next newer row + 1 with the same key, or 0; no buffer before the first removal
# KEY_COLUMNS int32[KEY_COUNT]
# UPTO        rows before it are in the index
# RANGE_COLUMN  of an ordered index (`rows.row_order`) the column of its values + 1, else 0; it has no chains, and UPTO stays 0
# RUN         int64[3, RUN_ROOM]: the rows before SORTED, tombstones too, by KEY_COLUMNS and then by value

# A plan: the row of addresses and lengths of its buffers, which is all that the kernel is told of it.
PLAN_CODE, PLAN_CODE_LENGTH, PLAN_SLOTS, PLAN_SLOT_COUNT, PLAN_CURSOR, PLAN_STEP_COUNT, PLAN_LISTS = range(7)
PLAN_KEY, PLAN_KEY_LENGTH, PLAN_STACK, PLAN_STACK_LENGTH, PLAN_STATE, PLAN_SERVICES = range(7, 13)
PLAN_WIDTH = 13
# PLAN_CODE   int32: the code, below;  PLAN_SLOTS int32: a value for each variable and constant
# PLAN_CURSOR int64[PLAN_STEP_COUNT]: the next candidate of each loop
# PLAN_LISTS  int64[PLAN_STEP_COUNT, 4]: address and length of a step's list, address and length of its scratch
# PLAN_KEY    int32: scratch for a key;  PLAN_STACK int64: scratch for expressions
# PLAN_STATE  int64[STATE_WIDTH]: the state of a run;  PLAN_SERVICES int64[SERVICES]: the addresses of compiled services
SERVICES = 3

# The code of a plan.
STEP_COUNT, HEAD_TABLE, HEAD_ARITY, HEAD_AT, CUT, STEPS_AT = range(6)
# HEAD_AT     where the slots of the head's arguments stand in the code
# CUT         the last step that binds a variable of the head (-1: none): behind it one solution is as good as all
# STEPS_AT    from here on: where each step stands in the code

# The steps, each with its words.
SCAN, PROBE, PROBE_EMIT, TEST, ABSENT, NONE, SAME, DIFFERENT, FILTER, LET, EMIT = range(11)
NODES, FORWARD, BACKWARD, HAS_PAIR, LACKS_PAIR, NO_PAIR, SOME, YIELD, RANGE, EARLIER, SHORTEST = range(11, 22)
# SCAN        table, span, actions: all rows
# PROBE       index, table, span, keys, actions: the rows of one chain
# PROBE_EMIT  index, table, span, column, head slot, position, key: PROBE that binds one variable, and the head at once
# RANGE       index, table, span, scratch, bounds, keys, actions: the rows with a key and a value between bounds (`range_search`)
# SHORTEST    count, offsets of atoms that bind the same: the rows of the shortest chain that are in the others (`shortest_chain`)
# TEST        table, slots: the fact is there;  ABSENT: it is not;  EARLIER: it is there, in a row before ALL if rows are numbered
# NONE        index or -1, table, keys, pairs of equal columns: no such row;  SOME: at least one
# SAME        slot, slot;  DIFFERENT: slot, slot
# FILTER      code: the expression is true;  LET: slot, code: the slot becomes its value
# EMIT        the head;  YIELD: stop at the instance, which the caller reads from the slots
# NODES       virtual, slot: every left end, perhaps more; FORWARD tells
# FORWARD     virtual, key slot, slot: what the left end leads to;  BACKWARD: what leads to the right end
# HAS_PAIR    virtual, slot, slot;  LACKS_PAIR: the same
# NO_PAIR     virtual, form, slot: nothing of the form (X, _), (_, X), (_, _) or (Z, Z)
WHOLE, BEFORE, DELTA = range(3)
"""Spans of a loop: all rows, those before the delta, the delta."""
FROM_LEFT, FROM_RIGHT, ANY_PAIR, ANY_LOOP = range(4)

# The state of a run: everything that it needs to continue after it has stopped.
DEPTH, ENTERING, STATUS, CULPRIT, BUDGET, DERIVATIONS, UNDEFINED, WALKED = range(8)
STATE_WIDTH = 8
# CULPRIT     the table that is full;  WALKED: rows that the last step visited
DONE, PAUSED, GROW_TABLE, GROW_TERMS, FOUND = range(5)
"""Why the kernel returned: nothing is left; the budget is used up; the table `CULPRIT`, or the dictionary, is full; YIELD."""
