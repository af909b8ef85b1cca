"""Names, arities and types; that results have these types is tested in `test_evaluate`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog.functions.signatures import (
    AGGREGATES,
    ANY,
    BOOL,
    FLOAT,
    FUNCTIONS,
    INT,
    NEVER,
    NUMBER,
    STRING,
    Type,
    aggregate_type,
    is_reserved,
    type_name,
)
from tidelog.values import Kind

DATE, TIMESTAMP, IRI, LITERAL = (frozenset({kind}) for kind in (Kind.DATE, Kind.TIMESTAMP, Kind.IRI, Kind.LITERAL))
types = st.frozensets(st.sampled_from(list(Kind)), min_size=1)


def test_all_functions_of_the_language_are_there() -> None:
    numeric = {"+", "-", "*", "/", "mod", "abs", "floor", "ceil", "round", "sqrt", "pow", "min", "max"}
    on_strings = {"cat", "length", "lower", "upper", "substr", "contains", "starts_with", "ends_with", "matches"}
    assert set(FUNCTIONS) == numeric | on_strings | {"string", "int", "float"}
    assert set(AGGREGATES) == {"count", "sum", "min", "max", "avg", "median"}


def test_booleans_are_given_by_those_that_can_stand_alone() -> None:
    assert {name for name, function in FUNCTIONS.items() if function.is_boolean} == {
        "contains",
        "starts_with",
        "ends_with",
        "matches",
    }


@pytest.mark.parametrize(
    ("name", "counts", "words"),
    [
        ("+", {2}, "2 arguments"),
        ("-", {1, 2}, "1 or 2 arguments"),
        ("mod", {2}, "2 arguments"),
        ("abs", {1}, "1 argument"),
        ("pow", {2}, "2 arguments"),
        ("substr", {3}, "3 arguments"),
        ("matches", {2}, "2 arguments"),
        ("string", {1}, "1 argument"),
        ("min", {1, 2, 3, 4, 5}, "1 or more arguments"),
        ("cat", {1, 2, 3, 4, 5}, "1 or more arguments"),
    ],
)
def test_arities(name: str, counts: set[int], words: str) -> None:
    assert {count for count in range(6) if FUNCTIONS[name].takes(count)} == counts
    assert FUNCTIONS[name].arity == words


@pytest.mark.parametrize(
    ("name", "args", "result"),
    [
        ("+", (INT, INT), INT),
        ("+", (INT, FLOAT), FLOAT),
        ("+", (FLOAT, FLOAT), FLOAT),
        ("+", (NUMBER, INT), NUMBER),
        ("+", (NUMBER, FLOAT), FLOAT),
        ("+", (ANY, ANY), NUMBER),
        ("+", (STRING, INT), NEVER),
        ("+", (BOOL, INT), NEVER),
        ("+", (INT, NEVER), NEVER),
        ("/", (INT, INT), INT),
        ("mod", (INT, FLOAT), FLOAT),
        ("-", (INT,), INT),
        ("-", (DATE,), NEVER),
        ("-", (DATE, DATE), FLOAT),
        ("-", (TIMESTAMP, TIMESTAMP), FLOAT),
        ("-", (DATE, TIMESTAMP), NEVER),
        ("-", (DATE | INT, DATE | INT), INT | FLOAT),
        ("-", (ANY, INT), NUMBER),
        ("abs", (INT,), INT),
        ("abs", (FLOAT,), FLOAT),
        ("floor", (FLOAT,), INT),
        ("ceil", (INT,), INT),
        ("round", (ANY,), INT),
        ("round", (STRING,), NEVER),
        ("sqrt", (INT,), FLOAT),
        ("pow", (INT, INT), NUMBER),
        ("pow", (FLOAT, INT), FLOAT),
        ("pow", (STRING, INT), NEVER),
        ("min", (INT, FLOAT), NUMBER),
        ("max", (STRING, STRING), STRING),
        ("min", (STRING, INT), NEVER),
        ("min", (IRI, IRI), NEVER),
        ("max", (BOOL | STRING, BOOL | INT), BOOL),
        ("cat", (STRING, STRING, STRING), STRING),
        ("cat", (STRING, STRING, INT), NEVER),
        ("length", (STRING,), INT),
        ("substr", (STRING, INT, INT), STRING),
        ("substr", (STRING, INT, FLOAT), NEVER),
        ("substr", (INT, INT, INT), NEVER),
        ("contains", (STRING, STRING), BOOL),
        ("contains", (STRING, LITERAL), NEVER),
        ("string", (IRI,), STRING),
        ("int", (STRING,), INT),
        ("int", (BOOL,), NEVER),
        ("float", (INT | BOOL,), FLOAT),
        ("float", (DATE,), NEVER),
    ],
)
def test_types_of_results(name: str, args: tuple[Type, ...], result: Type) -> None:
    assert FUNCTIONS[name].result(args) == result


@given(st.data())
def test_more_that_may_come_in_never_means_less_that_may_come_out(data: st.DataObject) -> None:
    function = FUNCTIONS[data.draw(st.sampled_from(sorted(FUNCTIONS)))]
    count = data.draw(st.integers(function.least, min(function.most, 4)))
    wide = data.draw(st.lists(types, min_size=count, max_size=count))
    narrow = [frozenset({data.draw(st.sampled_from(sorted(kinds)))}) for kinds in wide]
    assert function.result(narrow) <= function.result(wide)


@pytest.mark.parametrize(
    ("name", "target", "result"),
    [
        ("count", ANY, INT),
        ("count", STRING, INT),
        ("sum", INT, INT),
        ("sum", NUMBER, NUMBER),
        ("sum", FLOAT, NUMBER),  # of nothing it is the integer 0
        ("sum", STRING, NEVER),
        ("avg", INT, FLOAT),
        ("avg", NUMBER, FLOAT),
        ("avg", STRING, NEVER),
        ("median", INT, FLOAT),
        ("median", ANY, FLOAT),
        ("median", DATE, NEVER),
        ("min", INT, INT),
        ("min", NUMBER, NUMBER),
        ("max", STRING, STRING),
        ("max", DATE, DATE),
        ("max", IRI, NEVER),
        ("min", ANY, ANY - IRI - LITERAL),
    ],
)
def test_types_of_aggregates(name: str, target: Type, result: Type) -> None:
    assert aggregate_type(name, target) == result


@pytest.mark.parametrize(
    ("kinds", "words"),
    [(INT, "int"), (NUMBER, "int or float"), (BOOL | STRING, "string or bool"), (ANY, "any"), (NEVER, "nothing"), (IRI, "iri")],
)
def test_types_in_words(kinds: Type, words: str) -> None:
    assert type_name(kinds) == words


@pytest.mark.parametrize(
    ("name", "arity"),
    [
        ("abs", 1),
        ("pow", 2),
        ("min", 1),
        ("max", 7),
        ("substr", 3),
        ("contains", 2),
        ("contains", 3),
        ("date", 1),
        ("timestamp", 1),
        ("mod", 2),
    ],
)
def test_names_of_functions_are_reserved(name: str, arity: int) -> None:
    assert is_reserved(name, arity)


@pytest.mark.parametrize(("name", "arity"), [("edge", 2), ("Abs", 1), ("absolute", 1), ("datum", 1), ("", 0)])
def test_other_names_are_free(name: str, arity: int) -> None:
    assert not is_reserved(name, arity)


@pytest.mark.parametrize(("name", "arity"), [("abs", 2), ("length", 0), ("substr", 2), ("int", 3), ("date", 2)])
def test_names_of_functions_are_free_with_another_number_of_arguments(name: str, arity: int) -> None:
    """Other engines' programs have relations such as `abs` with three columns; nothing is ambiguous there."""
    assert not is_reserved(name, arity)


@pytest.mark.parametrize("arity", range(4))
def test_names_of_boolean_functions_are_reserved_whatever_the_arity(arity: int) -> None:
    assert is_reserved("contains", arity)
