r"""N-Triples in batches of lines: Arrow splits lines of the usual form; pyoxigraph rewrites all others into that form.

The usual form has one blank between its parts, escapes in literals only, and nothing behind the dot, as most programs write
it.  Lines that are still not in that form go term by term.  All paths give the same key for the same term.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tidelog.rdf.terms import key_of_term, keys_of_literals, keys_of_nodes, oxigraph, reason_for
from tidelog.text_limits import DEEPEST, TOO_DEEP

_IRI = r'<[A-Za-z][A-Za-z0-9+.\-]*:[^\x00-\x20<>"{}|^`\\]*>'
_BLANK = r"_:[A-Za-z0-9_][A-Za-z0-9_\-]*"
_LANGUAGE = r"@[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*"
_CODE = r"\\u(?:[1-9A-CE-Fa-ce-f][0-9A-Fa-f]{3}|0[0-9A-Fa-f][1-9A-Fa-f][0-9A-Fa-f]|[Dd][0-7][0-9A-Fa-f]{2})"
_LITERAL = rf'"(?:[^"\\\x00-\x08\n\r]|\\[tbnrf"\'\\]|{_CODE})*"(?:{_LANGUAGE}|\^\^{_IRI})?'
_USUAL = rf"^(?:{_IRI}|{_BLANK}) {_IRI} (?:{_IRI}|{_BLANK}|{_LITERAL}) \.$"
_NOTHING = r"^\s*(?:#.*)?$"
_LONGEST_SHOWN = 200


@dataclass(slots=True)
class Triples:
    """The triples of some lines as keys, and the rejected lines."""

    subjects: pa.Array
    predicates: pa.Array
    objects: pa.Array
    lines: NDArray[np.int64]
    """For each triple the number of its line, counted from 0."""
    rejected: list[tuple[int, str]] = field(default_factory=list)
    """The numbers of lines that are not triples, each with the reason."""


def parse_lines(lines: pa.Array, scopes: pa.Array | str) -> Triples:
    """The triples of lines; `scopes` mark the files of blank nodes.  Empty lines and comments are skipped."""
    lines, rejected = _valid(lines)
    if pc.any(pc.ends_with(lines, "\r")).as_py():
        lines = pc.utf8_rtrim(lines, "\r")
    usual = pc.match_substring_regex(lines, _USUAL)
    if pc.all(usual).as_py() is not False:
        return _split(lines, scopes, np.arange(len(lines)), rejected)
    mask = usual.to_numpy(zero_copy_only=False)
    places = np.flatnonzero(mask)
    plain = _split(lines.filter(usual), _at(scopes, usual), places, rejected)
    others = pc.and_(pc.invert(usual), pc.invert(pc.match_substring_regex(lines, _NOTHING)))
    odd_places = np.flatnonzero(others.to_numpy(zero_copy_only=False))
    if len(odd_places) == 0:
        return plain
    return _joined(plain, _parse_odd(lines.filter(others).to_pylist(), _list(_at(scopes, others), len(odd_places)), odd_places))


def _valid(lines: pa.Array) -> tuple[pa.Array, list[tuple[int, str]]]:
    """The lines, with an empty one for each that is not UTF-8, and the rejects."""
    try:
        lines.validate(full=True)
    except pa.ArrowInvalid:
        texts, rejected = [], []
        for at, data in enumerate(lines.cast(pa.binary()).to_pylist()):
            try:
                texts.append(data.decode())
            except UnicodeDecodeError:
                texts.append("")
                rejected.append((at, "it is not UTF-8 text"))
        return pa.array(texts, pa.string()), rejected
    return lines, []


def _split(lines: pa.Array, scopes: pa.Array | str, places: NDArray[np.int64], rejected: list[tuple[int, str]]) -> Triples:
    """The triples of lines of the usual form."""
    parts = pc.split_pattern(lines, " ", max_splits=2)
    subjects, predicates, rest = (pc.list_element(parts, at) for at in range(3))
    objects = pc.utf8_rtrim(rest, " .") if len(rest) else rest
    literal = pc.starts_with(objects, '"')
    if not pc.any(literal).as_py():
        keys = keys_of_nodes(objects, scopes)
    else:
        keys = pa.nulls(len(objects), pa.string())
        nodes = pc.invert(literal)
        keys = pc.replace_with_mask(keys, literal, keys_of_literals(objects.filter(literal)))
        keys = pc.replace_with_mask(keys, nodes, keys_of_nodes(objects.filter(nodes), _at(scopes, nodes)))
    triples = Triples(keys_of_nodes(subjects, scopes), keys_of_nodes(predicates, ""), keys, places, rejected)
    return triples if keys.null_count == 0 else _without_misfits(triples, objects)


def _without_misfits(triples: Triples, objects: pa.Array) -> Triples:
    """The triples whose objects have keys; the others are rejected."""
    misfits = pc.is_null(triples.objects)
    places = triples.lines[np.flatnonzero(misfits.to_numpy(zero_copy_only=False))]
    rejected = [(int(at), reason_for(_cut(text))) for at, text in zip(places, objects.filter(misfits).to_pylist(), strict=True)]
    keep = pc.invert(misfits)
    return Triples(
        triples.subjects.filter(keep),
        triples.predicates.filter(keep),
        triples.objects.filter(keep),
        triples.lines[keep.to_numpy(zero_copy_only=False)],
        triples.rejected + rejected,
    )


def _parse_odd(lines: list[str], scopes: list[str], places: NDArray[np.int64]) -> Triples:
    """The triples of lines of any form, parsed and rewritten by pyoxigraph."""
    ox = oxigraph()
    found, wheres, rejected = _found(lines)
    numbers = places[wheres]
    marks = pa.array([scopes[at] for at in wheres], pa.string())
    written = ox.serialize(found, format=ox.RdfFormat.N_TRIPLES).decode()
    again = pa.array(written.split("\n")[:-1] if len(found) else [], pa.string())
    usual = pc.match_substring_regex(again, _USUAL)
    mask = usual.to_numpy(zero_copy_only=False)
    rejected = [(int(places[at]), reason) for at, reason in rejected]
    triples = _split(again.filter(usual), marks.filter(usual), numbers[mask], rejected)
    odd = np.flatnonzero(~mask)
    return (
        triples
        if len(odd) == 0
        else _joined(triples, _by_terms([(found[at], scopes[wheres[at]], int(numbers[at])) for at in odd]))
    )


def _found(lines: list[str]) -> tuple[list[Any], NDArray[np.int64], list[tuple[int, str]]]:
    """Pyoxigraph's triples, their lines, and its rejects: all lines at once, or line by line if one is wrong."""
    ox = oxigraph()
    try:
        found = list(ox.parse(shallow("\n".join(lines)).encode(), format=ox.RdfFormat.N_TRIPLES))
        if len(found) == len(lines):
            return found, np.arange(len(lines)), []
    except (SyntaxError, ValueError):
        pass
    found, wheres, rejected = [], [], []
    for at, line in enumerate(lines):
        try:
            shallow(line)
            of_line = list(ox.parse(line.encode(), format=ox.RdfFormat.N_TRIPLES))
        except (SyntaxError, ValueError) as error:
            rejected.append((at, f"it is no triple: {said(error)}"))
            continue
        found += of_line
        wheres += [at] * len(of_line)
    return found, np.array(wheres, np.int64), rejected


