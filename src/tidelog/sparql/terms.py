"""Terms of rdflib as values, and values as terms of rdflib: expressions are evaluated over these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidelog.errors import fail
from tidelog.rdf.writing import typed_text
from tidelog.values import IRI, XSD, Kind, Literal, Value, from_python, language_literal, string, typed_literal

if TYPE_CHECKING:
    from types import ModuleType

UNBOUND = -1
"""In a column of ids: no value."""


def rdflib() -> ModuleType:
    """The library that parses SPARQL and computes its functions, or an error with the install command."""
    try:
        import rdflib as found
    except ImportError as error:
        raise fail("TL084", "rdflib, which parses SPARQL, is not installed", fix='pip install "tidelog[rdf]"') from error
    return found


def value_of(term: Any) -> Value:
    """The value of a term of rdflib.  A literal that is not what its datatype says is a value of its own, as in SPARQL."""
    match type(term).__name__:
        case "URIRef":
            return from_python(IRI(str(term)))
        case "BNode":
            return from_python(IRI(f"_:{term}"))
    if term.language:
        return language_literal(str(term), term.language)
    if term.datatype is None:
        return string(str(term))
    value = typed_literal(str(term), str(term.datatype))
    return Value(Kind.LITERAL, Literal(str(term), str(term.datatype))) if value is None else value


def term_of(value: Value) -> Any:
    """The term of a value."""
    from rdflib import BNode, URIRef
    from rdflib import Literal as Written

    match value.content:
        case IRI(text):
            return BNode(text[2:]) if text.startswith("_:") else URIRef(text)
        case Literal(text, datatype, language):
            return Written(text, lang=language, datatype=None if datatype is None else URIRef(datatype), normalize=False)
        case str(text):
            return Written(text)
    text, datatype = typed_text(value)
    return Written(text, datatype=URIRef(XSD + datatype), normalize=False)
