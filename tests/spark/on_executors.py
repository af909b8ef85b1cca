"""A handful of facts treated like very many: all of them go to Spark's executors, and none stays in the driver."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch


@contextmanager
def nothing_in_the_driver() -> Iterator[None]:
    """What is inside cannot take the ways that are open to few facts only."""
    from tidelog.spark.data import exchange, frames, novelty, sets
    from tidelog.spark.evaluation import rounds
    from tidelog.spark.maintenance.in_rounds import deletion
    from tidelog.spark.maintenance.in_rounds import pre_update_state as past
    from tidelog.spark.session import private_session as session

    with ExitStack() as stack:
        for module in (exchange, novelty, rounds, sets):
            stack.enter_context(patch.object(module, "TINY", -1))
        for module in (exchange, frames, novelty, rounds, sets):
            stack.enter_context(patch.object(module, "DRIVER_ROWS", 0))
        stack.enter_context(patch.object(past, "_WORTH_PARTING", 0))
        stack.enter_context(patch.object(deletion, "_FEW_SUSPECTS", 0))
        stack.enter_context(patch.object(frames, "_WORTH_WRITING", 2))
        stack.enter_context(patch.object(session, "partitions_for", return_value=3))  # each is a task of its own, in every job
        yield


@contextmanager
def no_facts_in_the_driver() -> Iterator[None]:
    """Relations are like very large ones, and what is new of them, or goes, is a handful, which is looked up."""
    from tidelog.spark.data import frames, sorted_copies
    from tidelog.spark.maintenance.in_rounds import deletion
    from tidelog.spark.maintenance.in_rounds import pre_update_state as past
    from tidelog.spark.session import private_session as session

    with ExitStack() as stack:
        stack.enter_context(patch.object(frames, "DRIVER_ROWS", 0))
        stack.enter_context(patch.object(past, "_WORTH_PARTING", 0))
        stack.enter_context(patch.object(deletion, "_FEW_SUSPECTS", 0))
        stack.enter_context(patch.object(frames, "_WORTH_WRITING", 2))
        stack.enter_context(patch.object(session, "partitions_for", return_value=3))
        stack.enter_context(patch.object(sorted_copies, "ASKED_BEFORE", 0))
        yield


@contextmanager
def as_if_large() -> Iterator[None]:
    """The driver decides and keeps nothing, and both ways to find what is new are taken."""
    from tidelog.spark.data import exchange, novelty
    from tidelog.spark.evaluation import rounds
    from tidelog.spark.session import private_session as session

    with ExitStack() as stack:
        for module in (exchange, novelty, rounds):
            stack.enter_context(patch.object(module, "TINY", -1))
        for module in (exchange, rounds):
            stack.enter_context(patch.object(module, "DRIVER_ROWS", -1))
        stack.enter_context(patch.object(novelty, "_FEW_FIRST", 2))
        stack.enter_context(patch.object(novelty, "_FEW_BESIDE", 1))
        stack.enter_context(patch.object(session, "partitions_for", return_value=3))  # each is a task of its own
        yield