_TOKENS = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\]|\\.)*"'
    r"|'''(?:[^'\\]|\\.|'(?!''))*'''|'(?:[^'\\]|\\.)*'"
    r"|<<|>>|<[^<>\s]*>|\\.|#[^\n\r]*",
    re.DOTALL,
)
"""What may hold brackets without meaning them, and the brackets of quoted triples."""


def shallow(text: str) -> str:
    """The text; `ValueError` if its quoted triples are nested deeply, since pyoxigraph recurses and would end the process."""
    depth = 0
    for token in _TOKENS.finditer(text) if text.count("<<") > DEEPEST else ():
        depth += {"<<": 1, ">>": -1}.get(token[0], 0)
        if depth > DEEPEST:
            raise ValueError(TOO_DEEP)
        depth = max(depth, 0)
    return text


def _by_terms(triples: list[tuple[Any, str, int]]) -> Triples:
    """The keys of triples, term by term."""
    keys: list[list[str | None]] = []
    numbers: list[int] = []
    rejected: list[tuple[int, str]] = []
    for triple, scope, number in triples:
        terms = triple.subject, triple.predicate, triple.object
        of_terms = [key_of_term(term, scope) for term in terms]
        if None in of_terms:
            rejected.append((number, reason_for(_cut(str(terms[of_terms.index(None)])))))
        else:
            keys.append(of_terms)
            numbers.append(number)
    columns = [pa.array(column, pa.string()) for column in zip(*keys, strict=True)] or [pa.array([], pa.string())] * 3
    return Triples(columns[0], columns[1], columns[2], np.array(numbers, np.int64), rejected)


def said(error: Exception) -> str:
    """Pyoxigraph's error message without the position."""
    message = str(getattr(error, "msg", None) or error)
    return re.sub(r"^Parser error at line \d+ .*?: ", "", message)


def _joined(first: Triples, second: Triples) -> Triples:
    return Triples(
        pa.concat_arrays([first.subjects, second.subjects]),
        pa.concat_arrays([first.predicates, second.predicates]),
        pa.concat_arrays([first.objects, second.objects]),
        np.concatenate([first.lines, second.lines]),
        first.rejected + second.rejected,
    )


def _at(scopes: pa.Array | str, mask: pa.Array) -> pa.Array | str:
    return scopes if isinstance(scopes, str) else scopes.filter(mask)


def _list(scopes: pa.Array | str, count: int) -> list[str]:
    return [scopes] * count if isinstance(scopes, str) else scopes.to_pylist()


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."
