"""The tokens of RDFox's rule language."""

from __future__ import annotations

import pytest

from tidelog.errors import Diagnostics, TidelogError
from tidelog.source import Source
from tidelog.syntax.dlog.lexing import lex


def kinds(text: str) -> list[tuple[str, str]]:
    diagnostics = Diagnostics()
    tokens, _, strays = lex(Source(text), diagnostics)
    diagnostics.raise_errors()
    assert strays == []
    assert [text[token.span.start : token.span.end] for token in tokens] == [token.text for token in tokens]
    return [(token.kind, token.text) for token in tokens]


def test_names_variables_and_signs() -> None:
    assert kinds("?x $y :p ex:a.b : _:b1 a ON") == [
        ("VARIABLE", "?x"),
        ("VARIABLE", "$y"),
        ("PREFIXED", ":p"),
        ("PREFIXED", "ex:a.b"),
        ("PREFIXED", ":"),
        ("BLANK", "_:b1"),
        ("WORD", "a"),
        ("WORD", "ON"),
    ]
    assert kinds(":C[?x]:-:D[?x].") == kinds(":C [ ?x ] :- :D [ ?x ] .")
    assert [kind for kind, _ in kinds("<= >= != && || ! ^^ = < >")] == ["SIGN"] * 10


def test_numbers_and_texts() -> None:
    assert [kind for kind, _ in kinds("5 2.5 .5 1e3 2.5E-3 5.")] == [
        "INTEGER",
        "DECIMAL",
        "DECIMAL",
        "DOUBLE",
        "DOUBLE",
        "INTEGER",
        "SIGN",
    ]
    assert kinds('"a" \'b\' """c "d"\ne""" "f"@en-GB "g"^^<http://t>') == [
        ("STRING", '"a"'),
        ("STRING", "'b'"),
        ("STRING", '"""c "d"\ne"""'),
        ("STRING", '"f"'),
        ("LANGUAGE", "@en-GB"),
        ("STRING", '"g"'),
        ("SIGN", "^^"),
        ("IRI", "<http://t>"),
    ]


def test_an_iri_is_no_comparison_and_a_comment_is_no_token() -> None:
    assert kinds("?x < ?y") == [("VARIABLE", "?x"), ("SIGN", "<"), ("VARIABLE", "?y")]
    assert kinds("<http://a#b> # <c>\n// d\n/* e */ <f>") == [("IRI", "<http://a#b>"), ("IRI", "<f>")]
    _, comments, _ = lex(Source("# one\n:a /* two */"), Diagnostics())
    assert [(one.text, one.start) for one in comments] == [("# one", 0), ("/* two */", 9)]


@pytest.mark.parametrize(("text", "code", "at"), [('"open', "TL003", 0), ("§", "TL002", 0), (":a \x00", "TL002", 3)])
def test_what_is_no_token(text: str, code: str, at: int) -> None:
    diagnostics = Diagnostics()
    assert lex(Source(text), diagnostics)[2] == [at]
    with pytest.raises(TidelogError, match=code):
        diagnostics.raise_errors()
