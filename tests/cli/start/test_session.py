"""What lines of a session do, and what they answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.cli.start.session import HELP, Session

RULES = "@relation edge(src: string, dst: string) . path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."


@pytest.fixture
def session() -> Session:
    return Session(KnowledgeBase(RULES))


def said(session: Session, line: str) -> list[str]:
    return list(session.answer(line))


def test_facts_rules_and_questions(session: Session) -> None:
    assert said(session, "edge(a, b). edge(b, c).")[:2] == ["+ edge(a, b)", "+ edge(b, c)"]
    assert said(session, "path(a, X)?") == ["X", "-", "b", "c", "2 answers"]
    assert said(session, "path(a, X), X != b") == ["X", "-", "c", "1 answer"]
    assert said(session, "?- path(a, c)") == ["true"]
    assert said(session, "path(c, a)?") == ["false"]
    assert said(session, "back(Y, X) :- path(X, Y).")[-1] == "1 rule added, 0 removed"
    assert said(session, ":facts back")[0] == "back: 3 facts"


def test_nothing_and_comments(session: Session) -> None:
    assert said(session, "") == said(session, "   ") == said(session, "% a comment.") == []


def test_facts_go(session: Session) -> None:
    said(session, "edge(a, b). edge(b, c).")
    assert said(session, ":delete edge(a, b)") == ["- edge(a, b)", "- path(a, b)", "- path(a, c)"]
    assert said(session, ":delete edge(a, b).") == ["nothing has changed"]
    with pytest.raises(TidelogError, match="TL076"):
        said(session, ":delete edge(X, Y) :- path(X, Y).")
    with pytest.raises(TidelogError, match="TL040"):
        said(session, ":delete edge(1, 2).")


def test_facts_with_prefixes_and_types_go() -> None:
    session = Session(KnowledgeBase("@prefix ex: <http://e.org/> . @relation w(x: float) . ex:p(ex:a, 1). w(1)."))
    assert said(session, ":delete ex:p(ex:a, 1). w(1).")[0].startswith("- ex:p(ex:a, 1)")
    assert len(session.kb.facts()) == 0


def test_the_last_change_of_facts_is_taken_back(session: Session) -> None:
    said(session, "edge(a, b).")
    session.kb.update(insert=[("other", 1)])
    said(session, ":delete edge(a, b).")
    assert said(session, ":undo") == ["+ edge(a, b)", "+ path(a, b)"]
    assert said(session, ":undo") == ["- edge(a, b)", "- path(a, b)"]
    said(session, "q(X) :- edge(X, _).")
    with pytest.raises(TidelogError, match="TL076"):
        said(session, ":undo")


def test_rules_go(session: Session) -> None:
    said(session, "r1: q(X) :- edge(X, _).")
    assert said(session, ":remove r1")[-1] == "0 rules added, 1 removed"
    assert said(session, ":rules") == ["path(X, Y) :- edge(X, Y).", "path(X, Z) :- path(X, Y), edge(Y, Z)."]


def test_files(session: Session, tmp_path: Path) -> None:
    (tmp_path / "my edges.csv").write_text("a,b\n", encoding="utf-8")
    assert said(session, f":load edge '{tmp_path}/my edges.csv'")[0].startswith("edge: 1 row from")
    assert said(session, f":write path {tmp_path}/path.csv") == [f"1 facts -> {tmp_path}/path.csv"]
    assert (tmp_path / "path.csv").read_text(encoding="utf-8") == "c1,c2\na,b\n"
    for line in (":load edge", ":write", ":load edge 'x"):
        with pytest.raises(TidelogError, match="TL074"):
            said(session, line)


def test_what_there_is(session: Session) -> None:
    said(session, "edge(a, b).")
    assert said(session, ":relations") == ["edge(src, dst): 1 fact", "path(c1, c2): 1 fact"]
    assert said(session, ":check")[0].startswith("<rules>: 2 rules")
    assert said(session, ":help") == HELP.splitlines()
    assert "semi-naive" in said(session, ":stats")[0] or "transitive" in said(session, ":stats")[0]
    assert said(Session(KnowledgeBase()), ":stats") == ["nothing has been changed yet"]


def test_why_a_fact_holds(session: Session) -> None:
    said(session, "edge(a, b). edge(b, c).")
    assert "  it would hold with" in said(session, ":why-not path(c, zed)")
    lines = said(session, ":explain path(a, c).")
    assert lines[0].startswith("path(a, c)")
    assert any("edge(b, c)" in line for line in lines)
    with pytest.raises(TidelogError):
        said(session, ":explain path(c, a)")


def test_every_command_of_the_help_is_there(session: Session) -> None:
    named = {word.removeprefix(":") for word in HELP.replace("`", " ").split() if word[0] == ":" and word != ":-"}
    assert named <= {name.removeprefix(":") for name in session.names()}


def test_commands_may_be_shortened_and_misspelt(session: Session) -> None:
    assert said(session, ":rul") == said(session, ":rules")
    with pytest.raises(TidelogError, match=r"(?s)TL074: there is no command :rulse.*did you mean `:rules`"):
        said(session, ":rulse")
    with pytest.raises(TidelogError, match="the commands are :check"):
        said(session, ":xyz")


def test_an_error_changes_nothing_and_the_session_goes_on(session: Session) -> None:
    for line in ("edge(a).", "p(X) :- q(Y).", "edge(a, b", "nothing(X)?", ":facts nothing"):
        with pytest.raises(TidelogError):
            said(session, line)
    assert len(session.kb.facts()) == 0
    assert said(session, "edge(a, b).")
    assert not session.is_over
    assert said(session, ":quit") == []
    assert session.is_over


def test_facts_are_printed_as_they_are_written(session: Session) -> None:
    assert said(session, 'edge("North West", b).')[0] == '+ edge("North West", b)'


def test_what_would_be(session: Session) -> None:
    said(session, "edge(a, b). edge(b, c).")
    assert said(session, ":what-if edge(c, d)") == [
        *(f"+ {fact}" for fact in ("edge(c, d)", "path(a, d)", "path(b, d)", "path(c, d)")),
    ]
    assert said(session, ":what-if delete edge(b, c).") == ["- edge(b, c)", "- path(a, c)", "- path(b, c)"]
    assert said(session, ":what-if back(Y, X) :- edge(X, Y).")[-1] == "1 rule added, 0 removed"
    assert session.kb.count("path") == 3


def test_names_for_completion(session: Session) -> None:
    assert {":facts", ":quit", "edge", "path"} <= set(session.names())
