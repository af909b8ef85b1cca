"""A service that keeps its knowledge base in a folder: run it again and again, or kill it; nothing that it has printed is lost.

    python examples/leave_it_running.py out/orders

Each run places a few orders, delivers the oldest, and says what the runs before it have left.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tidelog import KnowledgeBase

RULES = """
@relation order(number: int key, item: string, state: string) .
open_order(N, I) :- order(N, I, placed).
demand(I, C) :- open_order(_, I), C = count { N : open_order(N, I) }.
"""
ITEMS = ("bolt", "nut", "washer")


def main(folder: Path) -> None:
    """Place orders, and deliver one."""
    with KnowledgeBase.open(folder, RULES, durability="fsync") as kb:
        print(kb.recovery)
        orders = sorted(kb["order"])
        number = orders[-1][0] if orders else 0
        for item in ITEMS:
            number += 1
            kb.update(insert=[("order", number, item, "placed")])
            print(f"order {number} of a {item} is placed")  # it is on disk
        oldest, item = min(kb["open_order"])
        change = kb.update(upsert=[("order", oldest, item, "delivered")])
        print(f"order {oldest} is delivered: {change.inserted.total} facts in, {change.deleted.total} out")
        print(f"open orders: {kb.count('open_order')}, demand: {dict(sorted(kb['demand']))}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/orders"))
