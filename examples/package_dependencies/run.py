"""A feed of vulnerabilities over a graph of dependencies: what each advisory and each upgrade means for the applications."""

from __future__ import annotations

from pathlib import Path

from tidelog import KnowledgeBase

HERE = Path(__file__).parent


def main() -> None:
    """Follow the feed."""
    kb = KnowledgeBase(HERE / "rules.dl", strict=True)
    for name in ("requires", "pinned", "application"):
        kb.load(name, HERE / "facts" / f"{name}.csv")
    for change in kb.follow(HERE / "feed.jsonl"):
        print(f"{change.id}:")
        for sign, facts in (("+", change.inserted["exposed"]), ("-", change.deleted["exposed"])):
            for application, package, advisory in sorted(facts):
                print(f"  {sign} {application} is exposed to {advisory} through {package}")
        for team, application, advisory in sorted(change.inserted["urgent"]):
            print(f"  ! {team}: {advisory} in {application} is urgent")
    print("left:", ", ".join(f"{team} {count}" for team, count in sorted(kb["burden"])))


if __name__ == "__main__":
    main()
