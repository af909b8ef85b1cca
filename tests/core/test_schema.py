"""The schema of a knowledge base: relations that only facts have, keys, and what a change of rules leaves of it."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.program.from_text import program

from tidelog import KnowledgeBase
from tidelog.core.schema import Schema
from tidelog.errors import TidelogError
from tidelog.program.changes.rule_changes import NO_CHANGE, RuleChange, plan_change
from tidelog.program.relations import Relation

PATHS = "r1: path(X, Y) :- edge(X, Y)."


def planned(schema: Schema, *, remove: tuple[str, ...] = (), add: tuple[str, ...] = ()) -> RuleChange:
    return plan_change(schema.live_rules(), remove, add, schema.loaded)


def no_explicit(_name: str) -> bool:
    return False


def test_a_relation_that_the_program_does_not_mention_becomes_known() -> None:
    before = Schema(program(PATHS))
    after = before.knowing("city", 3)
    assert after.relation("city") == Relation("city", 3, has_facts=True)
    assert after.relations().keys() == {"path", "edge", "city"}
    assert after.knowing("city", 3) is after
    assert after.knowing("edge", 2) is after
    assert before.relation("city") is None, "a schema never changes"


def test_a_schema_is_immutable() -> None:
    schema = Schema(program(PATHS))
    with pytest.raises(FrozenInstanceError):
        schema.live = None  # type: ignore[misc]


@pytest.mark.parametrize("name", ["edge", "city"])
def test_facts_with_another_number_of_arguments_are_refused(name: str) -> None:
    schema = Schema(program(PATHS)).knowing("city", 2)
    with pytest.raises(TidelogError, match=f"TL020.*`{name}` has 2 arguments, and these facts have 3"):
        schema.knowing(name, 3)


@pytest.mark.parametrize("name", ["#given path", ""])
def test_names_of_the_engine_are_refused(name: str) -> None:
    with pytest.raises(TidelogError, match="TL013"):
        Schema(program(PATHS)).knowing(name, 2)


def test_keys() -> None:
    schema = Schema(program("@relation stock(item: string key, shop: string key, count: int). @relation seen(name: string)."))
    assert schema.key_of("stock") == (0, 1)
    with pytest.raises(TidelogError, match=r"TL075") as refused:
        schema.key_of("seen")
    assert "@relation seen(name: string key)" in str(refused.value), "the fix declares the relation's own columns"
    with pytest.raises(TidelogError, match="TL075"):
        schema.key_of("unknown")


def test_a_change_without_rules_declares_relations_only() -> None:
    schema = Schema(program(PATHS)).knowing("city", 1)
    assert schema.changed(NO_CHANGE, no_explicit) == schema
    declared = schema.changed(RuleChange(relations={"road": Relation("road", 2)}), no_explicit)
    assert declared.loaded.keys() == {"city", "road"}
    assert declared.program is schema.program


def test_a_relation_that_a_new_rule_mentions_belongs_to_the_program() -> None:
    schema = Schema(program(PATHS)).knowing("city", 1)
    change = planned(schema, add=("near(X) :- city(X), edge(X, _).",))
    assert change.difference is not None
    after = schema.changed(change, no_explicit)
    assert after.loaded == {}
    assert after.program.relations.keys() == {"path", "edge", "city", "near"}
    assert after.live is change.difference.after
    assert after.live_rules() is after.live
    assert schema.loaded.keys() == {"city"}


def test_a_forgotten_relation_stays_known_while_it_has_explicit_facts() -> None:
    schema = Schema(program(PATHS + " reach(X) :- start(X), edge(X, _)."))
    change = planned(schema, remove=("reach(X) :- start(X), edge(X, _).",))
    kept = schema.changed(change, lambda name: name == "start")
    assert kept.loaded == {"start": Relation("start", 1, has_facts=True)}
    assert kept.relations().keys() == {"path", "edge", "start"}
    assert schema.changed(change, no_explicit).relations().keys() == {"path", "edge"}


def test_a_prefixed_name_is_short_for_an_iri() -> None:
    schema = Schema(program("@prefix ex: <http://example.org/> . p(X) :- ex:knows(X)."))
    for name in ("ex:knows", "<http://example.org/knows>", "http://example.org/knows"):
        assert schema.name_of(name) == "http://example.org/knows"
    assert schema.name_of("ex:other") == "http://example.org/other", "known or not"
    assert [schema.name_of(name) for name in ("p", "q", "no:prefix")] == ["p", "q", "no:prefix"]
    with pytest.raises(TidelogError, match="TL071: 5 of type int is not the name of a relation"):
        schema.name_of(5)


def test_a_relation_that_was_there_before_its_name_was_a_prefixed_one_stays() -> None:
    schema = Schema(program("@prefix ex: <http://example.org/> . p(X) :- q(X).")).knowing("ex:knows", 1)
    assert schema.name_of("ex:knows") == "ex:knows"


# --- declared relations only ---------------------------------------------------------------------------------------------

STRICT = "@relation edge(src: string, dst: string) . path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."


@pytest.mark.parametrize(
    "change",
    [
        lambda kb: kb.update(insert=[("edge", "b", "c"), ("egde", "a", "b")]),
        lambda kb: kb.update(insert=[("edge", str(n), "c") for n in range(100)] + [("egde", "a", "b")]),
        lambda kb: kb.update(insert=[("egde", "a", "b") for _ in range(100)]),
        lambda kb: kb.update(delete=[("egde", "a", "b")]),
        lambda kb: kb.update(upsert=[("egde", "a", "b")]),
        lambda kb: kb.add_rules("egde(a, b)."),
        lambda kb: kb.load("egde", pa.table({"src": ["a"], "dst": ["b"]})),
        lambda kb: next(kb.follow([{"insert": [["egde", "a", "b"]]}])),
    ],
)
def test_facts_of_relations_that_are_not_declared_are_refused(change: Any) -> None:
    kb = KnowledgeBase(STRICT, strict=True)
    kb.update(insert=[("edge", "a", "b")])
    before = sorted(kb.facts())
    with pytest.raises(TidelogError) as caught:
        change(kb)
    assert [problem.code for problem in caught.value.diagnostics] == ["TL073"] * len(caught.value.diagnostics)
    assert "`egde` is not declared" in str(caught.value)
    assert caught.value.diagnostics[0].fix == "did you mean `edge`?"
    assert sorted(kb.facts()) == before


def test_a_relation_of_rules_needs_a_declaration_as_well() -> None:
    kb = KnowledgeBase(STRICT, strict=True)
    with pytest.raises(TidelogError, match=r"(?s)TL073: `path` is not declared.*declare it: `@relation path\(c1: any, c2: any\)"):
        kb.update(insert=[("path", "a", "b")])
    assert kb.update(insert=[("edge", "a", "b")]).inserted.total == 2
    kb.add_rules("@relation node(name: string) .")
    assert kb.update(insert=[("node", "a")]).inserted.total == 1


def test_facts_in_the_text_are_refused_with_their_place() -> None:
    with pytest.raises(TidelogError) as caught:
        KnowledgeBase("@relation edge(a: int) .\nedge(1).\nedgy(2).\nother(3).\n", strict=True)
    assert [(problem.code, problem.place) for problem in caught.value.diagnostics] == [
        ("TL073", "<rules>:3:1"),
        ("TL073", "<rules>:4:1"),
    ]


def test_without_it_everything_is_taken() -> None:
    kb = KnowledgeBase(STRICT)
    assert kb.update(insert=[("egde", "a", "b")]).inserted.total == 1
    with pytest.raises(TidelogError, match="TL074: there is no strict=1"):
        KnowledgeBase(STRICT, strict=1)  # type: ignore[arg-type]


def test_it_stays_strict_in_a_folder_and_as_a_copy(tmp_path: Path) -> None:
    KnowledgeBase.open(tmp_path / "kb", STRICT, strict=True).close()
    with KnowledgeBase.open(tmp_path / "kb") as kb:
        for one in (kb, kb.copy()):
            with pytest.raises(TidelogError, match="TL073"):
                one.update(insert=[("egde", "a", "b")])
            assert one.update(insert=[("edge", "a", "b")]).inserted.total == 2
