"""The state of one large group: an exact sum, or its members in order.  Inserting or deleting a member updates its result.

Either gives the result that folding all members would give: sums are exact and rounded once, and the smallest, the largest and
those in the middle are found by their rank.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np

from tidelog.core.arrays import Int32s, Int64s, resized
from tidelog.functions.aggregates import mean_of, sum_of
from tidelog.local.evaluation.aggregation import FUNCTIONS, results_of
from tidelog.local.kernel.aggregates import exact_sums, ordered_members
from tidelog.local.kernel.aggregates.group_folding import FLOAT, HARD, INT, MEDIAN
from tidelog.local.storage.state import State
from tidelog.values import Kind

_PAIR = np.array([0, 2], np.int64)
_SPARSE = 8
"""If so many times the members that there are fit into the blocks, these are too large."""


class GroupState(ABC):
    """What is kept of a group."""

    unused = 0
    """How many members have joined or left since its result was last needed."""

    def __init__(self, function: str, state: State) -> None:
        self.function, self.state = FUNCTIONS[function], state

    @staticmethod
    def of(function: str, state: State, members: Int32s) -> GroupState:
        """What serves a function."""
        return GroupSum(function, state, members) if function in ("sum", "avg") else OrderedGroup(function, state, members)

    @property
    @abstractmethod
    def size(self) -> int:
        """How many members there are."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """The memory that it takes."""

    @property
    def is_wasteful(self) -> bool:
        """Whether it takes far more memory than its members need."""
        return False

    @abstractmethod
    def join(self, members: Int32s) -> None:
        """Let members join."""

    @abstractmethod
    def leave(self, members: Int32s) -> None:
        """Let members leave, which are there."""

    @abstractmethod
    def result(self) -> int:
        """The id of the result, or -1 if it is undefined; there must be a member."""


class GroupSum(GroupState):
    """The exact sum of the members of a group, for `sum` and `avg`."""

    def __init__(self, function: str, state: State, members: Int32s) -> None:
        super().__init__(function, state)
        self._digits: Int64s = np.zeros(exact_sums.DIGITS, np.int64)
        self._counts: Int64s = np.zeros(exact_sums.SUM_COUNTS, np.int64)
        self._payload: Int64s = np.zeros(1, np.int64)
        self.join(members)

    @property
    def size(self) -> int:
        """How many members there are."""
        return int(self._counts[: exact_sums.UNCARRIED].sum())

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        return self._digits.nbytes + self._counts.nbytes

    def join(self, members: Int32s) -> None:
        """Let members join."""
        exact_sums.add_members(self.state.terms.header, members, 1, self._digits, self._counts)

    def leave(self, members: Int32s) -> None:
        """Let members leave, which are there."""
        exact_sums.add_members(self.state.terms.header, members, -1, self._digits, self._counts)

    def result(self) -> int:
        """The id of the result, or -1 if it is undefined; there must be a member."""
        outcome, terms = exact_sums.read_sum(self.function, self._digits, self._counts, self._payload), self.state.terms
        if outcome == HARD:
            return self._hard_result()
        if outcome not in (INT, FLOAT):
            return -1
        return int(terms.encode_numbers(Kind.INT if outcome == INT else Kind.FLOAT, self._payload)[0])

    def _hard_result(self) -> int:
        """The same by integers of Python, where 64 bits do not do."""
        whole = sum(digit << (32 * at) for at, digit in enumerate(self._digits.tolist()))
        total, are_integers = Fraction(whole, 1 << exact_sums.POINT), self._counts[exact_sums.FLOATS] == 0
        if self.function == FUNCTIONS["sum"]:
            value = sum_of(total, are_integers=are_integers)
        else:
            value = mean_of(total, self.size, are_integers=are_integers)
        return -1 if value is None else int(self.state.terms.encode([value])[0])


class OrderedGroup(GroupState):
    """The members of a group in order, for `min`, `max` and `median`."""

    def __init__(self, function: str, state: State, members: Int32s) -> None:
        super().__init__(function, state)
        self._sorts: Int64s = np.zeros(ordered_members.SORTS, np.int64)
        in_order = self._sorted(members)
        count = 2 + len(in_order) // ordered_members.FILLED
        self._ids: Int32s = np.empty(count * ordered_members.BLOCK, np.int32)
        self._sizes: Int32s = np.zeros(count, np.int32)
        self._order: Int32s = np.zeros(count, np.int32)
        self._words: Int64s = np.zeros(ordered_members.WORDS, np.int64)
        ordered_members.fill_blocks(in_order, self._ids, self._sizes, self._order, self._words)

    @staticmethod
    def bytes_for(count: int) -> int:
        """About the memory that so many members take."""
        return 8 * count

    def _sorted(self, members: Int32s) -> Int32s:
        """The members that have an order, in order."""
        header, members, keys = self.state.terms.header, members.copy(), np.empty(len(members), np.int64)
        left = ordered_members.sort_keys(header, members, self._sorts, keys)
        members, keys, pieces, begin = members[:left], keys[:left], list[Int32s](), 0
        if np.count_nonzero(self._sorts[: ordered_members.UNORDERED_MEMBERS]) > 1:
            sorts = np.empty(left, np.int32)
            ordered_members.sorts_of(header, members, sorts)
            by_sort = np.argsort(sorts, kind="stable")
            members, keys = members[by_sort], keys[by_sort]
        for count in self._sorts[: ordered_members.UNORDERED_MEMBERS].tolist():
            order = np.argsort(keys[begin : begin + count])
            piece, piece_keys = members[begin : begin + count][order], keys[begin : begin + count][order]
            ordered_members.sort_equal_keys(header, self.function, piece, piece_keys, np.empty(count, np.int32))
            pieces.append(piece)
            begin += count
        return np.concatenate(pieces)

    @property
    def _blocks(self) -> tuple[Int32s, Int32s, Int32s, Int64s]:
        return self._ids, self._sizes, self._order, self._words

    @property
    def size(self) -> int:
        """How many members there are."""
        return int(self._sorts.sum())

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        return sum(buffer.nbytes for buffer in self._blocks)

    @property
    def is_wasteful(self) -> bool:
        """Whether it takes far more memory than its members need."""
        return len(self._ids) > _SPARSE * int(self._words[ordered_members.SIZE]) + _SPARSE * ordered_members.BLOCK

    def join(self, members: Int32s) -> None:
        """Let members join."""
        header, done = self.state.terms.header, 0
        while (done := ordered_members.insert_members(header, self.function, members, done, self._sorts, self._blocks)) < len(
            members
        ):
            self._grow()

    def _grow(self) -> None:
        count = len(self._order)
        more = count + count // 2 + 2
        self._ids, self._sizes = resized(self._ids, more * ordered_members.BLOCK), resized(self._sizes, more)
        self._order = resized(self._order, more)
        self._order[count:] = np.arange(count, more, dtype=np.int32)

    def leave(self, members: Int32s) -> None:
        """Let members leave, which are there."""
        were_there = ordered_members.remove_members(self.state.terms.header, self.function, members, self._sorts, self._blocks)
        assert were_there, "a member of a group that is kept"

    def result(self) -> int:
        """The id of the result, or -1 if it is undefined; there must be a member."""
        sorts = self._sorts
        are_numbers = sorts[ordered_members.NUMBERS] == self.size
        if not are_numbers and (self.function == MEDIAN or sorts.max() != self.size or sorts[ordered_members.UNORDERED_MEMBERS]):
            return -1
        found = np.empty(2, np.int32)
        ordered_members.select_members(self.function, *self._blocks, found)
        return int(results_of("median", self.state, found, _PAIR)[0] if self.function == MEDIAN else found[0])
