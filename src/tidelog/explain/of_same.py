"""Facts about individuals that are the same as others: they hold since the fact of the representatives does (`same_as`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tidelog.explain.access import Access, Cell, Key
from tidelog.explain.explanation import Explanation
from tidelog.explain.steps import Reason, ShownRule, Step, Way
from tidelog.explain.wording import Wording
from tidelog.program.same_as import REPRESENTATIVE
from tidelog.syntax.tree import Constant

_EQUALITY = ShownRule(-1, "equality", "individuals that are the same are one")


def of_representatives(access: Access, key: Key) -> Key | None:
    """The fact of the representatives, if it holds and is another one."""
    if REPRESENTATIVE not in access.program.relations:
        return None
    other = key[0], tuple(_representative(access, cell) for cell in key[1])
    return other if other != key and access.holds(*other) else None


def _representative(access: Access, cell: Cell) -> Cell:
    return next((row[1] for row in access.some(REPRESENTATIVE, (0,), (cell,), 1)), cell)


def of_member(access: Access, key: Key, other: Key, explain: Callable[[Key], Explanation]) -> Explanation:
    """The explanation of the fact of the representatives, with the fact of the members behind it."""
    found, words = explain(other), Wording(access)
    steps: list[Step] = list(found)
    reasons = (Reason("fact", found.root.text, found.root.number), *_equalities(access, key, other, words))
    values = [access.value(cell) for cell in key[1]]
    fact = (key[0], *(value.content for value in values))
    steps.append(Step(steps, fact, words.fact(key), is_explicit=False, ways=(Way((_EQUALITY,), reasons),)))
    return Explanation(steps, is_proof=found.is_proof, is_whole=found.is_whole)


def _equalities(access: Access, key: Key, other: Key, words: Wording) -> Iterator[Reason]:
    """Who stands for whom, each once."""
    for member, representative in dict.fromkeys(zip(key[1], other[1], strict=True)):
        if member != representative:
            one, two = (words.term(Constant(access.value(cell))) for cell in (member, representative))
            yield Reason("test", f"{one} is the same as {two}")
