"""Marks against Algorithm 1 of the paper: how many there are, and that B/F with them has the same result."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local_engine import as_tuples, held, without_empty
from tests.oracles.grounding import instances
from tests.oracles.histories import LOWER, OWN, Rule, by_relation, ground_facts, rule_without_projection, some_facts
from tests.oracles.marking import mark
from tests.random_programs import RandomProgram

from tidelog import KnowledgeBase, Source
from tidelog.changes import Counters
from tidelog.local.maintenance.backward_forward.as_printed import AsPrinted
from tidelog.program.program import check
from tidelog.reference import materialise


@dataclass(frozen=True)
class TwoUpdates:
    """A program, and two updates, the second of which is known when the first is applied."""

    program: RandomProgram
    deleted: tuple[str, ...]
    inserted: tuple[str, ...]
    deleted_next: tuple[str, ...]


@st.composite
def two_updates(draw: st.DrawFn, *, recursive: bool) -> TwoUpdates:
    """Positive rules for p and q over e and f, and rules for s over p and q, which read no explicit fact."""
    usable = (*LOWER, *OWN) if recursive else LOWER
    rules: list[Rule] = [
        draw(rule_without_projection(draw(st.sampled_from(OWN)), usable, ())) for _ in range(draw(st.integers(1, 3)))
    ]
    rules += [draw(rule_without_projection("s", OWN, ())) for _ in range(draw(st.integers(0, 2)))]
    pool = draw(some_facts(LOWER, 6, 12))
    middle = draw(st.integers(2, len(pool))) if len(pool) > 2 else len(pool)
    first, later = pool[:middle], pool[middle:]
    some = st.lists(st.sampled_from(pool), max_size=4, unique=True).map(tuple)
    deleted = tuple(fact for fact in draw(some) if fact in first) if recursive else ()
    inserted = tuple(fact for fact in dict.fromkeys((*later, *draw(some))) if fact not in deleted)
    return TwoUpdates(RandomProgram(tuple(dict.fromkeys(rules)), tuple(first)), deleted, inserted, draw(some))


def followed(two: TwoUpdates) -> Counters:
    """What the second update did, after all facts have been compared."""
    kb = KnowledgeBase(Source(two.program.text), algorithm="bf", marking=True, modules=False)
    kb.update()
    deleted, inserted, deleted_next = (as_tuples(ground_facts(texts)) for texts in (two.deleted, two.inserted, two.deleted_next))
    *_, last = kb.follow([{"delete": deleted, "insert": inserted}, {"delete": deleted_next}])
    explicit = {*two.program.facts} - {*two.deleted} | {*two.inserted}
    expected = materialise(check(Source(two.program.text)), ground_facts(tuple(explicit - {*two.deleted_next})))
    assert without_empty(held(kb)) == without_empty(expected)
    return last.stats.counters


@settings(max_examples=60)
@given(two_updates(recursive=False))
def test_marks_of_rules_over_explicit_facts(two: TwoUpdates) -> None:
    """Without recursion and without deletions in the first update there is nothing to depart from: the numbers are exact.

    Derived facts pass no marks on in B/F. Of the facts that were there before, only heads that the update has used are marked.
    """
    program = check(Source(two.program.text))
    facts = [set(ground_facts(texts)) for texts in (two.program.facts, two.deleted, two.inserted, two.deleted_next)]
    marks = mark(program, facts[0], facts[1], facts[2], facts[3])
    counters = followed(two)
    assert marks.fresh | marks.earlier <= marks.implicit
    assert counters.implicit_marks == len(marks.fresh) + len(marks.earlier)
    assert counters.explicit_marks + counters.dropped_marks == len(marks.explicit)
    if marks.implicit:
        assert counters.explicit_marks == len(marks.explicit)


@settings(max_examples=60)
@given(two_updates(recursive=True))
def test_marks_in_a_recursion(two: TwoUpdates) -> None:
    """The engine marks all that is new in a recursion, the paper only heads of instances with an explicit fact."""
    program = check(Source(two.program.text))
    explicit, deleted, inserted, deleted_next = (
        set(ground_facts(texts)) for texts in (two.program.facts, two.deleted, two.inserted, two.deleted_next)
    )
    marks = mark(program, explicit, deleted, inserted, deleted_next)
    counters = followed(two)
    assert counters.explicit_marks + counters.dropped_marks >= len(marks.explicit)
    assert counters.explicit_marks in (0, len(marks.explicit))
    assert counters.implicit_marks >= len(marks.fresh) + len(marks.earlier)
    after = explicit - deleted | inserted
    facts = {(name, row) for name, rows in materialise(program, after).items() for row in rows}
    bf = AsPrinted(instances(program, range(len(program.rules)), by_relation(facts)), after, facts)
    bf.BF([*sorted(marks.explicit, key=repr), *sorted(marks.implicit, key=repr)])
    left = materialise(program, after - deleted_next)
    assert without_empty(by_relation(bf.I)) == without_empty(left), "W begins with the marks, and the result is the same"
