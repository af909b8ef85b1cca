"""Random programs with updates for the maintenance oracles, and how to run an oracle beside a knowledge base."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from tests.local_engine import as_tuples, held, without_empty
from tests.oracles.grounding import Bounds, Delete, maintain
from tests.random_graphs import graph_histories
from tests.random_programs import History, RandomProgram, histories

from tidelog import KnowledgeBase, Source
from tidelog.changes import Change
from tidelog.program.program import GroundFact, check
from tidelog.reference import Facts, materialise
from tidelog.syntax.tree import Aggregate, Literal, calls

Rule = tuple[str, tuple[str, ...]]

NAMES = ("X", "Y", "Z")
NODES = ("1", "2", "3")
LOWER, OWN, UPPER = ("e", "f"), ("p", "q"), ("s", "t")


def _of_plain_rules(history: History) -> History:
    """The same without rules that aggregate or call functions: the engine makes several rules of each of them."""
    texts = history.program.rules
    rules = check(Source(replace(history.program, facts=()).text)).rules
    kept = [text for text, rule in zip(texts, rules, strict=True) if not any(map(_is_special, (rule.head, *rule.body)))]
    return replace(history, program=replace(history.program, rules=tuple(kept)), queries=())


def _is_special(literal: Literal) -> bool:
    return isinstance(literal, Aggregate) or any(True for _ in calls(literal))


plain_histories = (graph_histories(most_updates=4) | histories(most_updates=4, most_queries=0)).map(_of_plain_rules)
"""Programs of the other generators."""


@st.composite
def rule_without_projection(draw: st.DrawFn, head: str, usable: tuple[str, ...], lower: tuple[str, ...]) -> Rule:
    """A rule with all of its variables in the head, so that no two of its instances derive the same fact."""
    used = draw(st.lists(st.sampled_from(usable), min_size=1, max_size=2))
    body = [f"{name}({', '.join(_args(draw, name, NAMES))})" for name in used]
    bound = sorted({name for atom in body for name in NAMES if name in atom})
    if draw(st.integers(0, 4)) == 0:
        body.append(f"{bound[0]} != {draw(st.sampled_from((*bound, *NODES)))}")
    if draw(st.booleans()) and lower:
        name = draw(st.sampled_from(lower))
        body.append(f"not {name}({', '.join(_args(draw, name, (*bound, '_', '1')))})")
    others = draw(st.lists(st.sampled_from((*bound, *NODES)), min_size=3, max_size=3))
    args = draw(st.permutations([*bound, *others][:3]))
    return f"{head}({', '.join(args)})", tuple(body)


def _args(draw: st.DrawFn, name: str, among: tuple[str, ...]) -> list[str]:
    return [draw(st.sampled_from(among)) for _ in range(2 if name in LOWER else 3)]


@st.composite
def some_facts(draw: st.DrawFn, names: tuple[str, ...], least: int, most: int) -> list[str]:
    chosen = draw(st.lists(st.sampled_from(names), min_size=least, max_size=most))
    return list(dict.fromkeys(f"{name}({', '.join(_args(draw, name, NODES))})" for name in chosen))


CIRCLES: tuple[Rule, ...] = (
    ("p(X, Y, Z)", ("q(X, Y, Z)",)),
    ("q(X, Y, Z)", ("p(X, Y, Z)",)),
    ("p(X, Y, Z)", ("p(Y, Z, X)",)),
    ("q(X, Y, Z)", ("p(X, Y, Z)", "p(Y, X, Z)")),
)
"""Rules by which facts support each other; an instance of the last may lose two facts at once."""


@st.composite
def histories_without_projection(draw: st.DrawFn, *, negation: bool = True, insertions: bool = True) -> History:
    """Recursive rules over e and f for p and q, and over all of them for s and t; every variable of a rule is in its head."""
    rules = draw(st.lists(st.sampled_from(CIRCLES), max_size=3))
    rules += [
        draw(rule_without_projection(draw(st.sampled_from(OWN)), (*LOWER, *OWN), ())) for _ in range(draw(st.integers(1, 4)))
    ]
    negated = (*LOWER, *OWN) if negation else ()
    rules += [
        draw(rule_without_projection(draw(st.sampled_from(UPPER)), (*LOWER, *OWN, *UPPER), negated))
        for _ in range(draw(st.integers(0, 3)))
    ]
    first = [*draw(some_facts(LOWER, 3, 9)), *draw(some_facts((*OWN, *OWN, *UPPER), 2, 8))]
    later = draw(some_facts((*LOWER, *OWN), 1, 4))
    updates = []
    for _ in range(draw(st.integers(1, 4))):
        deleted = draw(st.lists(st.sampled_from([*first, *later]), min_size=1, max_size=4, unique=True))
        inserted = draw(st.lists(st.sampled_from([*first, *later]), max_size=2, unique=True)) if insertions else []
        updates.append((tuple(deleted), tuple(fact for fact in inserted if fact not in deleted)))
    return History(RandomProgram(tuple(dict.fromkeys(rules)), tuple(first)), tuple(updates), ())


def ground_facts(texts: tuple[str, ...]) -> list[GroundFact]:
    """Facts from their texts."""
    return list(check(Source(" ".join(f"{text}." for text in texts))).facts)


def by_relation(found: set[GroundFact]) -> Facts:
    """Facts by relation."""
    return {name: {row for other, row in found if other == name} for name in {name for name, _ in found}}


def run(history: History, algorithm: Any, delete: Delete) -> Iterator[tuple[Change, Bounds]]:
    """Give each update of a history to a knowledge base and to an oracle, and compare all facts with those of the reference."""
    program = check(Source(history.program.text))
    kb = KnowledgeBase(Source(history.program.text), algorithm=algorithm, modules=False)
    explicit = set(program.facts)
    facts = materialise(program)
    assert without_empty(held(kb)) == without_empty(facts)
    for texts in history.updates:
        deleted, inserted = map(ground_facts, texts)
        deleted = [fact for fact in deleted if fact not in inserted]
        gone = [fact for fact in dict.fromkeys(deleted) if fact in explicit]
        explicit = explicit.difference(deleted).union(inserted)
        change = kb.update(insert=as_tuples(inserted), delete=as_tuples(deleted))
        bounds = maintain(program, facts, by_relation(explicit), gone, delete)
        expected = without_empty(materialise(program, explicit))
        assert without_empty(facts) == expected, "the oracle is wrong"
        assert without_empty(held(kb)) == expected
        yield change, bounds
