"""Random streams whose updates take back what the one before inserted: all of it, some of it, and other facts besides."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st
from tests.differential.update_histories import maintained
from tests.random_programs import RandomProgram


@dataclass(frozen=True)
class RandomStream:
    """A program, updates of its facts, and when the next update is to be seen."""

    program: RandomProgram
    updates: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    """What each deletes, and inserts."""
    moments: tuple[bool, ...]


@st.composite
def random_streams(draw: st.DrawFn, most_updates: int = 6) -> RandomStream:
    """Updates that take back what the one before brought: all of it, some of it, and other facts besides."""
    history = draw(maintained(most_updates=2))
    known = history.program.facts
    pool = list(dict.fromkeys([*known, *(fact for update in history.updates for facts in update for fact in facts), "v(1)"]))
    begun = replace(history.program, facts=known[::2])  # the others come later
    explicit = dict.fromkeys(begun.facts)
    last: tuple[str, ...] = ()
    updates: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for _ in range(draw(st.integers(2, most_updates))):
        back = draw(st.sampled_from(("all", "all", "some", "none")))
        deleted = last if back == "all" else ()
        if back == "some" and last:
            deleted = tuple(draw(st.lists(st.sampled_from(last), unique=True)))
        others = draw(st.lists(st.sampled_from(pool), max_size=2)) if draw(st.booleans()) else []
        deleted = tuple(dict.fromkeys((*deleted, *others)))
        new = [fact for fact in pool if fact not in explicit or fact in deleted] if draw(st.booleans()) else []
        inserted = tuple(draw(st.lists(st.sampled_from(new or pool), min_size=1, max_size=5, unique=True)))
        updates.append((deleted, inserted))
        explicit = dict.fromkeys([*(fact for fact in explicit if fact not in deleted), *inserted])
        last = inserted
    moments = draw(st.sampled_from(("always", "never", "sometimes")))
    seen = draw(st.lists(st.booleans(), min_size=30, max_size=30)) if moments == "sometimes" else [moments == "always"] * 30
    return RandomStream(begun, tuple(updates), tuple(seen))
