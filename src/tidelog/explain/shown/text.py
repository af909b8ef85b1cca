"""Explanations as text: a small proof as a tree from the fact down, a long one as numbered steps from the explicit facts up.

A long proof is folded in its middle, a long chain in its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from tidelog.explain.steps import Reason, Step, Steps, Way

_TALLEST_TREE, _LARGEST_TREE = 6, 24
"""Higher or larger proofs are numbered lists."""
_LINKS_SHOWN = 12
"""Facts of a chain that are shown."""
_WAYS_SHOWN = 8
"""Rule instances of one fact that are shown."""
_Part = TypeVar("_Part")


def text_of(explanation: Steps, most: int | None) -> str:
    """An explanation as text; of a long one so many steps."""
    if not explanation.is_proof:
        return "\n".join(_all_ways(explanation, most))
    if explanation.height <= _TALLEST_TREE and len(explanation) <= _LARGEST_TREE:
        return "\n".join(_tree(explanation))
    return "\n".join(_list(explanation, most))


# --- trees ---------------------------------------------------------------------------------------------------------------


def _tree(explanation: Steps) -> Iterator[str]:
    told: set[int] = set()
    named: set[int] = set()
    stack: list[tuple[str, str, Step | Reason | str]] = [("", "", explanation.root)]
    while stack:
        first, rest, thing = stack.pop()
        if not isinstance(thing, Step):
            yield first + (thing if isinstance(thing, str) else _other(thing))
            continue
        if thing.number in told and thing.ways:
            yield f"{first}{thing.text}   as above"
            continue
        told.add(thing.number)
        yield f"{first}{thing.text}   {_why(thing, named)}"
        below = list(_below(explanation, thing))
        for at, each in reversed(list(enumerate(below))):
            is_last = at == len(below) - 1
            start, following = rest + ("└─ " if is_last else "├─ "), rest + ("   " if is_last else "│  ")
            if isinstance(each, Reason):
                stack += [(following, following, row) for row in reversed(list(_rows(each)))]
            stack.append((start, following, each))


def _why(step: Step, named: set[int]) -> str:
    """Why a step holds, with the text of a rule where it is named for the first time."""
    way = step.way
    if way is None:
        return "explicit"
    if way.is_chain:
        count = len(way.reasons) + way.left_out
        return f"a chain of {_count(count, 'fact')}, by {_places(way)}"
    rule = way.rules[0]
    if rule.at in named:
        return f"by {rule.place}"
    named.add(rule.at)
    return f"by {rule.place}: {rule.text}"


def _below(explanation: Steps, step: Step) -> Iterator[Step | Reason | str]:
    if step.way is None:
        return
    for part in _folded(step.way.reasons, step.way.left_out, _LINKS_SHOWN):
        if isinstance(part, str):
            yield part
        elif part.premise is not None:
            yield explanation[part.premise]
        else:
            yield part


def _other(reason: Reason) -> str:
    """A literal that is no fact."""
    return f"{reason.text}   {reason.note}" if reason.note else reason.text


def _rows(reason: Reason) -> Iterator[str]:
    """The rows of an aggregate."""
    yield from (f"   {row}" for row in reason.rows)
    if reason.more:
        yield f"   ... and {reason.more:,} more"


# --- lists ---------------------------------------------------------------------------------------------------------------


def _list(explanation: Steps, most: int | None) -> Iterator[str]:
    derived = [step for step in explanation if step.ways]
    numbers = {step.number: at for at, step in enumerate(derived, 1)}
    leaves = len(explanation) - len(derived)
    yield f"{explanation.root.text}   in {_count(len(derived), 'step')}, from {_count(leaves, 'explicit fact')}"
    width = len(str(len(derived)))
    shown = list(_folded(derived, 0, most))
    longest = max((len(step.text) for step in shown if not isinstance(step, str)), default=0)
    places = max((len(_place(step)) for step in shown if not isinstance(step, str)), default=0)
    for step in shown:
        if isinstance(step, str):
            yield f"{'':>{width}}  {step}"
            continue
        assert step.way is not None
        needs = "; ".join(_needs(explanation, step.way, numbers, None if most is None else _LINKS_SHOWN))
        yield f"{numbers[step.number]:>{width}}  {step.text:<{longest}}  {_place(step):<{places}}  {needs}".rstrip()
    yield from _legend(explanation)


def _place(step: Step) -> str:
    assert step.way is not None
    return "chain" if step.way.is_chain else step.way.rules[0].place


def _needs(explanation: Steps, way: Way, numbers: dict[int, int], links: int | None) -> Iterator[str]:
    """What a step follows from: the numbers of derived facts, and explicit facts."""
    for part in _folded(way.reasons, way.left_out, links):
        if isinstance(part, str):
            yield part
        elif part.premise is None:
            more = f", ... and {part.more:,} more" if part.more else ""
            yield _other(part) + (f" ({', '.join(part.rows)}{more})" if part.rows else "")
        elif part.premise in numbers:
            yield str(numbers[part.premise])
        else:
            yield explanation[part.premise].text


def _legend(explanation: Steps) -> Iterator[str]:
    places = {rule.place: rule for rule in explanation.rules}
    width = max(map(len, places), default=0)
    if places:
        yield ""
    yield from (f"{place:<{width}}  {rule.text}" for place, rule in places.items())


# --- all ways ------------------------------------------------------------------------------------------------------------


def _all_ways(explanation: Steps, most: int | None) -> Iterator[str]:
    steps = explanation[::-1]
    ways = sum(len(step.ways) for step in steps)
    more = "" if explanation.is_whole else "; there are more"
    yield f"{explanation.root.text}   {_count(len(steps), 'fact')}, {_count(ways, 'rule instance')}{more}"
    derived = [step for step in steps if step.ways]
    for step in derived if most is None else derived[:most]:
        yield f"  {step.text}{'   explicit, and derived' if step.is_explicit else ''}"
        for way in _folded(step.ways, 0, most and _WAYS_SHOWN):
            if isinstance(way, str):
                yield f"    {way}"
                continue
            place = f"a chain, by {_places(way)}" if way.is_chain else f"by {way.rules[0].place}"
            parts = "; ".join(_needs(explanation, way, {}, _LINKS_SHOWN)) or "nothing"
            yield f"    {place}, from {parts}"
    if most is not None and len(derived) > most:
        yield f"  ... {_count(len(derived) - most, 'more derived fact')}"
    yield from _legend(explanation)


def _folded(parts: Sequence[_Part], left_out: int, most: int | None) -> Sequence[_Part | str]:
    """The first and the last parts, and how many there are between them; `left_out` are not even among the parts."""
    if most is None or len(parts) + left_out <= most:
        most = len(parts)
        if not left_out:
            return parts
    first = (min(most, len(parts)) + 1) // 2
    last = min(most, len(parts)) - first
    gone = len(parts) - first - last + left_out
    return [*parts[:first], f"... {gone:,} more ...", *(parts[len(parts) - last :] if last else [])]


def _places(way: Way) -> str:
    return " and ".join(rule.place for rule in way.rules)


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
