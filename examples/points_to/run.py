"""A pointer analysis that follows the edits of a program, and says why it warns."""

from __future__ import annotations

from pathlib import Path

from tidelog import KnowledgeBase

PROGRAM = {
    "new": [("request", "input"), ("list", "list@4"), ("log", "log@9")],
    "assign": [("name", "request"), ("shown", "first")],
    "store": [("list", "items", "name")],
    "load": [("first", "list", "items")],
    "source": [("input",)],
    "sink": [("query",)],
}


def main() -> None:
    """Analyse a program, edit it, and look at the difference."""
    kb = KnowledgeBase(Path(__file__).parent / "rules.dl", strict=True)
    kb.update(insert=PROGRAM)
    print("shown may point to:", ", ".join(sorted(o for (o,) in kb.query("points(shown, O)"))))
    print("aliases of name:", ", ".join(sorted(w for (w,) in kb.query("alias(name, W)"))))
    print("leaks:", kb.count("leak"))
    print("edit: query = first")
    change = kb.update(insert=[("assign", "query", "first")])
    print("  new leaks:", sorted(change.inserted["leak"]))
    print(kb.explain(("leak", "query", "input")))
    print("edit: name = clean(request), not request")
    change = kb.update(delete=[("assign", "name", "request")], insert=[("new", "name", "clean@2")])
    print("  gone:", sorted(change.deleted["leak"]), "and", len(change.deleted["points"]), "facts of points")
    print("  query may point to:", ", ".join(o for (o,) in kb.query("points(query, O)")))


if __name__ == "__main__":
    main()
