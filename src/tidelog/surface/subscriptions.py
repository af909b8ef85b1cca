"""Subscriptions: functions of the user that are told what each finished update has changed about a relation.

An update notes its change while it still holds the lock of the writer, so changes are noted in the order of the updates.  They
are delivered when the lock has been given back: a function may read, change, subscribe and unsubscribe.  One thread delivers at
a time; what is noted meanwhile, by another thread or by the function itself, is delivered by the same thread, afterwards.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, NamedTuple, Self

from tidelog.arguments import wrong
from tidelog.display.html import table
from tidelog.facts import Facts, Result

if TYPE_CHECKING:
    from tidelog.changes import Change
    from tidelog.program.relations import Relation

_LOGGER = logging.getLogger("tidelog.subscriptions")


@dataclass(frozen=True, slots=True, repr=False)
class RelationChange(Result):
    """What an update has changed about one relation."""

    relation: str
    inserted: Facts
    """The facts that hold now and did not before."""
    deleted: Facts
    """The facts that held before and do not now."""
    id: str | int | None = None
    """The id of the update, if it came from a stream and has one."""

    def __bool__(self) -> bool:
        return bool(self.inserted) or bool(self.deleted)

    def __repr__(self) -> str:
        return f"RelationChange({self.relation}: {len(self.inserted):,} inserted, {len(self.deleted):,} deleted)"

    def _repr_html_(self) -> str:
        rows = [(f"{len(self.inserted):,}", f"{len(self.deleted):,}")]
        return table(f"change of {self.relation}", ("inserted", "deleted"), rows)


Callback = Callable[[RelationChange], object]
Find = Callable[[str], tuple[Facts, Facts] | None]
"""What has been inserted into a relation and deleted from it; None if it has not changed."""


class Subscription:
    """A function that is told of the changes of a relation, until `close`; also to be used with `with`."""

    def __init__(self, owner: Subscribers, relation: str, callback: Callback) -> None:
        self._owner: Subscribers | None = owner
        self.relation, self.callback = relation, callback

    @property
    def is_open(self) -> bool:
        """Whether the function is still told of changes."""
        return self._owner is not None

    def close(self) -> None:
        """Unsubscribe: the function is not called any more, not even for a change that has not been delivered yet."""
        owner, self._owner = self._owner, None
        if owner is not None:
            owner.remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Subscription: {self.relation}{'' if self.is_open else ', closed'}>"


class _Noted(NamedTuple):
    """A change that is to be delivered."""

    subscriptions: dict[str, tuple[Subscription, ...]]
    find: Find
    id: str | int | None


class Subscribers:
    """All subscriptions of a knowledge base, and the changes that are still to be delivered."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[Subscription, ...]] = {}
        """Replaced, and never changed in place: it is noted with a change."""
        self._waiting: deque[_Noted] = deque()
        self._changing, self._delivering, self._process = threading.Lock(), threading.Lock(), os.getpid()

    def __bool__(self) -> bool:
        return bool(self._of)

    def add(self, relation: str, callback: Callback) -> Subscription:
        """Another subscription."""
        added = Subscription(self, relation, callback)
        with self._changing:
            self._of = {**self._of, relation: (*self._of.get(relation, ()), added)}
        return added

    def remove(self, subscription: Subscription) -> None:
        """One less."""
        with self._changing:
            left = tuple(other for other in self._of.get(subscription.relation, ()) if other is not subscription)
            others = {name: some for name, some in self._of.items() if name != subscription.relation}
            self._of = {**others, subscription.relation: left} if left else others

    def note(self, find: Find, update_id: str | int | None = None) -> None:
        """An update has been committed; the caller still keeps others from committing theirs."""
        if self._of:
            self._waiting.append(_Noted(self._of, find, update_id))

    def deliver(self) -> None:
        """Call the functions for all changes that were noted, unless another call of this is at it already."""
        if self._process != os.getpid():  # a thread that was delivering when this process was forked is not here
            self._process, self._delivering, self._changing = os.getpid(), threading.Lock(), threading.Lock()
        while self._waiting and self._delivering.acquire(blocking=False):
            try:
                while self._waiting:
                    _tell(self._waiting.popleft())
            finally:
                self._delivering.release()


def _tell(noted: _Noted) -> None:
    for relation, subscriptions in noted.subscriptions.items():
        if (found := noted.find(relation)) is None or not any(found):
            continue
        change = RelationChange(relation, *found, noted.id)
        for subscription in subscriptions:
            if not subscription.is_open:
                continue
            try:
                subscription.callback(change)
            except Exception:  # the update is over: it is not the one to fail, and nor are other functions
                _LOGGER.exception(
                    "a function that subscribed to `%s` failed; the update and other functions are not affected", relation
                )


def found_in(change: Change) -> Find:
    """What a change says about each relation."""

    def find(name: str) -> tuple[Facts, Facts] | None:
        inserted, deleted = change.inserted.get(name), change.deleted.get(name)
        if (known := deleted if inserted is None else inserted) is None:
            return None
        nothing = Facts.none(name, known.columns)
        return nothing if inserted is None else inserted, nothing if deleted is None else deleted

    return find


class Subscribable:
    """What can be subscribed to; an engine notes each committed change, and delivers when nobody waits for it any more."""

    _subscribers: Subscribers | None = None

    if TYPE_CHECKING:

        def _known(self, relation: str) -> Relation:
            """The relation of a name, or an error."""

    def subscribe(self, relation: str, callback: Callback) -> Subscription:
        """Call a function with the change of a relation, a `RelationChange`, after each finished update that has changed it.

        Returns the subscription, whose `close` ends it.  The function may read the knowledge base and update it; its exceptions
        are logged and stop nothing.  A failed update, which changes nothing, calls nobody.
        """
        if not callable(callback):
            raise wrong("a function", callback, "give a function of one argument: `kb.subscribe(name, print)`")
        if iscoroutinefunction(callback):
            fix = (
                "give a function that hands the change over: `lambda change: loop.call_soon_threadsafe(queue.put_nowait, change)`"
            )
            raise wrong("a function that can be called by an update", callback, fix)
        name = self._known(relation).name
        subscribers: Subscribers = self.__dict__.setdefault("_subscribers", Subscribers())
        return subscribers.add(name, callback)

    @property
    def _is_heard(self) -> bool:
        """Whether somebody is told of changes."""
        return bool(self._subscribers)

    def _deliver(self) -> None:
        """Tell subscribers what was noted."""
        if self._subscribers is not None:
            self._subscribers.deliver()
