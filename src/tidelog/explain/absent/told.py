"""Answers to `why_not` as text: rule by rule what is true, what fails, and what is near; then what would have to be inserted."""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.explain.absent.parts import Answer, Attempt, Failure, Miss
from tidelog.explain.shown.text import text_of as proof_of

RULES_SHOWN = 12
"""Rules that are told of."""


def text_of(answer: Answer) -> str:
    """The answer as text."""
    if answer.proof is not None:
        return f"{answer.text}   holds:\n{proof_of(answer.proof, 30)}"
    return "\n".join(lines_of(answer))


def lines_of(answer: Answer) -> Iterator[str]:
    """The lines of the answer for a fact that does not hold."""
    yield f"{answer.text}   does not hold"
    if not answer.attempts:
        yield "  it is not explicit, and no rule derives its relation"
        yield from (f"    {one}" for one in answer.near)
    for attempt in in_order(answer)[:RULES_SHOWN]:
        yield f"  {attempt.rule.place}: {attempt.rule.text}"
        yield from (f"    {line}" for line in _attempt(attempt))
    if len(answer.attempts) > RULES_SHOWN:
        yield f"  ... and {len(answer.attempts) - RULES_SHOWN:,} more rules, which come no nearer"
    if answer.repairs:
        yield "  it would hold with"
        for repair in answer.repairs:
            others = f"   ({', '.join(repair.chosen)} for example)" if repair.chosen else ""
            yield f"    {', '.join(repair.texts)}{others}"
    elif answer.attempts:
        yield f"  {nothing_found(answer)}"


def nothing_found(answer: Answer) -> str:
    """That there is no repair, and what has not been tried."""
    failed = (failure.text for attempt in answer.attempts for miss in attempt.misses for failure in miss.failed)
    may_be_too_much = any(text.startswith("not ") or "{" in text for text in failed)  # a negation, or an aggregate
    tried = "; deletions are not tried: `what_if` says what one would do" if may_be_too_much else ""
    return f"no insertion of up to three facts was found that derives it{tried}"


def in_order(answer: Answer) -> list[Attempt]:
    """The rules that come nearest first; those whose head cannot be the fact last."""
    return sorted(answer.attempts, key=lambda one: (not one.fits, one.literals - one.reached))


def _attempt(attempt: Attempt) -> Iterator[str]:
    if not attempt.fits:
        yield "its head cannot be this fact"
    told: set[Failure] = set()
    for miss in attempt.misses:
        yield from _miss(miss, told)


def _miss(miss: Miss, told: set[Failure]) -> Iterator[str]:
    """What is true, and below it what fails; what has been told already only in short."""
    if miss.true:
        yield f"{', '.join(miss.true)}   true"
    inset = "  " if miss.true else ""
    for failure in miss.failed:
        yield f"{inset}but {failure.text}   {failure.note}"
        yield from (f"{inset}    {one}" for one in failure.near if failure not in told)
    told.update(miss.failed)
    if miss.unseen:
        yield f"{inset}then {', '.join(miss.unseen)}   not looked at"


def failing(failure: Failure) -> str:
    """A failure in a line."""
    return f"{failure.text}   {failure.note}"
