"""Names of arguments that are not there."""

from __future__ import annotations

import inspect
from typing import Any

import pyarrow as pa
import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.surface.keywords import naming_options, unknown_option


@naming_options
def method(thing: int, *, columns: int = 0, header: int = 0) -> int:
    """A method."""
    if header:
        raise TypeError("from inside")
    return thing + columns


def test_a_call_is_what_it_was_and_looks_like_it() -> None:
    assert method(1, columns=2) == 3
    assert method.__doc__ == "A method."
    assert list(inspect.signature(method).parameters) == ["thing", "columns", "header"]


def test_a_misspelt_option_is_named_with_the_right_one() -> None:
    given: dict[str, Any] = {"colums": 2}
    with pytest.raises(TidelogError) as caught:
        method(1, **given)
    assert str(caught.value) == "error TL074: method() has no option colums=\n    fix: did you mean `columns=`?"
    with pytest.raises(TidelogError, match=r"(?s)TL074.*its options are thing=, columns=, header="):
        method(1, xyz=2)  # type: ignore[call-arg]


def test_other_type_errors_are_what_they_were() -> None:
    with pytest.raises(TypeError, match="from inside"):
        method(1, header=1)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        method()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="can only concatenate"):
        method("a", columns=2)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda kb: kb.load("p", pa.table({"x": [1]}), headr=True), "header="),
        (lambda kb: kb.load("p", pa.table({"x": [1]}), default={}), "defaults="),
        (lambda kb: kb.update(inserts=[("p", 1)]), "insert="),
        (lambda kb: kb.update(delet=[("p", 1)]), "delete="),
        (lambda kb: kb.follow([], waits=True), "wait="),
        (lambda kb: kb.load_rdf("x.nt", triple=True), "triples="),
        (lambda kb: kb.write_rdf("x.nt", relation=["p"]), "relations="),
        (lambda _: KnowledgeBase(algoritm="bf"), "algorithm="),
        (lambda _: KnowledgeBase(limit_fact=5), "limit_facts="),
        (lambda _: KnowledgeBase(writer="wait"), "writers="),
    ],
)
def test_options_of_a_knowledge_base(call: Any, meant: str) -> None:
    kb = KnowledgeBase("q(X) :- p(X).")
    with pytest.raises(TidelogError) as caught:
        call(kb)
    assert [problem.code for problem in caught.value.diagnostics] == ["TL074"]
    assert caught.value.diagnostics[0].fix == f"did you mean `{meant}`?"
    assert len(kb.facts()) == 0


def test_options_of_another_engine() -> None:
    with pytest.raises(TidelogError) as caught:
        KnowledgeBase(placement="rounds")
    assert caught.value.diagnostics[0].fix == 'leave it out, or choose engine="spark"'


def test_an_option_like_no_other() -> None:
    assert unknown_option("xyz", ["abc"], "here").diagnostics[0].fix == "its options are abc="
    assert unknown_option("xyz", ["abc"], "here", "leave it out").diagnostics[0].fix == "leave it out"
