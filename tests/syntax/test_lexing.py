"""Tokens: what a text is cut into, without ever failing; and parsers that start at a statement or a query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog.syntax.lexing import QUERY, STATEMENT, parser, tokens


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("p(X) :- q.", "NAME LPAR VARIABLE RPAR _ARROW NAME _END"),
        ("?x _ Ü ü", "VARIABLE VARIABLE FOREIGN_NAME FOREIGN_NAME"),
        ("1 1.5 1e9 1.", "INT FLOAT FLOAT INT _END"),
        ('\'a\' "b"@en "c"^^xsd:byte', "STRING STRING LANGUAGE STRING _TYPED PREFIXED"),
        ("<http://e/a#b> ex:a.b :c", "IRI PREFIXED PREFIXED"),
        ("X <- Y <= Z", "VARIABLE LEFT_ARROW VARIABLE COMPARE VARIABLE"),
        ("% a\n// b\n# c", "COMMENT COMMENT COMMENT"),
        ("@prefix @relation @foo", "_PREFIX _RELATION DIRECTIVE"),
        ('p("open\nq', "NAME LPAR OPEN_STRING NAME"),
        ("== ≠", "FOREIGN_OPERATOR STRAY"),
    ],
)
def test_types(text: str, types: str) -> None:
    assert " ".join(token.type for token in tokens(text)) == types


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_every_text_is_lexed_and_nothing_but_space_is_lost(text: str) -> None:
    at, between = 0, ""
    for token in tokens(text):
        assert text[token.start_pos : token.end_pos] == token
        between += text[at : token.start_pos]
        at = token.end_pos or 0
    assert not (between + text[at:]).strip()


def test_a_parser_starts_where_it_is_told() -> None:
    """A statement begins with a head; only a query may begin with a negation."""
    accepted = {start: parser(start).accepts() for start in (STATEMENT, QUERY)}  # type: ignore[no-untyped-call]
    assert "_PREFIX" in accepted[STATEMENT] - accepted[QUERY]
    assert "NOT" in accepted[QUERY] - accepted[STATEMENT]
