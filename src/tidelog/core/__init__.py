"""Core programs: the form of a program that both engines evaluate.  Imports `program` and what is below it, never an engine.

Read in this order:

- `arrays`: the array types of both engines, and `isin_rows`; `value_encoding`, `keys`: values as integers, texts and keys.
- `rules`: the core form.  A rule is a join of atoms, negated atoms and native comparisons.  Everything else is an *operator* that
  fills a relation: `FunctionCalls`, `Aggregation`, `Closure`.  A `Unit` is what is evaluated together.
- `rewriting`: from checked rules to core rules, and to units in evaluation order.
- `units`: the units of a program while rules are added and removed.
- `schema`: a program and the relations that have only facts, as one immutable value.
- `limits`, `statistics`, `rule_report`: limits and Ctrl-C; the counters of an evaluation; the report on a rule change.

Rule changes meet Algorithms 2 to 4 of ZodiacEdge (Xu and Curé, 2023) in intent; `program.changes.components` says how we depart.

| step of the paper | here |
| --- | --- |
| the hyper-graph of a program | `program.hypergraph.build` |
| add a rule: its edges; hyper-nodes on a new cycle merge | `program.changes.components.Components.add` |
| delete a rule: its hyper-node splits | `program.changes.components.Components.remove` |
| both as one checked change | `program.rule_changes.plan_change`, `program.live_rules.LiveRules.changed` |
| which hyper-nodes are evaluated again | `units.Structure.changed` |
| evaluate them, propagate differences in topological order | `local.rule_changes`, `spark.maintenance` |
"""
