"""Members in order, in blocks, against sorted lists of Python."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from tidelog.core.arrays import resized
from tidelog.local.kernel.aggregates import ordered_members as kernel
from tidelog.local.kernel.aggregates.group_folding import MAX, MEDIAN, MIN
from tidelog.local.storage.dictionary import Dictionary
from tidelog.values import Value, from_python

FUNCTIONS = (MIN, MAX, MEDIAN)


class Members:
    """Members in blocks, and in a sorted list."""

    def __init__(self, function: int, blocks: int = 1) -> None:
        self.function, self.terms = function, Dictionary()
        self.sorts = np.zeros(kernel.SORTS, np.int64)
        ids, order = np.empty(blocks * kernel.BLOCK, np.int32), np.arange(blocks, dtype=np.int32)
        self.blocks = ids, np.zeros(blocks, np.int32), order, np.zeros(kernel.WORDS, np.int64)
        self.expected: list[float] = []

    def join(self, numbers: Sequence[float]) -> None:
        members, done = self.encoded(numbers), 0
        while True:
            done = kernel.insert_members(self.terms.header, self.function, members, done, self.sorts, self.blocks)
            if done == len(members):
                break
            ids, sizes, order, words = self.blocks
            count = len(order)
            assert words[kernel.USED] == count, "it asks for more when all are in use"
            order = resized(order, count + 1)
            order[count] = count
            self.blocks = resized(ids, (count + 1) * kernel.BLOCK), resized(sizes, count + 1), order, words
        self.expected = sorted([*self.expected, *numbers])

    def leave(self, numbers: list[float]) -> bool:
        members = self.encoded(numbers)
        return bool(kernel.remove_members(self.terms.header, self.function, members, self.sorts, self.blocks))

    def encoded(self, numbers: Sequence[float]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        return np.array(self.terms.encode([from_python(number) for number in numbers]), np.int32)

    def values(self, ids: np.ndarray[tuple[int], np.dtype[np.int32]]) -> list[Value]:
        return self.terms.values_of(ids)

    def check(self) -> None:
        ids, sizes, order, words = self.blocks
        used = int(words[kernel.USED])
        assert sorted(order.tolist()) == list(range(len(order)))
        parts = [ids[block * kernel.BLOCK : block * kernel.BLOCK + sizes[block]] for block in order[:used]]
        assert all(map(len, parts)), "an empty block is free"
        held = np.concatenate([*parts, np.empty(0, np.int32)])
        assert [value.content for value in self.values(held)] == self.expected
        assert words[kernel.SIZE] == self.sorts[kernel.NUMBERS] == len(self.expected)
        if not self.expected:
            return
        found = np.empty(2, np.int32)
        kernel.select_members(self.function, *self.blocks, found)
        size = len(self.expected)
        if self.function == MEDIAN:
            assert [v.content for v in self.values(found)] == [self.expected[(size - 1) // 2], self.expected[size // 2]]
        else:
            assert self.values(found[:1])[0].content == self.expected[0 if self.function == MIN else -1]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(("seed", "most"), [(1, 10**9), (2, 50), (3, 3_000)])
def test_members_come_and_go(function: int, seed: int, most: int) -> None:
    """Several blocks, all different and all alike, that grow, shrink to nothing, and grow again."""
    members, random = Members(function), Random(seed)
    for sign in (1, 1, -1, 1, -1, -1):
        if sign > 0:
            members.join([random.randrange(most) for _ in range(random.choice((1, 3_000)))])
        else:
            going = random.sample(members.expected, random.choice((1, len(members.expected) * 2 // 3)))
            for number in going:
                members.expected.remove(number)
            assert members.leave(going)
        members.check()
    going, members.expected = members.expected, []
    random.shuffle(going)
    assert members.leave(going)
    members.check()
    members.join([5, 4])
    members.check()


def test_ascending_and_descending_members_split_blocks() -> None:
    for numbers in (list(range(5_000)), list(range(5_000, 0, -1))):
        members = Members(MIN)
        members.join(numbers)
        members.check()


def test_what_is_no_member_cannot_leave() -> None:
    members = Members(MIN)
    assert not members.leave([1])
    members = Members(MIN)
    members.join([1, 3])
    assert not members.leave([2])


@pytest.mark.parametrize("function", FUNCTIONS)
def test_equal_numbers_of_two_kinds(function: int) -> None:
    members = Members(function)
    members.join([2.0, 2, 2.0, 2])
    members.expected = [2, 2, 2.0, 2.0] if function == MIN else [2.0, 2.0, 2, 2]
    ids, _, _, _ = members.blocks
    assert [type(value.content) for value in members.values(ids[:4])] == list(map(type, members.expected))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_many_at_once_are_sorted_as_one_by_one(function: int) -> None:
    """By keys, and by comparing where keys are equal: long prefixes, numbers that are equal as floats."""
    random, terms = Random(4), Dictionary()
    numbers = [2**53 + random.randrange(4) for _ in range(50)] + [2.0**53, 1, 1.0, -1.5, -(2**62), float("-inf"), float("inf")]
    texts = [f"prefix/{random.randrange(30)}" + "x" * random.randrange(3) for _ in range(100)]
    texts += ["", "\0", "prefix", "é", "\U0001f600"]
    for things in (numbers, texts):
        random.shuffle(things)
        ids = np.array(terms.encode([from_python(thing) for thing in things]), np.int32)
        sorts, keys = np.zeros(kernel.SORTS, np.int64), np.empty(len(ids), np.int64)
        members = ids.copy()
        assert kernel.sort_keys(terms.header, members, sorts, keys) == len(ids)
        order = np.argsort(keys)
        members, keys = members[order], keys[order]
        kernel.sort_equal_keys(terms.header, function, members, keys, np.empty(len(ids), np.int32))
        one_by_one = Members(function, blocks=3)
        one_by_one.terms = terms
        kernel.insert_members(terms.header, function, ids, 0, one_by_one.sorts, one_by_one.blocks)
        assert members.tolist() == one_by_one.blocks[0][: len(ids)].tolist()
        contents: list[Any] = [value.content for value in terms.values_of(members)]
        assert contents == sorted(contents)
        which = np.empty(len(ids), np.int32)
        kernel.sorts_of(terms.header, ids, which)
        assert set(which.tolist()) == {kernel.NUMBERS if things is numbers else kernel.STRINGS}


def test_blocks_are_filled_in_order() -> None:
    members = Members(MIN, blocks=5)
    numbers = list(map(float, range(2_000)))
    kernel.fill_blocks(members.encoded(numbers), *members.blocks)
    members.expected, members.sorts[kernel.NUMBERS] = numbers, len(numbers)
    members.check()
    members.join([0.5, 1999.5])
    members.check()
