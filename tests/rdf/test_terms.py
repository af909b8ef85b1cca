"""Terms of RDF as keys: nodes, literals, terms of pyoxigraph; and blank nodes that belong to their file."""

from __future__ import annotations

import sys

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog import TidelogError
from tidelog.core.keys import key_of
from tidelog.rdf.terms import key_of_term, keys_of_literals, keys_of_nodes, oxigraph, reason_for, scope_of
from tidelog.values import IRI, XSD, Literal, from_python

ox = pytest.importorskip("pyoxigraph")
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00\x01\x02"), max_size=8)
TYPED = st.one_of(TEXTS, st.integers().map(str), st.floats().map(str), st.sampled_from(["true", "1", "2026-11-15", " 5 "]))
DATATYPES = st.sampled_from([XSD + name for name in ("string", "integer", "double", "boolean", "date", "dateTime", "byte")])
LITERALS = st.one_of(
    st.builds(ox.Literal, TEXTS),
    st.builds(lambda text, tag: ox.Literal(text, language=tag), TEXTS, st.sampled_from(["en", "fr-be"])),
    st.builds(lambda text, kind: ox.Literal(text, datatype=ox.NamedNode(kind)), TYPED, DATATYPES),
)


@given(st.lists(LITERALS, max_size=6))
def test_columns_of_literals_have_the_keys_of_their_terms(terms: list[object]) -> None:
    found = keys_of_literals(pa.array([str(term) for term in terms], pa.string()))
    assert found.to_pylist() == [key_of_term(term, "") for term in terms]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('"x"', "x"),
        ('"a\\"b\\\\n\\n\\u00e9"', 'a"b\\n\né'),
        ('"chat"@FR-be', Literal("chat", None, "fr-be")),
        (f'"5"^^<{XSD}integer>', 5),
        (f'"5"^^<{XSD}byte>', Literal("5", XSD + "byte")),
        (f'"1"^^<{XSD}boolean>', True),
        (f'"x"^^<{XSD}integer>', None),
    ],
)
def test_keys_of_literals(written: str, value: object) -> None:
    """Alone and beside literals of every other form."""
    expected = None if value is None else key_of(from_python(value))
    others = ['"y"', '"z"@en', f'"7"^^<{XSD}integer>', '"w"^^<http://a/t>']
    assert keys_of_literals(pa.array([written])).to_pylist() == [expected]
    assert keys_of_literals(pa.array([*others, written])).to_pylist()[-1] == expected


def test_keys_of_nodes() -> None:
    iris, blanks = ["<http://a/b>", "<http://a/c>"], ["_:b0", "_:b1"]
    assert keys_of_nodes(pa.array(iris), "f-").to_pylist() == [key_of(from_python(IRI(iri[1:-1]))) for iri in iris]
    assert keys_of_nodes(pa.array(blanks), "f-").to_pylist() == ["u_:f-b0", "u_:f-b1"]
    mixed = keys_of_nodes(pa.array([iris[0], blanks[0], blanks[0]]), pa.array(["f-", "f-", "g-"]))
    assert mixed.to_pylist() == ["uhttp://a/b", "u_:f-b0", "u_:g-b0"]


@pytest.mark.parametrize(
    ("term", "key"),
    [
        (ox.NamedNode("http://a/b"), "uhttp://a/b"),
        (ox.BlankNode("b0"), "u_:f-b0"),
        (ox.Literal("x", language="fr"), key_of(from_python(Literal("x", None, "fr")))),
        (ox.Literal(7), key_of(from_python(7))),
        (ox.Literal("x", datatype=ox.NamedNode(XSD + "integer")), None),
        (ox.Triple(ox.NamedNode("http://a"), ox.NamedNode("http://a"), ox.NamedNode("http://a")), None),
    ],
    ids=str,
)
def test_keys_of_terms(term: object, key: str | None) -> None:
    assert key_of_term(term, "f-") == key


def test_a_file_has_a_mark_of_its_own() -> None:
    assert scope_of("a.nt") == scope_of("a.nt")
    assert len({scope_of("a.nt"), scope_of("b.nt"), scope_of("a\udcff.nt")}) == 3
    assert scope_of("a.nt").startswith("f")
    assert scope_of("a.nt").endswith("-")


def test_reasons() -> None:
    assert reason_for('"x"^^<t>') == '"x"^^<t> is not what its datatype says'
    assert reason_for("<< s p o >>") == "<< s p o >> is nothing that a fact can hold"


def test_the_library_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert oxigraph() is ox
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    with pytest.raises(TidelogError, match=r"(?s)TL084.*pip install \"tidelog\[rdf\]\""):
        oxigraph()
