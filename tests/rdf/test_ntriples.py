"""N-Triples as keys: each way of writing and of parsing a term gives the same key, and what is no triple is rejected."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog.core.keys import key_of, value_of
from tidelog.rdf import ntriples
from tidelog.rdf.ntriples import Triples, parse_lines
from tidelog.rdf.terms import key_of_term, keys_of_literals
from tidelog.values import IRI, XSD, Literal, from_python

ox = pytest.importorskip("pyoxigraph")


def parsed(*lines: str, scope: str = "f-") -> Triples:
    return parse_lines(pa.array(lines, pa.string()), scope)


def objects(*lines: str) -> list[str]:
    """The keys of the objects, in the order of the lines."""
    found = parsed(*lines)
    return [key for _, key in sorted(zip(found.lines.tolist(), found.objects.to_pylist(), strict=True))]


def of(written: str) -> str:
    """A line with this object."""
    return f"<http://a/s> <http://a/p> {written} ."


SAME = [
    ('"café"', ['"caf\\u00e9"', '"caf\\u00E9"', '"caf\\U000000e9"', '"café"^^<http://www.w3.org/2001/XMLSchema#string>']),
    ('"a\\"b\\\\c\\nd\\te"', ['"a\\u0022b\\u005Cc\\u000Ad\\u0009e"', '"a\\"b\\u005cc\\nd\\te"']),
    ('"\\\\u0041"', ['"\\u005Cu0041"', '"\\\\\\u00750041"']),
    ('"\\\\n"', ['"\\u005Cn"']),
    ('"it\'s"', ['"it\\\'s"']),
    ("<http://a/é>", ["<http://a/\\u00e9>", "<http://a/\\U000000E9>"]),
    ('"chat"@fr-be', ['"chat"@FR-be', '"chat"@fr-BE', '"c\\u0068at"@fr-be']),
    (f'"5"^^<{XSD}integer>', [f'"+5"^^<{XSD}integer>', f'"005"^^<{XSD}integer>', f'"\\u0035"^^<{XSD}integer>']),
    (f'"2.5"^^<{XSD}double>', [f'"25e-1"^^<{XSD}double>', f'"2.50"^^<{XSD}double>']),
    (f'"0.0"^^<{XSD}double>', [f'"-0.0"^^<{XSD}double>', f'"0"^^<{XSD}double>']),
    (f'"NaN"^^<{XSD}double>', [f'"nan"^^<{XSD}double>']),
    (f'"true"^^<{XSD}boolean>', [f'"1"^^<{XSD}boolean>']),
    (
        f'"2026-11-15T06:43:00Z"^^<{XSD}dateTime>',
        [f'"2026-11-15T07:43:00+01:00"^^<{XSD}dateTime>', f'"2026-11-15T06:43:00.000000Z"^^<{XSD}dateTime>'],
    ),
    ("_:b0", ["_:b0"]),
]


@pytest.mark.parametrize(("written", "others"), SAME, ids=[written for written, _ in SAME])
def test_one_term_has_one_key(written: str, others: list[str]) -> None:
    keys = objects(of(written), *map(of, others))
    assert len(keys) == 1 + len(others)
    assert len(set(keys)) == 1


VALUES = [
    ("<http://a/b>", IRI("http://a/b")),
    ("_:b0", IRI("_:f-b0")),
    ('"x"', "x"),
    ('""', ""),
    ('"x"@en', Literal("x", None, "en")),
    (f'"5"^^<{XSD}byte>', Literal("5", XSD + "byte")),
    ('"x"^^<http://a/é>', Literal("x", "http://a/é")),
    (f'"12"^^<{XSD}integer>', 12),
    (f'"9223372036854775808"^^<{XSD}integer>', Literal("9223372036854775808", XSD + "integer")),
    (f'"1e3"^^<{XSD}double>', 1000.0),
    (f'"2026-11-15T06:43:00"^^<{XSD}dateTime>', Literal("2026-11-15T06:43:00", XSD + "dateTime")),
    (f'"2026-11-15Z"^^<{XSD}date>', Literal("2026-11-15Z", XSD + "date")),
    (f'"1.50"^^<{XSD}decimal>', Literal("1.50", XSD + "decimal")),
]


@pytest.mark.parametrize(("written", "value"), VALUES, ids=[written for written, _ in VALUES])
def test_keys_are_those_of_values(written: str, value: object) -> None:
    (key,) = objects(of(written))
    assert key == key_of(from_python(value))
    assert value_of(key) == from_python(value)


def test_all_values_together() -> None:
    keys = objects(*(of(written) for written, _ in VALUES))
    assert keys == [key_of(from_python(value)) for _, value in VALUES]


def test_subjects_and_predicates() -> None:
    found = parsed("<http://a/s> <http://a/p> <http://a/o> .", "_:x <http://a/q> _:y .")
    assert found.subjects.to_pylist() == ["uhttp://a/s", "u_:f-x"]
    assert found.predicates.to_pylist() == ["uhttp://a/p", "uhttp://a/q"]
    assert found.objects.to_pylist() == ["uhttp://a/o", "u_:f-y"]


def test_blank_nodes_belong_to_their_files() -> None:
    lines = ["_:x <http://a/p> _:x .", "_:x  <http://a/p>  _:x ."]
    found = parse_lines(pa.array([*lines, *lines]), pa.array(["f-", "f-", "g-", "g-"]))
    assert sorted(zip(found.lines.tolist(), found.subjects.to_pylist(), found.objects.to_pylist(), strict=True)) == [
        (0, "u_:f-x", "u_:f-x"),
        (1, "u_:f-x", "u_:f-x"),
        (2, "u_:g-x", "u_:g-x"),
        (3, "u_:g-x", "u_:g-x"),
    ]


def test_other_forms_of_lines() -> None:
    found = parsed(
        "# a comment",
        "",
        "  ",
        "<http://a/s>\t<http://a/p>\t<http://a/o>\t.",
        "<http://a/s><http://a/p><http://a/o>.",
        "  <http://a/s> <http://a/p> <http://a/o> . # more",
        "<http://a/s> <http://a/p> <http://a/o> .\r",
        '<http://a/s> <http://a/p> "#" .',
    )
    assert sorted(found.lines.tolist()) == [3, 4, 5, 6, 7]
    assert found.rejected == []


REJECTED = [
    ("<http://a/s> <http://a/p> .", "it is no triple: "),
    ("<s> <http://a/p> <http://a/o> .", "it is no triple: "),
    ('<http://a/s> <http://a/p> "open .', "it is no triple: "),
    ('"s" <http://a/p> <http://a/o> .', "it is no triple: "),
    ("<http://a/s> <http://a/p> <http://a/o>", "it is no triple: "),
    ("nothing of the kind", "it is no triple: "),
    (of('"\\uD800"'), "it is no triple: "),
    (of(f'"abc"^^<{XSD}integer>'), f'"abc"^^<{XSD}integer> is not what its datatype says'),
    (of(f'" 5"^^<{XSD}integer>'), f'" 5"^^<{XSD}integer> is not what its datatype says'),
    (of(f'"2026-02-30"^^<{XSD}date>'), f'"2026-02-30"^^<{XSD}date> is not what its datatype says'),
    (of(f'"TRUE"^^<{XSD}boolean>'), f'"TRUE"^^<{XSD}boolean> is not what its datatype says'),
    (of('"x"@en--ltr'), '"x"@en--ltr'),
    (of("<<( <http://a/s> <http://a/p> <http://a/o> )>>"), "<http://a/s> <http://a/p> <http://a/o> is nothing that"),
]


def test_what_is_rejected_alone_and_among_others() -> None:
    for line, reason in REJECTED:
        found = parsed(line)
        assert len(found.subjects) == 0, line
        ((at, said),) = found.rejected
        assert at == 0
        assert said.startswith(reason), line
        assert "at line" not in said
    good = [of(written) for written, _ in VALUES]
    found = parsed(*good, *(line for line, _ in REJECTED), *good)
    assert sorted(at for at, _ in found.rejected) == list(range(len(good), len(good) + len(REJECTED)))
    assert len(found.subjects) == 2 * len(good)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
DATATYPES = st.sampled_from([XSD + name for name in ("string", "integer", "double", "boolean", "date", "dateTime", "byte")])
TERMS = st.one_of(
    st.builds(ox.Literal, TEXTS),
    st.builds(lambda text, tag: ox.Literal(text, language=tag), TEXTS, st.sampled_from(["en", "fr-be"])),
    st.builds(
        lambda text, datatype: ox.Literal(text, datatype=ox.NamedNode(datatype)),
        st.one_of(
            TEXTS,
            st.integers().map(str),
            st.floats().map(str),
            st.dates().map(str),
            st.datetimes().map(lambda d: d.isoformat() + "Z"),
        ),
        DATATYPES,
    ),
    st.builds(lambda number: ox.BlankNode(f"b{number}"), st.integers(0, 9)),
    st.builds(lambda text: ox.NamedNode(f"http://a/{text}"), st.text("abé.:/", max_size=5)),
)


def _escaped(text: str) -> str:
    return "".join(f"\\u{ord(c):04X}" if ord(c) < 0x10000 else f"\\U{ord(c):08X}" for c in text)


def _written(term: object, how: int) -> str:
    """A term as pyoxigraph writes it; or a literal with all its characters as codes."""
    if how == 0 or type(term).__name__ != "Literal":
        return str(term)
    written = f'"{_escaped(term.value)}"'  # type: ignore[attr-defined]
    if term.language is not None:  # type: ignore[attr-defined]
        return f"{written}@{term.language}"  # type: ignore[attr-defined]
    return f"{written}^^<{term.datatype.value}>"  # type: ignore[attr-defined]


@given(st.lists(st.tuples(TERMS, st.integers(0, 1)), min_size=1, max_size=8))
def test_the_fast_way_agrees_with_pyoxigraph(terms: list[tuple[object, int]]) -> None:
    found = parsed(*(of(_written(term, how)) for term, how in terms))
    expected = {at: key for at, (term, _) in enumerate(terms) if (key := key_of_term(term, "f-")) is not None}
    assert dict(zip(found.lines.tolist(), found.objects.to_pylist(), strict=True)) == expected
    assert sorted(at for at, _ in found.rejected) == sorted(set(range(len(terms))) - set(expected))


def test_no_lines() -> None:
    found = parsed()
    assert (len(found.subjects), found.rejected) == (0, [])
    assert len(keys_of_literals(pa.array([], pa.string()))) == 0


def test_usual_lines_do_without_pyoxigraph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ntriples, "oxigraph", lambda: pytest.fail("not needed"))
    assert len(parsed(*(of(written) for written, _ in VALUES if "é" not in written)).subjects) == len(VALUES) - 1
