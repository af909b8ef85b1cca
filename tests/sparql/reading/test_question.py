"""Words in the text of a query."""

from __future__ import annotations

from tidelog.source import Source, Span
from tidelog.sparql.reading.question import occurrences, without_texts


def test_words_outside_of_texts() -> None:
    source = Source("SELECT * { ?x <http://a/SERVICE> 'SERVICE' . ?service service }")
    assert list(occurrences(source, "SERVICE")) == [Span(54, 61)]


def test_texts_are_blanked() -> None:
    assert without_texts("a 'b\\'c' \"d\" <e> f") == "a" + " " * 16 + "f"
