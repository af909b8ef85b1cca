"""What an update did: facts by relation and part, counters, rules, and all of it as JSON."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest
from tests.local_engine import rows_of

from tidelog import KnowledgeBase, TidelogError
from tidelog.changes import (
    Change,
    ChangeStatistics,
    Counters,
    FactsByRelation,
    HyperNodeChange,
    HyperNodeVisit,
    Part,
    RuleChanges,
)
from tidelog.facts import Facts

PATHS = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."
CLOSED = {("a", "b"), ("b", "c"), ("a", "c")}
SEEN = """
@relation seen(what: iri, day: date, at: timestamp, word: literal) .
path(X, Y) :- edge(X, Y).
"""


def facts(name: str, *rows: tuple[object, ...]) -> Facts:
    kb = KnowledgeBase()
    kb.update(insert=[(name, *row) for row in rows] or [(name, 0)], delete=[] if rows else [(name, 0)])
    return kb[name]


class Computed:
    """Facts by relation that note how often they are asked for."""

    def __init__(self) -> None:
        self.asked: list[Part] = []
        self.parts: dict[Part, dict[str, Facts]] = {
            "all": {"q": facts("q", (1,), (2,)), "p": facts("p", ("a", "b"))},
            "explicit": {"p": facts("p", ("a", "b"))},
            "derived": {"q": facts("q", (1,), (2,))},
        }

    def __call__(self, part: Part) -> dict[str, Facts]:
        self.asked.append(part)
        return self.parts[part]


# --- facts by relation ---------------------------------------------------------------------------------------------------


def test_facts_are_computed_when_they_are_looked_at_and_once() -> None:
    compute = Computed()
    found = FactsByRelation(compute)
    assert compute.asked == []
    assert (list(found), len(found), found.total) == (["p", "q"], 2, 3)
    assert rows_of(found["q"]) == rows_of([(1,), (2,)])
    assert repr(found) == "{p: 1, q: 2}"
    assert compute.asked == ["all"]


def test_parts_are_kept() -> None:
    compute = Computed()
    found = FactsByRelation(compute)
    assert (list(found.explicit), list(found.derived)) == (["p"], ["q"])
    assert found.explicit is found.explicit
    assert compute.asked == ["explicit", "derived"]
    assert found.total == 3  # from the two parts
    assert compute.asked == ["explicit", "derived"]


def test_a_relation_without_facts_is_left_out() -> None:
    compute = Computed()
    compute.parts["all"]["none"] = KnowledgeBase("none(X) :- q(X).")["none"]
    assert "none" not in FactsByRelation(compute)


def test_a_relation_that_has_not_changed_has_no_facts_there() -> None:
    kb = KnowledgeBase(
        "@relation typed(name: string, at: date) . @prefix ex: <http://e.org/> . q(X) :- ex:p(X, _). r(X) :- q(X)."
    )
    change = kb.update(insert=[("ex:p", 1, 2)])
    assert list(change.inserted) == ["http://e.org/p", "q", "r"]
    none = change.inserted["typed"]
    assert (len(none), list(none), none.columns, bool(none), ("x",) in none) == (0, [], ("name", "at"), False, False)
    assert [str(field.type) for field in none.to_arrow().schema] == ["large_string", "date32[day]"]
    assert none.to_pandas().shape == (0, 2)
    assert "0 facts" in repr(none)
    assert len(change.deleted["ex:p"]) == len(change.deleted["<http://e.org/p>"]) == 0
    assert "typed" not in change.inserted
    assert "q" in change.inserted
    assert "ex:p" in change.inserted
    assert change.inserted.get("typed") is None
    assert change.inserted.get("typed", 7) == 7
    assert list(change.inserted.get("q")) == [(1,)]
    assert list(change.inserted.explicit["q"]) == []
    assert list(change.inserted.derived["q"]) == [(1,)]


def test_a_relation_that_nobody_knows_is_an_error_there() -> None:
    change = KnowledgeBase("path(X) :- edge(X).").update(insert=[("edge", 1)])
    with pytest.raises(TidelogError, match=r"TL073: there is no relation `pth`(.|\n)*did you mean `path`") as caught:
        change.inserted["pth"]
    assert [problem.code for problem in caught.value.diagnostics] == ["TL073"]
    assert "pth" not in change.inserted
    assert change.inserted.get("pth") is None
    with pytest.raises(TidelogError, match="TL071"):
        change.deleted[3]  # type: ignore[index]


def test_a_relation_that_a_change_of_rules_drops_is_still_there_in_the_change() -> None:
    kb = KnowledgeBase("r1: q(X) :- p(X). p(1).")
    kb.count("q")
    change = kb.remove_rules("r1")
    assert list(change.deleted["q"]) == [(1,)]
    assert "q" not in kb


def test_a_change_is_true_if_it_has_changed_something() -> None:
    kb = KnowledgeBase("q(X) :- p(X).")
    assert not kb.update()
    assert kb.update(insert=[("p", 1)])
    assert not kb.update(insert=[("p", 1), ("q", 1)])  # the second is explicit from now on, and held before
    assert not kb.update(delete=[("p", 2)])
    assert kb.add_rules("r(X) :- p(X), X > 5.")
    assert kb.update(delete=[("p", 1)])


# --- in notebooks --------------------------------------------------------------------------------------------------------


def test_html_of_changes() -> None:
    kb = KnowledgeBase("q(X) :- p(X).")
    kb.update(insert=[("p", 1), ("<b>", 1)])
    change = kb.update(insert=[("p", 2), ("p", 3)], delete=[("p", 1), ("<b>", 1)])
    shown = change._repr_html_()
    assert "<tr><td>p</td><td>2</td><td>1</td></tr>" in shown
    assert "<tr><td>&lt;b&gt;</td><td>0</td><td>1</td></tr>" in shown
    assert f"<p>{change.stats.algorithm}; " in shown
    assert "RuleChanges(added=1, removed=0" in kb.add_rules("r(X) :- q(X).")._repr_html_()
    assert change.inserted._repr_html_().count("<table>") == 2
    assert kb.update().inserted._repr_html_() == "<p>no facts</p>"


def test_html_of_statistics() -> None:
    change = KnowledgeBase("q(X) :- p(X).").update(insert=[("p", 1)])
    shown = change.stats._repr_html_()
    assert "<tr><td>inserted</td><td>1</td></tr>" in shown
    assert "<tr><td>counter inserted</td><td>1</td></tr>" in shown


# --- statistics and rules ------------------------------------------------------------------------------------------------


def test_counters_are_added_field_by_field() -> None:
    names = [field.name for field in fields(Counters)]
    total = Counters(**{name: at for at, name in enumerate(names)})
    total.add(Counters(**dict.fromkeys(names, 100)))
    assert [getattr(total, name) for name in names] == [100 + at for at in range(len(names))]
    assert total.marks == total.explicit_marks + total.implicit_marks


def rule_changes() -> RuleChanges:
    return RuleChanges(
        lambda: ("r1",),
        lambda: (),
        lambda: (HyperNodeChange("created", (), (("r1",),)), HyperNodeChange("created", (), (("r2",),))),
        lambda: (HyperNodeVisit((("r1",),), ("p",), "re-evaluated", 0.5),),
    )


def test_changes_of_rules() -> None:
    changed = rule_changes()
    assert (changed.added, changed.removed) == (("r1",), ())
    assert changed.hyper_nodes is changed.hyper_nodes
    assert repr(changed) == "RuleChanges(added=1, removed=0, created=2, visited=1)"
    described = json.loads(json.dumps(changed.to_dict()))
    assert described["visited"] == [{"rules": [["r1"]], "relations": ["p"], "how": "re-evaluated", "seconds": 0.5}]
    assert described["hyper_nodes"][0] == {"what": "created", "before": [], "after": [["r1"]]}


def test_a_change_as_a_dictionary() -> None:
    change = Change(FactsByRelation(Computed()), FactsByRelation(lambda _: {}), ChangeStatistics("bf", inserted=3), "u1")
    described = change.to_dict()
    assert list(described) == ["id", "inserted", "deleted", "stats"]
    assert (described["id"], described["deleted"]) == ("u1", {})
    assert described["inserted"] == {"p": [["a", "b"]], "q": [[1], [2]]}
    change.rules = rule_changes()
    assert list(change.to_dict())[-1] == "rules"
    assert repr(change) == "Change(inserted={p: 1, q: 2}, deleted={}, algorithm='bf')"


# --- as users see it -----------------------------------------------------------------------------------------------------


def test_what_a_change_says() -> None:
    kb = KnowledgeBase(PATHS)
    change = kb.update(insert=[("edge", "a", "b"), ("edge", "b", "c"), ("edge", "a", "b")])
    assert {name: set(facts) for name, facts in change.inserted.items()} == {"edge": {("a", "b"), ("b", "c")}, "path": CLOSED}
    assert dict(change.deleted) == {}
    assert (change.stats.inserted, change.stats.deleted, change.stats.without_effect) == (2, 0, 0)
    assert repr(change).startswith("Change(inserted={edge: 2, path: 3}, deleted={}, ")
    change = kb.update(insert=[("edge", "a", "b"), ("path", "a", "c")], delete=[("edge", "x", "y"), ("path", "b", "c")])
    assert (dict(change.inserted), dict(change.deleted)) == ({}, {})
    assert (change.stats.inserted, change.stats.deleted, change.stats.without_effect) == (1, 0, 3)
    change = kb.update(delete=[("edge", "b", "c")])
    assert {name: set(facts) for name, facts in change.deleted.items()} == {"edge": {("b", "c")}, "path": {("b", "c")}}
    assert set(kb["path"]) == {("a", "b"), ("a", "c")}, "explicit by now"
    assert change.stats.deleted == 1
    assert change.stats.seconds > 0


def test_a_change_as_a_line_of_json() -> None:
    kb = KnowledgeBase(SEEN)
    change = next(
        kb.follow(
            [
                {
                    "id": 9,
                    "insert": [
                        ["edge", 2, 1],
                        ["edge", 10, 1],
                        ["seen", "http://e.org/a", "2026-01-02", "2026-01-02T03:04:05Z", '"x"@en'],
                    ],
                }
            ]
        )
    )
    line = json.loads(change.to_json())
    assert "\n" not in change.to_json()
    assert line["id"] == 9
    assert line["inserted"]["edge"] == [[2, 1], [10, 1]]
    assert line["deleted"] == {}
    assert line["inserted"]["seen"] == [
        [
            {"iri": "http://e.org/a"},
            {"value": "2026-01-02", "type": "http://www.w3.org/2001/XMLSchema#date"},
            {"value": "2026-01-02T03:04:05Z", "type": "http://www.w3.org/2001/XMLSchema#dateTime"},
            {"value": "x", "lang": "en"},
        ]
    ]
    assert line["stats"]["inserted"] == 3
    assert line["stats"]["counters"]["explicit_marks"] == 0


def test_a_change_can_be_undone_by_a_stream() -> None:
    """What a change says in JSON is what a stream takes."""
    kb = KnowledgeBase("@relation edge(src: any, dst: any) .")
    change = json.loads(next(kb.follow([{"insert": [["edge", 1, 1.0], ["edge", True, {"iri": "x"}]]}])).to_json())
    back = {"delete": [[name, *fact] for name, facts in change["inserted"].items() for fact in facts]}
    assert next(kb.follow([back])).stats.deleted == 2
    assert kb.count("edge") == 0
