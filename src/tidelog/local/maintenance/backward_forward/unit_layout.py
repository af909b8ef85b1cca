"""The words that B/F's compiled loop shares with Python.  `U` is one unit of rules: a row of addresses, and of what they lead to.

The package's docstring says which words stand for the paper's sets.
"""

from __future__ import annotations

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.build import hot
from tidelog.local.kernel.fused_rounds import RULES_WIDTH
from tidelog.local.kernel.layout import PLAN_WIDTH
from tidelog.local.kernel.memory import int32s, int64_matrix, int64s

# U: addresses, each followed by how many words or rows there are, where that is not a constant.
PLANS, PLAN_COUNT, RELATIONS, RELATION_COUNT, BACKWARD_PLANS, BACKWARD_COUNT, FORWARD_PLANS, FORWARD_COUNT = range(8)
ARGUMENTS, ARGUMENT_COUNT, HELPER_INDEXES, HELPER_INDEX_COUNT, READ_INDEXES, READ_INDEX_COUNT = range(8, 14)
OWN_INDEXES, OWN_INDEX_COUNT, STACK, STACK_ROOM, FRAME_WIDTH, KEY, KEY_LENGTH = range(14, 21)
ALL_COLUMNS, COLUMN_COUNT, SEED_RULES, PROPAGATION_RULES, PROGRESS = range(21, 26)
QUEUE, QUEUE_ROOM, REDERIVATION_RULES = range(26, 29)
UNIT_WIDTH = 29
# PLANS           a row for each plan (`layout.PLAN_CODE` …), backward and forward
# RELATIONS, BACKWARD_PLANS   matrices, below;  FORWARD_PLANS int32: plans, relation after relation
# ARGUMENTS       int32: for backward plans, how a fact is read into the slots, and which slots the facts of the body are
# HELPER_INDEXES  int32: indexes on checked and on proved facts;  READ_INDEXES: others that plans read
# OWN_INDEXES     int32: indexes on the relations themselves, which removed rows have to leave
# STACK           int64[STACK_ROOM, FRAME_WIDTH]: the checks under way, below;  KEY int32: scratch for a fact
# ALL_COLUMNS     int32: 0, 1, 2 and so on
# SEED_RULES, PROPAGATION_RULES   sets of rules (`fused_rounds`), or 0 if only Python can apply them
# QUEUE, REDERIVATION_RULES       for deletions by rank (`maintenance.ranked`): facts to look at, and a set of rules

# A relation of the unit.
CHECKED, PROVED, DISPROVED, EXPLICIT, AFFECTED = range(5)
BACKWARD_FROM, BACKWARD_TO, FORWARD_FROM, FORWARD_TO, PROVED_FROM, PROVED_TO, CHECKED_FROM, CHECKED_TO = range(5, 13)
TABLE, INDEXES_FROM, INDEXES_TO, BY_FIRST_COLUMN = range(13, 17)
NEXT_AFFECTED, LAST_AFFECTED, PROCESSED, DECIDED, REMOVED = range(17, 22)
RELATION_WIDTH = 22
# CHECKED … AFFECTED   the numbers of these tables; EXPLICIT is -1 if there are no explicit facts
# BACKWARD_FROM …      its rows of BACKWARD_PLANS, its forward plans, and the indexes on proved and on checked facts of it
# INDEXES_FROM …       its indexes in OWN_INDEXES;  BY_FIRST_COLUMN: the one on the first column, or -1
# NEXT_AFFECTED        affected facts that have been taken;  LAST_AFFECTED: the end of the affected facts of this round
# DECIDED              checked facts of which it is known whether they are proved or disproved

# A backward plan: it finds the rule instances that derive a given fact, and stops at each of them (YIELD).
PLAN, FACT_AT, BODY_AT, IS_TEST, WITNESS, TRIED, HELPED = range(7)
BACKWARD_WIDTH = 7
# FACT_AT         where ARGUMENTS say how the fact is read;  BODY_AT: where they say what the facts of the body are
# IS_TEST         whether it is one test, so that there is one instance or none
# WITNESS         for deletions by rank: the plan that tests one instance, or -1
# TRIED, HELPED   how often it was run, -1 if it has no instance yet, and how often it found support

