"""Functions over columns: the same values as row by row, undefined ones included."""

from __future__ import annotations

import random
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from tidelog import KnowledgeBase
from tidelog.functions import strings
from tidelog.functions.evaluate import apply
from tidelog.local.evaluation import function_batches
from tidelog.local.evaluation.function_batches import BY_COLUMN, compute_columns
from tidelog.local.storage.dictionary import Dictionary
from tidelog.values import Kind, from_python

TEXTS = ["", "a", "ab", "AB", "Straße", "\u0130", "\u03a3\u03a3", "\ufb01", "ǅ", "\U0001f600x", "a\0b", " ", "x" * 40, "12", "-1"]
NUMBERS = [0, 1, 2, -1, 39, 40, 41, 2**63 - 1, -(2**63)]
SOME: dict[Kind, list[Any]] = {Kind.STRING: TEXTS, Kind.INT: NUMBERS}


@pytest.mark.parametrize("signature", BY_COLUMN, ids=lambda signature: " ".join(map(str, signature)))
def test_the_values_are_those_of_the_function(signature: tuple[str, Kind]) -> None:
    function, *kinds = signature
    draw, terms = random.Random(1), Dictionary()
    rows = [[from_python(draw.choice(SOME[kind])) for kind in kinds] for _ in range(400)]
    ids = terms.encode([value for row in rows for value in row]).reshape(len(rows), -1)
    expected = [apply(function, row) for row in rows]
    found = compute_columns(function, ids, terms)
    assert found is not None
    defined, values = found
    assert defined.tolist() == [value is not None for value in expected]
    assert terms.values_of(values) == [value for value in expected if value is not None]


def test_other_kinds_and_functions_are_left_to_others() -> None:
    terms = Dictionary()
    ids = terms.encode([from_python(value) for value in ("a", 1, "b", 2.5)])
    assert compute_columns("upper", ids[:2].reshape(2, 1), terms) is None
    assert compute_columns("upper", ids[1:2].reshape(1, 1), terms) is None
    assert compute_columns("matches", ids[[0, 2]].reshape(1, 2), terms) is None
    assert compute_columns("pow", ids[[1, 3]].reshape(1, 2), terms) is None
    assert compute_columns("upper", np.empty((0, 1), np.int32), terms) is None


def test_a_text_that_is_too_long_is_undefined() -> None:
    terms = Dictionary()
    ids = terms.encode([from_python("a" * 5), from_python("b" * 6)])
    with patch.object(function_batches, "LONGEST_TEXT", 10), patch.object(strings, "LONGEST_TEXT", 10):
        found = compute_columns("cat", ids[[0, 0, 0, 1]].reshape(2, 2), terms)
    assert found is not None
    assert found[0].tolist() == [True, False]


@pytest.mark.parametrize("by_column", [True, False])
def test_rules_derive_the_same(by_column: bool) -> None:
    rules = """
        up(X, Y) :- t(X), Y = upper(cat(X, lower(X))).
        has(X, Y) :- t(X), t(Y), contains(X, Y), not contains(Y, X).
        part(X, Z) :- t(X), n(N), Z = substr(X, N, 2).
        shown(Z) :- n(N), Z = string(N). shown(Z) :- t(X), Z = string(X).
    """
    with patch.object(function_batches, "BY_COLUMN", BY_COLUMN if by_column else {}):
        kb = KnowledgeBase(rules)
        kb.update(insert=[*(("t", text) for text in TEXTS), *(("n", number) for number in NUMBERS)])
        kb.update(delete=[("t", "ab"), ("n", 1)], insert=[("t", "new"), ("t", 5)])
    texts = [text for text in [*TEXTS, "new"] if text != "ab"]
    numbers = [number for number in NUMBERS if number != 1]
    assert set(kb.facts("up")) == {(text, (text + text.lower()).upper()) for text in texts}
    assert set(kb.facts("has")) == {(x, y) for x in texts for y in texts if y in x and x not in y}
    assert set(kb.facts("part")) == {(text, text[first : first + 2]) for text in texts for first in numbers if first >= 0}
    assert set(kb.facts("shown")) == {(text,) for text in texts} | {(str(number),) for number in (*numbers, 5)}
