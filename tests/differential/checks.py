"""The checks of the differential suite: what happens to a knowledge base at a place, judged by the reference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from tests.differential.judging import (
    Judge,
    Step,
    agrees,
    changed_rows,
    check_change,
    check_counts,
    check_parts,
    check_queries,
    consequences,
    ground,
    steps_of,
)
from tests.differential.places import AS_USUAL, OpenPlace, Setting
from tests.differential.random_streams import RandomStream
from tests.differential.rule_histories import Rule, RuleHistory, rule_text
from tests.local_engine import as_tuples, engine_of, held, program, without_empty
from tests.random_programs import History, RandomProgram
from tests.streams.seen_streams import SeenStream

from tidelog import KnowledgeBase, Source
from tidelog.program.program import GroundFact
from tidelog.streams import Update


def check_program(random_program: RandomProgram, place: OpenPlace, setting: Setting = AS_USUAL) -> None:
    """Everything is derived; the relations are those of the reference, empty ones included."""
    with place.knowledge_base(random_program.text, setting) as kb:
        assert held(kb) == consequences(random_program.text)


# --- updates -------------------------------------------------------------------------------------------------------------


def check_updates(
    history: History, place: OpenPlace, setting: Setting = AS_USUAL, *, steps: Sequence[Step] = (), **options: Any
) -> None:
    """After every update everything is as if evaluated from scratch, and the change says what is different."""
    steps = steps or steps_of(history)
    with place.knowledge_base(history.program.text, setting, **options) as kb:
        agrees(kb, steps[0].expected)
        check_queries(history.queries, kb, steps[0].expected)
        for before, step in pairwise(steps):
            change = kb.update(**step.update)
            check_counts(change, before, step)
            agrees(kb, step.expected)
            check_change(change, before.expected, step.expected)
            check_parts(change, before.explicit, step.explicit)
        check_queries(history.queries, kb, steps[-1].expected)
        agrees(kb, steps[-1].expected)


def check_there_and_back(history: History, place: OpenPlace, setting: Setting = AS_USUAL) -> None:
    """What an update did is undone by the opposite update; and a batch does what its facts do one by one."""
    text = history.program.text
    explicit = set(program(text).facts)
    with place.knowledge_base(text, setting) as kb, place.knowledge_base(text, setting) as one_by_one:
        for deleted, inserted in history.updates:
            before = held(kb)
            gone = [fact for fact in set(ground(deleted)) if fact in explicit]
            new = [fact for fact in set(ground(inserted)) if fact not in explicit]
            kb.update(insert=as_tuples(new), delete=as_tuples(gone))
            kb.update(insert=as_tuples(gone), delete=as_tuples(new))
            assert without_empty(held(kb)) == without_empty(before)
            kb.update(insert=as_tuples(new), delete=as_tuples(gone))
            for fact in as_tuples(gone):
                one_by_one.update(delete=[fact])
            for fact in as_tuples(new):
                one_by_one.update(insert=[fact])
            assert without_empty(held(kb)) == without_empty(held(one_by_one))
            explicit = (explicit - set(gone)) | set(new)


def check_orders(histories: tuple[History, RandomProgram], place: OpenPlace, setting: Setting = AS_USUAL) -> None:
    """The order of rules, of the atoms of a rule and of facts makes no difference, to no update."""
    history, other = histories
    with (
        place.knowledge_base(history.program.text, setting) as one,
        place.knowledge_base(other.text, setting) as two,
    ):
        for deleted, inserted in ((), ()), *history.updates:
            update: dict[str, Any] = {"insert": as_tuples(ground(inserted)), "delete": as_tuples(ground(deleted))}
            first, second = one.update(**update), two.update(**update)
            assert without_empty(held(one)) == without_empty(held(two))
            assert changed_rows(first.inserted) == changed_rows(second.inserted)
            assert changed_rows(first.deleted) == changed_rows(second.deleted)


# --- rules that change ---------------------------------------------------------------------------------------------------


def check_rule_changes(history: RuleHistory, place: OpenPlace, setting: Setting = AS_USUAL) -> None:
    """After every step all facts are those of the program that is there then."""
    judge = Judge(history)
    with place.knowledge_base(history.text, setting) as kb:
        agrees(kb, judge.facts)
        for step in history.steps:
            before, explicit = judge.facts, judge.explicit
            change = kb.update(**judge.update(step))
            judge.follow(step)
            agrees(kb, judge.facts)
            check_change(change, before, judge.facts)
            check_parts(change, explicit, judge.explicit)
            check_structure(kb, judge.rules, place)


def check_structure(kb: KnowledgeBase, rules: list[Rule], place: OpenPlace) -> None:
    """The program, its order and its tables are those of the rules, and nothing is left of others."""
    expected = program("\n".join(map(rule_text, rules)))
    assert sorted(map(str, kb.program.rules)) == sorted(map(str, expected.rules))
    if place.place.engine != "local":
        return
    engine = engine_of(kb)
    fresh = engine_of(KnowledgeBase(Source("\n".join(map(rule_text, rules))), modules=place.place.modules))
    assert sorted(map(_shape, engine.structure.units.values())) == sorted(map(_shape, fresh.structure.units.values()))
    assert engine.core.given == fresh.core.given
    for name, number in engine.structure.deriver.items():
        for reader in engine.structure.readers.get(name, ()):
            order = engine.structure.order
            assert reader == number or order[number] < order[reader]
    assert not set(engine.state.tables) - set(engine.core.arities) - set(kb.relations)


def _shape(unit: Any) -> tuple[Any, ...]:
    """A unit, whatever the numbers in the names of its own relations."""
    seen = sorted(name for name in unit.relations if not name.startswith("#") or name.startswith("#given"))
    used = sorted(name for name in unit.uses if not name.startswith("#") or name.startswith("#given"))
    return seen, used, len(unit.relations), len(unit.rules), len(unit.operators), len(unit.stages)


# --- streams -------------------------------------------------------------------------------------------------------------


def check_stream(stream: RandomStream, place: OpenPlace, setting: Setting = AS_USUAL, **options: Any) -> None:
    """After every update everything is as if evaluated from scratch, and the change says what is different."""
    steps = steps_of(History(stream.program, stream.updates, ()))
    updates = [Update(None, tuple(as_tuples(step.gone)), tuple(as_tuples(step.new))) for step in steps[1:]]
    with (
        place.knowledge_base(stream.program.text, setting, **options) as kb,
        kb.follow(SeenStream(updates, stream.moments)) as following,
    ):
        for (before, step), change in zip(pairwise(steps), following, strict=True):
            check_counts(change, before, step)
            agrees(kb, step.expected)
            check_change(change, before.expected, step.expected)
            check_parts(change, before.explicit, step.explicit)
            if place.place.engine == "spark":
                expected = {False: before.explicit - step.explicit, True: step.explicit - before.explicit}
                assert explicit_changes(change) == expected


def explicit_changes(change: Any) -> dict[bool, Iterable[GroundFact]]:
    """The explicit facts that a change on Spark has deleted, and inserted, as a stream keeps them."""
    from tidelog.core.keys import value_of

    found: dict[bool, set[GroundFact]] = {False: set(), True: set()}
    for inserted, kept in change.explicit():
        columns = [column.to_pylist() for column in kept.keys.columns[: kept.arity]]
        rows = zip(*columns, strict=True) if columns else [()] * kept.rows
        found[inserted] |= {(kept.relation, tuple(map(value_of, row))) for row in rows}
    return {**found}
