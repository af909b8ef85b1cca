"""A wind farm whose rules arrive while measurements do: a rule that is new holds for what came before it, too."""

from __future__ import annotations

from tidelog import KnowledgeBase

RULES = """
@relation measured(turbine: string key, rpm: float, celsius: float) .
@relation beside(turbine: string, other: string) .
hot: alarm(T, heat) :- measured(T, _, C), C > 80.
"""
STREAM = [
    {"id": "06:00", "insert": [["beside", "t1", "t2"], ["beside", "t2", "t3"]]},
    {"id": "06:10", "upsert": [["measured", "t1", 14.0, 61.5], ["measured", "t2", 2.5, 60.0], ["measured", "t3", 13.5, 85.0]]},
    {"id": "06:15", "add_rules": ["slow: alarm(T, slow) :- measured(T, R, _), R < 5, beside(T, U), measured(U, S, _), S > 10."]},
    {"id": "06:20", "upsert": [["measured", "t3", 13.0, 74.0]]},
    {"id": "06:25", "add_rules": ["beside(Y, X) :- beside(X, Y)."]},
    {"id": "06:30", "remove_rules": ["hot"], "add_rules": ["hot: alarm(T, heat) :- measured(T, _, C), C > 60."]},
    {"id": "06:40", "upsert": [["measured", "t2", 12.0, 59.0]]},
    {"id": "06:50", "remove_rules": ["hot", "slow"]},
]


def main() -> None:
    """Follow a stream of measurements and rules."""
    kb = KnowledgeBase(RULES)
    for change in kb.follow(STREAM):
        signs = [("+", change.inserted.get("alarm", ())), ("-", change.deleted.get("alarm", ()))]
        told = [f"{sign} {turbine} {what}" for sign, facts in signs for turbine, what in sorted(facts)]
        rules = f" ({len(change.rules.added)} rules added, {len(change.rules.removed)} removed)" if change.rules else ""
        print(f"{change.id}{rules}: {', '.join(told) or 'nothing'}")


if __name__ == "__main__":
    main()
