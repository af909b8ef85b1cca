"""Rules are the same up to the names of variables and the order of the body, and only then."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.program.from_text import rule
from tests.random_programs import RandomProgram, programs

from tidelog.program.changes.sameness import canonical_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("p(X) :- q(X).", "r1: p(Y) :- q(Y)."),
        ("p(X) :- q(X, Y), r(Y).", "p(A) :- r(B), q(A, B)."),
        ("p(X) :- q(X, _).", "p(X) :- q(X, Y)."),
        ("p(X) :- q(X), X != a.", "p(Z) :- a != Z, q(Z)."),
        ("p :- e(X, Y), e(Y, Z), e(Z, X).", "p :- e(B, C), e(A, B), e(C, A)."),
        ("p :- e(X, Y), e(Y, X), e(U, V).", "p :- e(A, B), e(C, D), e(D, C)."),
        ("p(N) :- N = count { Y : q(X, Y), r(X) }.", "p(M) :- M = count { B : r(A), q(A, B) }."),
        ("p :- q(A), q(B), q(C), q(D), q(E), q(F), q(G), q(H).", "p :- q(H), q(G), q(F), q(E), q(D), q(C), q(B), q(A)."),
        (
            "p(N, M) :- N = count { Y : q(Y) }, M = count { Y : r(Y) }.",
            "p(N, M) :- M = count { Z : r(Z) }, N = count { Y : q(Y) }.",
        ),
        (
            "p :- e(X, X), e(A, B), e(C, D), e(E, F), e(G, H), e(I, J), e(K, L), e(M, N).",
            "p :- e(A, B), e(C, D), e(E, F), e(G, H), e(I, J), e(K, L), e(M, N), e(X, X).",
        ),
        ("p(X) :- q(X, Y), q(X, Z), r(Y), s(Z).", "p(X) :- s(A), r(B), q(X, A), q(X, B)."),
        ("p :- e(A, B), e(C, D), e(E, F).", "p :- e(F, E), e(D, C), e(B, A)."),
    ],
)
def test_same(one: str, other: str) -> None:
    assert canonical_key(rule(one)) == canonical_key(rule(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("p(X, Y) :- q(X, Y).", "p(X, Y) :- q(Y, X)."),
        ("p(X, X) :- q(X, X).", "p(X, Y) :- q(X, Y)."),
        ("p(X) :- q(X).", "p(X) :- q(X), q(X)."),
        ("p(X) :- q(X, 1).", "p(X) :- q(X, 1.0)."),
        ("p(X) :- q(X, 1).", 'p(X) :- q(X, "1").'),
        ("p(X) :- q(X), not r(X).", "p(X) :- q(X), r(X)."),
        ("p(X) :- q(X, Y), X < Y.", "p(X) :- q(X, Y), X > Y."),
        ("p(X) :- q(X), Y = X - 1, r(Y).", "p(X) :- q(X), Y = 1 - X, r(Y)."),
        ("p :- e(X, Y), e(Y, Z), e(Z, X).", "p :- e(X, Y), e(Y, Z), e(X, Z)."),
        ("p(N) :- N = count { Y : q(X, Y) }.", "p(N) :- N = count { X : q(X, Y) }."),
        ("p(N, M) :- N = count { q(Y) }, M = count { r(Y) }, s(Y).", "p(N, M) :- N = count { q(Y) }, M = count { r(Z) }, s(Y)."),
        ("p(X, Y) :- q(X), r(Y).", "p(X, Y) :- q(Y), r(X)."),
        ("p(N) :- N = min { Y : q(Y) }.", "p(N) :- N = max { Y : q(Y) }."),
        (
            "p :- e(A, B), e(B, C), e(C, A), e(D, E), e(E, F), e(F, D).",
            "p :- e(A, B), e(B, C), e(C, D), e(D, E), e(E, F), e(F, A).",
        ),
    ],
)
def test_different(one: str, other: str) -> None:
    assert canonical_key(rule(one)) != canonical_key(rule(other))


@given(programs(), st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_renaming_and_reordering(random_program: RandomProgram, shuffler: random.Random) -> None:
    for head, body in random_program.rules:
        names = dict(zip("XYZUVNWLMG", shuffler.sample(["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"], 10), strict=True))
        text = f"{head} :- {', '.join(body)}."
        mixed = f"{head} :- {', '.join(shuffler.sample(body, len(body)))}."
        renamed = "".join(names.get(c, c) for c in mixed)
        assert canonical_key(rule(text)) == canonical_key(rule(renamed))
