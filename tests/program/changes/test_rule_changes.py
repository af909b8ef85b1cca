"""Changes of rules as they are planned: what is meant, what is refused and with which code, and what the program is then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.program.from_text import live_rules, program, rule

from tidelog.errors import TidelogError
from tidelog.program.changes.live_rules import LiveRules
from tidelog.program.changes.rule_changes import NO_CHANGE, RuleChange, plan_change
from tidelog.program.changes.sameness import canonical_key
from tidelog.program.program import Program
from tidelog.program.relations import Relation
from tidelog.values import from_python

PATHS = """
r1: path(X, Y) :- edge(X, Y).
r2: path(X, Z) :- path(X, Y), edge(Y, Z).
loop(X) :- path(X, X).
@relation weight(node: string, kg: float).
"""
LIVE = live_rules(PATHS)


def planned(
    remove: str | Iterable[str] = (),
    add: str | Iterable[str] = (),
    *,
    live: LiveRules = LIVE,
    others: Mapping[str, Relation] | None = None,
) -> RuleChange:
    removed, added = ((text,) if isinstance(text, str) else text for text in (remove, add))
    return plan_change(live, removed, added, others or {})


def rules_after(change: RuleChange) -> list[str]:
    assert change.difference is not None
    after = change.difference.after
    return [after.shown(number) for number in after.written]


def problems(**asked: object) -> list[tuple[str, str]]:
    """Codes and messages of a change that is refused."""
    with pytest.raises(TidelogError) as caught:
        planned(**asked)  # type: ignore[arg-type]
    return [(problem.code, problem.message) for problem in caught.value.diagnostics]


# --- what is meant -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("r2", (1,)),
        (" r2\n", (1,)),
        ("path(A, C) :- edge(B, C), path(A, B).", (1,)),
        ("r1: path(A, B) :- edge(A, B).", (0,)),
        ("r9: path(A, B) :- edge(A, B).", (0,)),
        ("loop(Y) :- path(Y, Y). path(A, B) :- edge(A, B).", (2, 0)),
    ],
)
def test_rules_are_removed_by_name_or_text(text: str, numbers: tuple[int, ...]) -> None:
    difference = planned(remove=text).difference
    assert difference is not None
    assert difference.removed == numbers


def test_a_text_removes_every_copy_and_a_named_text_only_that_one() -> None:
    live = live_rules("a: p(X) :- e(X). b: p(Y) :- e(Y). p(X) :- e(X).")
    for text, numbers in (("p(Z) :- e(Z).", (0, 1, 2)), ("b: p(Z) :- e(Z).", (1,))):
        difference = planned(remove=text, live=live).difference
        assert difference is not None
        assert difference.removed == numbers


def test_a_rule_that_is_meant_twice_is_removed_once() -> None:
    difference = planned(remove=["r1", "path(A, B) :- edge(A, B)."]).difference
    assert difference is not None
    assert difference.removed == (0,)


def test_rules_are_added_behind_those_that_are_there() -> None:
    change = planned(remove="r1", add=["far: far(X) :- path(X, _).", "path(X, Y) :- road(X, Y). road(X, Y) :- lane(Y, X)."])
    assert rules_after(change) == [
        "r2",
        "loop(X) :- path(X, X).",
        "far",
        "path(X, Y) :- road(X, Y).",
        "road(X, Y) :- lane(Y, X).",
    ]
    assert change.difference is not None
    assert change.difference.after.program.relations["road"] == Relation("road", 2, has_rules=True, variables=("X", "Y"))
    assert (change.insert, change.delete, change.relations) == ([], [], {})


def test_clauses_without_a_body_are_facts() -> None:
    change = planned(remove="edge(a, b). weight(c, 3).", add='weight("x", 1 + 1). lonely(7).')
    assert change.difference is None
    assert change.insert == [("weight", (from_python("x"), from_python(2.0))), ("lonely", (from_python(7),))]
    assert change.delete == [
        ("edge", (from_python("a"), from_python("b"))),
        ("weight", (from_python("c"), from_python(3.0))),
    ]
    assert change.relations == {"lonely": Relation("lonely", 1, has_facts=True)}


def test_values_of_a_declared_column_are_coerced_in_rules() -> None:
    change = planned(add="light(X) :- weight(X, 1).")
    assert change.difference is not None
    again = planned(remove="light(Y) :- weight(Y, 1.0).", live=change.difference.after).difference
    assert again is not None
    assert again.removed == (3,)


def test_a_declaration_by_itself_is_a_change() -> None:
    change = planned(add="@relation height(node: string, m: float).")
    assert change.difference is not None
    assert change.difference.after.program.relations["height"].is_declared
    assert change.difference.components == set()


def test_nothing_is_no_change() -> None:
    assert planned() == NO_CHANGE
    assert planned(add="% only a comment\n") == NO_CHANGE


def test_prefixes_of_the_program_are_known_in_new_rules() -> None:
    live = live_rules("@prefix a: <http://a/> . a:p(X) :- a:q(X).")
    change = planned(add="@prefix b: <http://b/> . a:p(X) :- b:q(X).", live=live)
    assert change.difference is not None
    assert change.difference.after.components.deriving == {"http://a/p": (0, 1)}
    assert change.difference.after.program.prefixes == {"a": "http://a/", "b": "http://b/"}


def test_a_relation_that_has_only_facts_is_known() -> None:
    """`others` are relations that no rule mentions; a new rule takes them up with their arity."""
    others = {"seen": Relation("seen", 2, has_facts=True)}
    assert problems(add="p(X) :- seen(X).", others=others) == [("TL020", "`seen` has 1 argument here and 2 elsewhere")]
    change = planned(add="p(X) :- seen(X, _).", others=others)
    assert change.difference is not None
    assert change.difference.after.program.relations["seen"] == others["seen"]
    assert planned(remove="seen(1, 2).", others=others).delete == [("seen", (from_python(1), from_python(2)))]


# --- sameness ------------------------------------------------------------------------------------------------------------


def test_a_rule_that_replaces_itself_is_renamed() -> None:
    difference = planned(remove="r1", add="base: path(A, B) :- edge(A, B).").difference
    assert difference is not None
    assert (difference.removed, difference.added) == ((), ())
    assert difference.after.named == {"base": 0, "r2": 1}


def test_a_name_is_free_when_its_rule_is_removed() -> None:
    change = planned(remove="r1", add="r1: path(X, Y) :- edge(Y, X).")
    assert rules_after(change) == ["r2", "loop(X) :- path(X, X).", "r1"]


def test_of_two_copies_one_is_renamed_and_one_removed() -> None:
    live = live_rules("a: p(X) :- e(X). b: p(Y) :- e(Y).")
    difference = planned(remove=["a", "b"], add="c: p(Z) :- e(Z).", live=live).difference
    assert difference is not None
    assert difference.removed == (1,)
    assert difference.after.named == {"c": 0}
    assert problems(remove=["a"], add="c: p(Z) :- e(Z).", live=live) == [
        ("TL078", "this rule is there already, as `b`, at test.dl:1:18")
    ]


@pytest.mark.parametrize(
    ("add", "message"),
    [
        ("path(A, C) :- edge(B, C), path(A, B).", "this rule is there already, as `r2`, at test.dl:3:1"),
        ("loop(Z) :- path(Z, Z).", "this rule is there already, at test.dl:4:1"),
        ("p(X) :- edge(X, _). p(Y) :- edge(Y, _).", "this rule is there already"),
    ],
)
def test_a_rule_comes_once(add: str, message: str) -> None:
    assert problems(add=add) == [("TL078", message)]


# --- what is refused -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"remove": "r3"}, [("TL079", "there is no rule named `r3`")]),
        ({"remove": "path(X, Y) :- edge(Y, X)."}, [("TL079", "there is no such rule")]),
        ({"remove": "path(X) :- edge(X, _)."}, [("TL079", "there is no such rule")]),
        ({"remove": "edge(a)."}, [("TL079", "there is no such fact, nor can there be")]),
        ({"remove": "nowhere(a)."}, [("TL079", "there is no such fact, nor can there be")]),
        ({"remove": "@relation weight(node: string, kg: float)."}, [("TL079", "only rules and facts can be removed")]),
        ({"add": "r1: p(X) :- edge(X, _)."}, [("TL026", "another rule is named `r1` already, at test.dl:2:1")]),
        ({"add": "p(X) :- path(X)."}, [("TL020", "`path` has 1 argument here and 2 at test.dl:2:5")]),
        ({"add": "@relation path(a, b)."}, [("TL021", "`path` is there already, without a declaration")]),
        ({"add": "@relation weight(a, b)."}, [("TL021", "`weight` is declared already")]),
        ({"add": '@output path "p.csv".'}, [("TL074", "@output cannot come to a knowledge base that is there already")]),
        ({"add": "p(X, Y) :- edge(X, _)."}, [("TL030", "nothing in the body binds Y, which stands in the head")]),
    ],
    ids=str,
)
def test_refusals(asked: dict[str, str], expected: list[tuple[str, str]]) -> None:
    assert problems(**asked) == expected


@pytest.mark.parametrize(
    ("add", "code", "cycle"),
    [
        ("path(X, X) :- edge(X, _), not loop(X).", "TL050", ["path needs not loop", "loop needs path"]),
        ("edge(X, X) :- node(X), not edge(X, X).", "TL050", ["edge needs not edge"]),
        (
            "edge(X, N) :- node(X), N = count { loop(_) }.",
            "TL051",
            ["edge needs an aggregate of loop", "loop needs path", "path needs edge"],
        ),
        ("a(X) :- edge(X, _), not b(X). b(X) :- a(X).", "TL050", ["a needs not b", "b needs a"]),
    ],
)
def test_rules_that_cannot_be_stratified_are_refused(add: str, code: str, cycle: list[str]) -> None:
    """The cycle may go through rules that are there, through those that are new, or through both."""
    with pytest.raises(TidelogError) as caught:
        planned(add=add)
    (problem,) = caught.value.diagnostics
    assert problem.code == code
    assert [note.strip() for note in problem.notes if " needs " in note] == cycle
    assert LIVE.components.of["path"] is not LIVE.components.of["edge"]


def test_a_cycle_may_close_where_another_is_cut() -> None:
    change = planned(remove="loop(X) :- path(X, X).", add="path(X, X) :- edge(X, _), not loop(X).")
    assert rules_after(change) == ["r1", "r2", "path(X, X) :- edge(X, _), not loop(X)."]


def test_every_problem_is_said_at_once() -> None:
    found = problems(remove=["r7", "edge(a)."], add="p(X) :- path(X). @relation weight(a, b).")
    assert sorted(code for code, _ in found) == ["TL020", "TL021", "TL079", "TL079"]


@pytest.mark.parametrize(
    ("remove", "fix"),
    [
        ("r11", "did you mean `r1`?"),
        ("unlike_any", "write the name of a rule, or its text with the final `.`"),
        ("path(X, Y) :- edge(Y, X).", "did you mean `path(X, Y) :- edge(X, Y).`?"),
        ("lop(X) :- path(X, X).", "did you mean `loop`?"),
    ],
)
def test_a_rule_that_may_be_meant_is_named(remove: str, fix: str) -> None:
    with pytest.raises(TidelogError) as caught:
        planned(remove=remove)
    assert [problem.fix for problem in caught.value.diagnostics] == [fix]


# --- against the checks of a whole program -------------------------------------------------------------------------------

PREDICATES = "abcde"
LITERALS = st.builds(
    lambda form, name: form.format(name),
    st.sampled_from(("{}(X)", "{}(X)", "{}(X)", "not {}(X)", "N = count {{ {}(Y) }}, N > 0")),
    st.sampled_from(PREDICATES),
)
TEXTS = st.builds(
    lambda head, positive, others: f"{head}(X) :- {', '.join([f'{positive}(X)', *others])}.",
    st.sampled_from(PREDICATES),
    st.sampled_from(PREDICATES),
    st.lists(LITERALS, max_size=2),
)


def from_scratch(texts: Iterable[str]) -> Program | set[str]:
    """The program of some rules, or the codes of what is wrong with it."""
    try:
        return program("\n".join(texts))
    except TidelogError as error:
        return {problem.code for problem in error.diagnostics}


@given(steps=st.lists(st.lists(TEXTS, min_size=1, max_size=2, unique=True), max_size=8))
def test_changes_are_refused_as_the_whole_program_would_be(steps: list[list[str]]) -> None:
    """A step removes the rules that are there and adds the others; of rules that are the same one stands for all."""
    live = live_rules("")
    there: list[str] = []
    first: dict[object, str] = {}
    for texts in steps:
        step = dict.fromkeys(first.setdefault(canonical_key(rule(text)), text) for text in texts)
        remove = [text for text in step if text in there]
        add = [text for text in step if text not in there]
        left = [*(text for text in there if text not in remove), *add]
        expected = from_scratch(left)
        if isinstance(expected, set):
            assert {code for code, _ in problems(remove=remove, add=add, live=live)} == expected
            continue
        difference = planned(remove=remove, add=add, live=live).difference
        assert difference is not None
        live, there = difference.after, left
        assert live.program.rules == expected.rules
        assert live.program.relations == expected.relations
        assert live.program.graph.strata == expected.graph.strata
