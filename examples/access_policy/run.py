"""An access policy: who may do what, and what each change of the organisation grants and takes away."""

from __future__ import annotations

from pathlib import Path

from tidelog import KnowledgeBase, RelationChange

FACTS = {
    "member": [("ada", "compilers"), ("ben", "compilers"), ("cleo", "research"), ("dan", "audit")],
    "subgroup": [("compilers", "research"), ("research", "staff")],
    "inside": [("grammar.txt", "parser"), ("parser", "projects"), ("budget.csv", "finance"), ("minutes.txt", "projects")],
    "grant": [("staff", "projects", "read"), ("compilers", "parser", "write"), ("audit", "finance", "read")],
    "owner": [("cleo", "minutes.txt"), ("dan", "budget.csv")],
}


def tell(change: RelationChange) -> None:
    """Print what users may from now on, and what they may not any more."""
    for sign, facts in (("+", change.inserted), ("-", change.deleted)):
        for user, right, thing in sorted(facts):
            print(f"  {sign} {user} may {right} {thing}")


def main() -> None:
    """Change an organisation, and see what that does to rights."""
    kb = KnowledgeBase(Path(__file__).parent / "rules.dl", strict=True)
    kb.update(insert=FACTS)
    print("ada may:", ", ".join(f"{right} {thing}" for right, thing in sorted(kb.query("may(ada, R, X)"))))
    print("who may write grammar.txt:", ", ".join(user for (user,) in sorted(kb.query('may(U, write, "grammar.txt")'))))
    print("without an owner:", ", ".join(thing for (thing,) in sorted(kb["orphan"])))
    with kb.subscribe("may", tell):
        print("ben is suspended")
        kb.update(insert=[("suspended", "ben")])
        print("finance becomes a project")
        kb.update(insert=[("inside", "finance", "projects")])
        print("the groups of an owner may write")
        kb.add_rules("shared: may(U, write, X) :- owner(O, X), member(O, G), belongs(U, G), not suspended(U).")
        print("the compiler group leaves research")
        kb.update(delete=[("subgroup", "compilers", "research")])


if __name__ == "__main__":
    main()
