"""Frames: a frame is used again only when no version can read it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tidelog.core.arrays import Int64s
from tidelog.local.closure.frames import Frames, Token
from tidelog.local.kernel.digraphs import pages


def update(frames: Frames, used: int, left: int | None = None) -> Int64s:
    """The words of an update that has taken some unused frames, and left some of the free ones."""
    words = np.zeros(pages.UPDATE_WIDTH, np.int64)
    words[pages.FREE_COUNT] = len(frames.free) if left is None else left
    words[pages.NEXT_FRAME] = frames.next + used * pages.PAGE_BYTES
    return words


def line(versions: int) -> tuple[Frames, list[Token], Int64s]:
    """A line of versions, each of which has replaced one page of the one before."""
    frames, tokens = Frames(), [Token()]
    chunk = frames.chunk(versions)
    frames.first(tokens[0])
    for at in range(versions - 1):
        tokens.append(Token())
        frames.begin(tokens[-2], 4)
        frames.end(tokens[-2], tokens[-1], update(frames, 1), chunk[at : at + 1])
    return frames, tokens, chunk


def test_frames_are_free_when_all_versions_up_to_the_last_reader_are_gone() -> None:
    frames, tokens, chunk = line(5)
    frames.begin(tokens[-1], 4)
    assert not len(frames.free)
    del tokens[1:3]  # the first one may still read what these two replaced
    frames.end(tokens[-1], tokens[-1], update(frames, 0), chunk[:0])
    frames.begin(tokens[-1], 4)
    assert not len(frames.free)
    frames.end(tokens[-1], tokens[-1], update(frames, 0), chunk[:0])
    del tokens[0]
    frames.begin(tokens[-1], 4)
    assert frames.free.tolist() == chunk[:3].tolist()


def test_what_waits_is_forgotten_when_another_version_is_the_next_to_start_from() -> None:
    frames, tokens, _ = line(3)
    frames.begin(tokens[1], 4)
    tokens.clear()
    later = Token()
    frames.first(later)
    frames.begin(later, 4)
    assert not len(frames.free)


def test_frames_of_others_are_never_free() -> None:
    frames, other, before, after = Frames(is_mixed=True), Frames(), Token(), Token()
    frames.first(before)
    mine, theirs = frames.chunk(2), other.chunk(2)
    frames.begin(before, 1)
    frames.end(before, after, update(frames, 0), np.concatenate([theirs, mine]))
    del before
    frames.begin(after, 1)
    assert frames.free.tolist() == mine.tolist()


def test_what_was_taken_is_counted() -> None:
    frames, tokens, _ = line(9)
    assert frames.taken == 8
    assert not frames.is_spent(2)
    frames.begin(tokens[-1], 5000)
    frames.end(tokens[-1], Token(), update(frames, 2000), np.empty(0, np.int64))
    assert frames.is_spent(2)
    assert not frames.is_spent(1000)


def test_chunks_do_not_overlap() -> None:
    frames = Frames()
    one, two = frames.chunk(3), frames.chunk(2)
    assert len(frames.buffer(two)) == 2 * pages.PAGE_BYTES // 8
    addresses = sorted([*one.tolist(), *two.tolist()])
    assert all(later - earlier >= pages.PAGE_BYTES for earlier, later in pairwise(addresses))
