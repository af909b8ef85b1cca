"""Rules that are added and removed while a knowledge base runs, and the units that each change reaches.

Sensors report to the stations that they reach.  A rule for relays is added when relays are installed, replaced when one hop turns
out to be too few, and removed together with the relays.
"""

from __future__ import annotations

from tidelog import KnowledgeBase, TidelogError
from tidelog.changes import Change

RULES = """
direct: reaches(S, T) :- link(S, T).
heard: heard(S) :- reaches(S, T), station(T).
lost: lost(S) :- sensor(S), not heard(S).
"""
LINKS = [("link", "s1", "base"), ("link", "s2", "s1"), ("link", "s3", "s2")]
THINGS = [("station", "base"), ("sensor", "s1"), ("sensor", "s2"), ("sensor", "s3")]


def show(what: str, change: Change, kb: KnowledgeBase) -> None:
    """Print the effects of a change."""
    print(f"{what}: lost now: {', '.join(sorted(sensor for (sensor,) in kb['lost'])) or 'none'}")
    if change.rules is not None:
        for node in change.rules.hyper_nodes:
            print(f"  {node.what}: {node.before} to {node.after}")
        for visit in change.rules.visited:
            print(f"  {', '.join(visit.relations)}: {visit.how}")


def main() -> None:
    """Add and remove rules."""
    kb = KnowledgeBase(RULES)
    show("at first", kb.update(insert=[*LINKS, *THINGS]), kb)
    hop = "hop: reaches(S, T) :- link(S, R), link(R, T)."
    show("one hop", kb.add_rules(hop), kb)
    hops = "hops: reaches(S, T) :- link(S, R), reaches(R, T)."
    show("any hops", kb.update(remove_rules="hop", add_rules=hops), kb)
    try:
        kb.add_rules("again: link(S, T) :- lost(S), station(T).")
    except TidelogError as refused:
        print(f"refused: {refused.diagnostics[0].code}, and nothing has changed")
    show("no hops", kb.remove_rules("hops"), kb)


if __name__ == "__main__":
    main()
