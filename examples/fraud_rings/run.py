"""Fraud rings: accounts that share things, and what one more link or one confirmed fraud brings to light."""

from __future__ import annotations

from pathlib import Path

from tidelog import KnowledgeBase, RelationChange

HERE = Path(__file__).parent


def tell(change: RelationChange) -> None:
    """Print who has become a suspect, and who is none any more."""
    for what, facts in (("suspect", change.inserted), ("cleared", change.deleted)):
        if facts:
            print(f"  {what}: {', '.join(account for (account,) in sorted(facts))}")


def main() -> None:
    """Confirm a fraud, link two rings, and take the link back."""
    kb = KnowledgeBase(HERE / "rules.dl", strict=True)
    for name in ("uses", "paid"):
        kb.load(name, HERE / "facts" / f"{name}.csv")
    print("sizes of rings:", ", ".join(f"{account} {size}" for account, size in sorted(kb["size"])))
    kb.subscribe("suspect", tell)
    print("a1 is confirmed")
    kb.update(insert=[("confirmed", "a1")])
    print("paid inside of the ring:", ", ".join(f"{account} {cents / 100:.2f}" for account, cents in sorted(kb["inside"])))
    print("a5 uses card-7")
    link = [("uses", "a5", "card-7")]
    kb.update(insert=link)
    print("that was a mistake")
    kb.update(delete=link)


if __name__ == "__main__":
    main()
