"""Facts, rules and literals as texts."""

from __future__ import annotations

from tests.local_engine import access_to

from tidelog import KnowledgeBase, Source
from tidelog.explain.wording import Wording, as_written, value_in, with_values
from tidelog.program.lowering import lower
from tidelog.syntax.tree import Constant
from tidelog.values import from_python

TEXT = "@prefix ex: <http://e.org/> .\nname: p(X + 1, Y) :- q(X, Y), not r(Y), N = count { r(X) }, N < 3.\n"
TEXT += "ex:s(X) :- p(X, ex:a).\nt(X) :-\n  q(X, X), % all\n  r(X)."


def test_texts() -> None:
    kb = KnowledgeBase(Source(TEXT))
    with access_to(kb) as access:
        words, one = Wording(access), Constant(from_python(1))
        assert words.rule(0).place == "name"
        assert words.rule(1).text == "ex:s(X) :- p(X, ex:a)."
        assert words.rule(2).text == "t(X) :- q(X, X), r(X)."
        rule = lower(kb.program.rules[0])
        written = as_written(rule)
        assert [words.literal(literal, {"X": one}) for literal in rule.body[:3]] == ["q(1, Y)", "not r(Y)", "N = count { r(1) }"]
        assert words.term(value_in(written["#1"], {"X": one})) == "1 + 1"
        assert words.literal(with_values(rule.body[3], {"N": one})) == "1 < 3"
        assert words.predicate("http://e.org/s") == "ex:s"
        assert words.fact(("p", (access.cell(from_python(1)), access.cell(from_python("a"))))) == "p(1, a)"