# A frame of the stack: a check under way.
OF, ROW, BACKWARD, PASS, ATOM, IS_SAVED, HAS_INSTANCE, FRAME_HEAD = range(8)
NEXT_PLAN, NEXT_INSTANCE, ONE_INSTANCE = -1, -2, -3
LOOKING_AHEAD, CHECKING = 0, 1
# OF, ROW         the relation and the row of the fact in its checked facts;  BACKWARD: the current backward plan
# PASS            LOOKING_AHEAD or CHECKING;  HAS_INSTANCE: whether looking ahead has found an instance
# ATOM            the next body atom of the current instance, or one of the values above
# IS_SAVED        whether the state of its plan is saved in the frame, behind FRAME_HEAD

# Z: the progress of a deletion.
RESULT, PHASE, CULPRIT, RULE_STEPS, STEPS_LEFT, DEPTH, HAS_BEGUN, HAS_PROVED, FORWARD, FORWARD_OF = range(10)
BACKWARD_INSTANCES, FORWARD_INSTANCES, CHECKED_FACTS, AFFECTED_FACTS, PROVED_FACTS = range(10, 15)
QUEUED, LOOKED_OF, LOOKED_ROW, LOOKED_WITH, HAS_PLAN, FALLS_ANYWAY, NOW = range(15, 22)
PROGRESS_WIDTH = 22
# RESULT          why the loop stopped;  CULPRIT: the full table, the relation, or the number of rows that this is about
# RULE_STEPS      steps of a rule before it is paused;  STEPS_LEFT: steps of the loop before it is paused
# DEPTH           frames in use
# HAS_BEGUN       whether the checks of this round have begun
# HAS_PROVED      whether there may be proved facts that are not processed
# FORWARD         the current forward plan, or -1;  FORWARD_OF: the relation whose proved fact it processes
# AFFECTED_FACTS  affected facts that had not been checked when they became affected
# For deletions by rank:
# QUEUED          facts in the queue;  NOW: the tick of the facts that are looked at
# LOOKED_OF       the relation of the fact that is looked at, or -1, and LOOKED_ROW its row
# LOOKED_WITH     the current backward plan;  HAS_PLAN: whether it has started
# FALLS_ANYWAY    whether the fact that is looked at had no support already when it was queued


@hot
def relations_of(U: Int64s) -> Int64s:
    """The relations of the unit."""
    return int64_matrix(U[RELATIONS], U[RELATION_COUNT], RELATION_WIDTH)


@hot
def plans_of(U: Int64s) -> Int64s:
    """All plans."""
    return int64_matrix(U[PLANS], U[PLAN_COUNT], PLAN_WIDTH)


@hot
def backward_plans_of(U: Int64s) -> Int64s:
    """The backward plans."""
    return int64_matrix(U[BACKWARD_PLANS], U[BACKWARD_COUNT], BACKWARD_WIDTH)


@hot
def arguments_of(U: Int64s) -> Int32s:
    """How backward plans read facts."""
    return int32s(U[ARGUMENTS], U[ARGUMENT_COUNT])


@hot
def stack_of(U: Int64s) -> Int64s:
    """The checks under way."""
    return int64_matrix(U[STACK], U[STACK_ROOM], U[FRAME_WIDTH])


@hot
def key_of(U: Int64s) -> Int32s:
    """Scratch for a fact."""
    return int32s(U[KEY], U[KEY_LENGTH])


@hot
def progress_of(U: Int64s) -> Int64s:
    """The progress of the deletion."""
    return int64s(U[PROGRESS], PROGRESS_WIDTH)


@hot
def rules_of(U: Int64s, which: int) -> Int64s:
    """A set of rules, SEED_RULES, PROPAGATION_RULES or REDERIVATION_RULES, which must not be 0."""
    return int64s(U[which], RULES_WIDTH)
