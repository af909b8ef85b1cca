"""What was measured about marking, for the summary: the tables of the paper again, all streams, and the targets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness.summary import Judgement
from benchmarks.marking.streams import GROUPS
from benchmarks.marking.table import Row, over_seeds, read

_OFF, _ON, _AUTO = "False", "True", "auto"
_WAYS = (("bf", "rules"), ("dred", "rules"), ("auto", "modules"))
_MOST, _LEAST_SAVED, _LIMIT = 1.05, 0.15, 0.030

_PAPER = {
    ("seq", 10): "deletions 1,960 → 1,480, marks 480 and 480",
    ("seq", 80): "deletions 15,283 → 11,516",
    ("trans", 10): "39 s",
    ("trans", 80): "56 s; the authors' programs on a 2-core machine: 41 s",
    ("track 0", 0): "deletions 859 → 754, backward 4,329 → 4,400, forward 3,299, insertions 4,638, marks 910 and 70, 106 s; "
    "the authors' programs now: deletions 1,151 → 798, forward 3,299, marks 973 and 353, 121 → 122 s, DRed 26 → 29 s",
}
"""Of B/F."""
_DRAWN_TRANS = "trans, drawn as published"
_TABLE_1 = {
    10: (1603, 447, 480, 991),
    20: (3046, 594, 960, 2277),
    30: (5146, 1100, 1399, 4153),
    40: (4755, 682, 1816, 4069),
    50: (3778, 360, 2215, 3660),
    60: (3227, 213, 2604, 3428),
    70: (2724, 161, 2973, 3085),
    80: (2584, 126, 3293, 3078),
}
"""P_trans in the paper: deletions without marks and with them, explicit and implicit marks."""
_INTRODUCTION = """
# Marking

Whole streams with the next update always in sight, CPU milliseconds, the median of the repeats in one process; counters are
means over the seeds. *as in the papers* is `marking=True`. Like the paper's, *deletions* are facts that a rule application made
suspect, each counted once, and *forward* is facts that were proved (with DRed, instances that brought facts back). *instances*,
*backward* and *insertions* are all rule instances that were looked at, of which the paper counts only some.

The GPS track beside the paper and the authors' programs:

- Forward is the same, 3,299, and must be. B/F checks 7,799 facts here, just those that DRed takes away: 4,498 hold no more, two
  come back with what is inserted, and 3,299 are proved. A checked fact was found in one of two ways: a rule application on
  something deleted led to it (*deletions*), or looking backward for the proof of another fact did, whichever came first. So
  deletions tell in which order facts were checked, and nothing else: 556 here, 859 in the paper, 1,151 in the authors' programs
  now. Here the first failed check in a cluster of ways has looked at all of it, so deletions are just the facts that lost an
  instance of a rule without recursion.
- Explicit marks are the paper's 910, since the first update is completed before anybody looks ahead. The authors' programs now
  look ahead from the first update on; that adds the 63 facts that the second one deletes, which makes their 973 (and 973 here,
  if the stream is followed from its first update).
- Implicit marks are more here. The paper marks the heads of instances with a marked explicit fact. Here all that marked facts
  bring within a recursive unit is marked (826 facts; 62 of them are such heads), beside such heads of facts that were there
  before (266). Together there are 314 different heads as in the paper, and deletions fall by just so many: 556 to 242. With the
  authors' programs it is the same: 353 marks, 1,151 to 798. The other marks are of facts that would be found by looking backward.
- Followed from its first update on, there are 386 such heads here, and deletions fall from 556 to 170; the authors' programs
  mark 353. The 386 are 136 facts that are inserted, 248 that are proved, and two that come back. Of the 248, 82 can be proved by
  the recursive rule as well, which reads no explicit fact. The authors' programs prove a fact once, by whichever rule comes
  first, and it has the mark of that instance alone: so they may mark anything between 304 and 386 heads. Here a head is marked if
  any instance with a marked fact derives it.

P_trans and P_seq beside the paper. In *trans* and *seq* each update deletes just what the one before has inserted. *drawn as
published* is how the authors' published program draws updates: explicit marks are then the paper's within 1 %, and so are P_seq's
deletions without marks (1,960 to 15,339; paper: 1,960 to 15,283).

- Implicit marks of P_seq are as many as explicit ones in the paper, though under half of what goes was inserted by the update
  before. In the authors' programs a mark is a logic variable that a derived fact shares with the fact that it was derived from:
  whatever was once derived from an edge is marked as soon as the edge is. The algorithm as printed marks heads of instances that
  the update itself uses, and so does `marking=True`: fewer marks, and deletions fall less.
- Without marks P_trans has more deletions here than in the paper (at size 10 about 8,000 for 1,603) and fewer facts that are
  proved (about 11,000 for 18,777): the order of checks again. A fact that looking backward has reached first is no deletion.
