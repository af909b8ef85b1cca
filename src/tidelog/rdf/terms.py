"""Keys of RDF terms: the same term has the same key, however it is written and parsed.

`tidelog.values` defines the meaning of a literal: `"5"^^xsd:integer` is the integer 5, `"chat"@fr` a literal with a language.
Arrow converts whole columns of literals where that gives the same; only distinct texts of other forms go one by one.

A blank node is an IRI that starts with `_:`.  Its label belongs to its file, so the key includes a mark of the file.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.core.keys import key_of, keys_of_column
from tidelog.errors import fail
from tidelog.files.columns import TypedColumn, one_zero_one_nan
from tidelog.files.text.text_types import parse
from tidelog.values import RDF_TYPE, XSD, Kind, language_literal, typed_literal

if TYPE_CHECKING:
    from types import ModuleType

TYPE = RDF_TYPE

_KINDS = {
    XSD + "integer": (Kind.INT, r"^\S+$"),
    XSD + "double": (Kind.FLOAT, r"^\S+$"),
    XSD + "boolean": (Kind.BOOL, r"^(?:true|false|1|0)$"),
    XSD + "date": (Kind.DATE, r"^\S+$"),
    XSD + "dateTime": (Kind.TIMESTAMP, r"^\S+T\S+(?:Z|[+-][0-9]{2}:[0-9]{2})$"),
}
"""Datatypes with a kind of their own, and the texts for which `files.text_types` and `values.typed_literal` agree."""

_BACKSLASH, _QUOTE, _SEPARATOR = "\x00", "\x01", "\x02"
"""Temporary characters for an escaped backslash and quote, and between texts; the usual form has no such characters."""
_CODE = re.compile(r"\\u([0-9A-Fa-f]{4})")
_ESCAPES = (("\\t", "\t"), ("\\n", "\n"), ("\\r", "\r"), ("\\b", "\b"), ("\\f", "\f"), ("\\'", "'"))


def oxigraph() -> ModuleType:
    """The library that parses RDF, or an error with the install command."""
    try:
        import pyoxigraph
    except ImportError as error:
        raise fail("TL084", "pyoxigraph, which reads RDF, is not installed", fix='pip install "tidelog[rdf]"') from error
    return pyoxigraph


def scope_of(file: str) -> str:
    """The mark of a file in the keys of its blank nodes."""
    return f"f{hashlib.sha256(file.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}-"


def key_of_term(term: Any, scope: str) -> str | None:
    """The key of a pyoxigraph term; None for a literal that does not fit its datatype, or a quoted triple."""
    match type(term).__name__:
        case "NamedNode":
            return f"u{term.value}"
        case "BlankNode":
            return f"u_:{scope}{term.value}"
        case "Literal" if getattr(term, "direction", None) is not None:
            return None  # RDF 1.2; the language has no such values
        case "Literal" if term.language is not None:
            return key_of(language_literal(term.value, term.language))
        case "Literal":
            value = typed_literal(term.value, term.datatype.value)
            return None if value is None else key_of(value)
    return None


def keys_of_nodes(nodes: pa.Array, scopes: pa.Array | str) -> pa.Array:
    """The keys of IRIs in angle brackets and of blank nodes, each with the scope of its file."""
    blank = pc.starts_with(nodes, "_")
    if not pc.any(blank).as_py():
        return _iris(nodes)
    labels = pc.utf8_slice_codeunits(nodes, 2)
    keys = pc.binary_join_element_wise("u_:", scopes, labels, "")
    return pc.if_else(blank, keys, _iris(nodes)) if not pc.all(blank).as_py() else keys


def keys_of_literals(literals: pa.Array) -> pa.Array:
    """The keys of literals in the usual form of N-Triples; null for one that does not fit its datatype."""
    has_escapes = pc.any(pc.match_substring(literals, "\\")).as_py()
    if has_escapes:
        literals = pc.replace_substring(pc.replace_substring(literals, "\\\\", _BACKSLASH), '\\"', _QUOTE)
    parts = pc.split_pattern(literals, '"', max_splits=2)
    texts, tags = pc.list_element(parts, 1), pc.list_element(parts, 2)
    if has_escapes:
        for written, meant in _ESCAPES:
            texts = pc.replace_substring(texts, written, meant)
        texts = pc.replace_substring(pc.replace_substring(_decoded(texts), _QUOTE, '"'), _BACKSLASH, "\\")
    firsts = pc.utf8_slice_codeunits(tags, 0, 1).dictionary_encode()
    marks = firsts.dictionary.to_pylist()
    if len(marks) <= 1:
        return _marked(marks[0], texts, tags) if marks else pa.array([], pa.string())
    keys = pa.nulls(len(literals), pa.string())
    for mark in marks:
        mask = pc.equal(firsts, mark)
        keys = pc.replace_with_mask(keys, mask, _marked(mark, texts.filter(mask), tags.filter(mask)))
    return keys


def _decoded(texts: pa.Array) -> pa.Array:
    r"""The texts with `\uXXXX` codes decoded."""
    coded = pc.match_substring(texts, "\\u")
    if not pc.any(coded).as_py():
        return texts
    whole = _SEPARATOR.join(texts.filter(coded).to_pylist())
    decoded = _CODE.sub(lambda match: chr(int(match[1], 16)), whole).split(_SEPARATOR)
    return pc.replace_with_mask(texts, coded, pa.array(decoded, pa.string()))


def _marked(mark: str, texts: pa.Array, tags: pa.Array) -> pa.Array:
    """The keys of literals that are all plain, all with a language, or all with a datatype."""
    if mark == "":
        return pc.binary_join_element_wise("s", texts, "")
    if mark == "@":
        return _tagged("l@", pc.utf8_lower(pc.utf8_slice_codeunits(tags, 1)), texts)
    datatypes = tags.dictionary_encode()
    names = [name[3:-1] for name in datatypes.dictionary.to_pylist()]
    if len(names) == 1:
        return _typed(names[0], texts)
    keys = pa.nulls(len(texts), pa.string())
    for name, written in zip(names, datatypes.dictionary, strict=True):
        mask = pc.equal(datatypes, written)
        keys = pc.replace_with_mask(keys, mask, _typed(name, texts.filter(mask)))
    return keys


def _tagged(mark: str, tags: pa.Array, texts: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(mark, pc.utf8_length(tags).cast(pa.string()), " ", tags, texts, "")


def _typed(datatype: str, texts: pa.Array) -> pa.Array:
    """The keys of literals of one datatype."""
    if datatype == XSD + "string":
        return pc.binary_join_element_wise("s", texts, "")
    if datatype not in _KINDS:
        return pc.binary_join_element_wise(f"l^{len(datatype)} {datatype}", texts, "")
    kind, form = _KINDS[datatype]
    usual = pc.match_substring_regex(texts, form)
    if not pc.all(usual).as_py():
        return _one_by_one(datatype, texts)
    values = parse(kind, pa.chunked_array([texts])).combine_chunks()
    if values.null_count:
        return _one_by_one(datatype, texts)
    return keys_of_column(TypedColumn(kind, one_zero_one_nan(values) if kind is Kind.FLOAT else values))


def _one_by_one(datatype: str, texts: pa.Array) -> pa.Array:
    """The keys of a column with unusual texts, by its distinct texts."""
    coded = texts.dictionary_encode()
    values = [typed_literal(text, datatype) for text in coded.dictionary.to_pylist()]
    keys = pa.array([None if value is None else key_of(value) for value in values], pa.string())
    return keys.take(coded.indices)


def _iris(nodes: pa.Array) -> pa.Array:
    """`<http://a>` as `uhttp://a`."""
    return pc.binary_replace_slice(pc.utf8_rtrim(nodes, ">"), 0, 1, "u")


def reason_for(term: str) -> str:
    """The reason why a term has no key, for the report of a rejected line."""
    return f"{term} is not what its datatype says" if term.startswith('"') else f"{term} is nothing that a fact can hold"
