"""Explanations of changes as text: the fact that came or went, and below it what brought that about."""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.explain.changed.parts import Changed, ChangedReason
from tidelog.explain.shown.text import text_of as proof_of

SHOWN = 60
"""Lines that are shown of a tree; the others are counted."""
_DEEPEST = 40


def text_of(changed: Changed, most: int | None = SHOWN) -> str:
    """The explanation as text; of a large one so many lines."""
    if changed.what != "stayed":
        lines = list(_tree(changed, 0))
        if (started := changed.started_by) and len(changed.steps) > 1:
            lines.append(f"it began with: {', '.join(started[:SHOWN])}{', ...' if len(started) > SHOWN else ''}")
        return "\n".join([f"{changed.text}   {changed.what}", *_folded(lines, most)])
    lines = [f"{changed.text}   stayed"]
    if changed.was_explicit:
        lines.append("it was explicit, and was deleted")
    if changed.lost:
        lines.append("before, it rested on")
        for number in changed.lost:
            lines += [f"  {line}" for line in _folded(list(_tree(changed, number)), most)]
    elif not changed.was_explicit:
        lines.append("nothing that it rested on has changed")
    proof = (
        [] if changed.proof is None else ["it holds now:", *(f"  {line}" for line in proof_of(changed.proof, 30).splitlines())]
    )
    return "\n".join([*lines, *proof])


def _tree(changed: Changed, root: int) -> Iterator[str]:
    by_number = {step.number: step for step in changed.steps}
    told: set[int] = set()
    named: set[int] = set()
    stack: list[tuple[str, str, int | ChangedReason, int]] = [("", "", root, 0)]
    while stack:
        first, rest, thing, depth = stack.pop()
        if isinstance(thing, ChangedReason):
            yield f"{first}{thing.text}{f'   {thing.note}' if thing.note else ''}"
            below: list[int | ChangedReason] = list(thing.steps)
        elif thing not in by_number:
            continue
        else:
            step = by_number[thing]
            if thing in told and step.reasons:
                yield f"{first}{step.text}   {step.what}, as above"
                continue
            told.add(thing)
            text = "" if step.is_explicit or step.rules[0].at in named or len(step.rules) > 1 else f": {step.rules[0].text}"
            named.update(rule.at for rule in step.rules)
            went = "went, " if step.what == "went" and first and not step.is_explicit else ""
            yield f"{first}{step.text}   {went}{step.why}{text}"
            below = [_shown(reason, changed) for reason in step.reasons] if depth < _DEEPEST else []
            if step.reasons and not below:
                yield f"{rest}..."
        for at, each in reversed(list(enumerate(below))):
            is_last = at == len(below) - 1
            stack.append((rest + ("└─ " if is_last else "├─ "), rest + ("   " if is_last else "│  "), each, depth + 1))


def _shown(reason: ChangedReason, changed: Changed) -> int | ChangedReason:
    """The fact itself, where a reason is no more than that it changed."""
    (number,) = reason.steps if len(reason.steps) == 1 else (-1,)
    is_that = any(step.number == number and step.text == reason.text for step in changed.steps)
    return number if is_that else reason


def _folded(lines: list[str], most: int | None) -> list[str]:
    if most is None or len(lines) <= most:
        return lines
    half = most // 2
    return [*lines[:half], f"... {len(lines) - 2 * half:,} more lines ...", *lines[-half:]]