"""

Found = dict[tuple[str, int], dict[tuple[str, str, str], Row]]


def _found(folder: Path) -> Found:
    return over_seeds(row for group in GROUPS for row in read(folder, group))


def text(folder: Path) -> str:
    """The section, empty where nothing was measured."""
    found = _found(folder)
    if not found:
        return ""
    counts = "deletions | instances | backward | forward | insertions | marks | dropped"
    head = f"| stream | size | way | marks | CPU ms | {counts} | paper |"
    return "\n".join([_INTRODUCTION, head, "| --- " * 13 + "|", *_lines(found)]) + "\n"


def _lines(found: Found) -> Iterator[str]:
    names = {_OFF: "none", _ON: "as in the papers", _AUTO: "auto"}
    for (stream, size), contenders in found.items():
        for (algorithm, marking, modules), row in contenders.items():
            counts = (row.deletions, row.instances, row.backward, row.forward, row.insertions)
            cells = [f"{row.cpu * 1e3:.1f}", *(f"{count:,.0f}" for count in counts)]
            marks = f"{row.explicit_marks:,.0f} and {row.implicit_marks:,.0f} | {row.dropped_marks:,.0f}"
            paper = _PAPER.get((stream, size), "") if (algorithm, marking) == ("bf", _ON) else ""
            way = f"{algorithm}, {modules}"
            yield f"| {stream} | {size or ''} | {way} | {names[marking]} | {' | '.join(cells)} | {marks} | {paper} |"


def judgements(folder: Path) -> Iterator[Judgement]:
    """Every target."""
    found = _found(folder)
    yield from _counts(found)
    yield from _falls(found)
    for place, named in (
        (("trans", 10), "P_trans, size 10"),
        (("trans", 80), "P_trans, size 80"),
        (("track 0", 0), "GPS track 0"),
    ):
        ways = [(way, found[place][way[0], _AUTO, way[1]]) for way in _WAYS] if place in found else []
        target = f"whole stream ≤ {_LIMIT * 1e3:.0f} ms CPU"
        if not ways:
            yield Judgement(named, target, elsewhere=_PAPER[place])
            continue
        (algorithm, modules), best = min(ways, key=lambda way: way[1].cpu)
        off = found[place][algorithm, _OFF, modules]
        measured = f"{best.cpu * 1e3:.1f} ms ({algorithm}, {modules})"
        beside = f"without marks {off.cpu * 1e3:.1f} ms"
        yield Judgement(named, target, measured, beside, f"{best.cpu / off.cpu:.2f}", _met(best.cpu <= _LIMIT), _PAPER[place])
    yield from _never_more(found)
    yield from _less(found)


def _counts(found: Found) -> Iterator[Judgement]:
    for size, before, after in ((10, 1960, 1480), (20, 3920, 2960), (30, 5880, 4440)):
        work, target = f"P_seq, size {size}, B/F", f"deletions {before:,} → {after:,}, all else equal"
        own = found.get(("seq", size))
        if own is None:
            yield Judgement(work, target)
            continue
        off, on = own["bf", _OFF, "rules"], own["bf", _ON, "rules"]
        equal = (off.backward, off.forward, off.insertions) == (on.backward, on.forward, on.insertions)
        measured = f"{off.deletions:,.0f} → {on.deletions:,.0f}, marks {on.explicit_marks:,.0f} and {on.implicit_marks:,.0f}"
        met = equal and (off.deletions, on.deletions) == (before, after)
        yield Judgement(work, target, measured, met=_met(met), elsewhere=_PAPER.get(("seq", size), ""))


def _falls(found: Found) -> Iterator[Judgement]:
    """P_trans: by which share deletions fall, beside the paper's Table 1."""
    for size, (before, after, explicit, implicit) in _TABLE_1.items():
        share = 1 - after / before
        work, target = f"P_trans as drawn by the authors, size {size}, B/F", f"deletions fall by {share:.0%} at least"
        paper = f"{before:,} → {after:,}, marks {explicit:,} and {implicit:,}"
        own = found.get((_DRAWN_TRANS, size))
        if own is None:
            yield Judgement(work, target, elsewhere=paper)
            continue
        off = own["bf", _OFF, "rules"].deletions
        falls = {name: 1 - own["bf", marking, "rules"].deletions / off for name, marking in (("papers", _ON), ("auto", _AUTO))}
        on = own["bf", _ON, "rules"]
        measured = f"{off:,.0f} → {on.deletions:,.0f} ({falls['papers']:.0%} less; `auto` {falls['auto']:.0%}), "
        measured += f"marks {on.explicit_marks:,.0f} and {on.implicit_marks:,.0f}"
        yield Judgement(work, target, measured, met=_met(falls["papers"] >= share), elsewhere=paper)


def _never_more(found: Found) -> Iterator[Judgement]:
    compared = [
        (own[algorithm, _AUTO, modules].cpu / own[algorithm, _OFF, modules].cpu, place, (algorithm, modules))
        for place, own in found.items()
        for algorithm, modules in _WAYS
        if own[algorithm, _AUTO, modules].repeats > 1  # one turn tells counts, and nothing of times
    ]
    target = f"`auto` takes ≤ {_MOST:g} × the time without marks, in every row"
    if not compared:
        yield Judgement("Marking, every stream that was measured", target)
        return
    worst, (stream, size), (algorithm, modules) = max(compared)
    over = sum(ratio > _MOST for ratio, *_ in compared)
    measured = f"{over} of {len(compared)} rows above; the worst is {stream} {size or ''} ({algorithm}, {modules})"
    yield Judgement(
        "Marking, every stream that was measured", target, measured, "without marks", f"{worst:.2f}", _met(worst <= _MOST)
    )


def _less(found: Found) -> Iterator[Judgement]:
    target = f"≥ {_LEAST_SAVED:.0%} less CPU with marking"
    own = next((own for (stream, _), own in found.items() if stream == "measurements"), None)
    if own is None:
        yield Judgement("Measurements that replace each other", target)
        return
    off, auto = own["auto", _OFF, "modules"], own["auto", _AUTO, "modules"]
    saved = 1 - auto.cpu / off.cpu
    measured, beside = f"{auto.cpu * 1e3:.1f} ms: {saved:.0%} less", f"without marks {off.cpu * 1e3:.1f} ms"
    yield Judgement(
        "Measurements that replace each other", target, measured, beside, f"{1 - saved:.2f}", _met(saved >= _LEAST_SAVED)
    )


def _met(is_met: bool) -> str:
    return "yes" if is_met else "**no**"
