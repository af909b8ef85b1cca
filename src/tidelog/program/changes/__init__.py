"""Rules that change in a running knowledge base: ZodiacEdge (Xu, Curé, 2023), see `core` for the table of its algorithms.

- `rule_changes`: added and removed rules, read and checked against the program as it will be.
- `live_rules`: the rules by number, name and sameness (`sameness`), in versions that share what has not changed (`versions`).
- `components`: the components of predicates and the hyper-nodes of rules, merged along new cycles and split where one is gone.
"""
