"""Rules that change: ZodiacEdge (Xu, Curé, 2023), Algorithms 2 to 4, in intent.

| algorithm | here |
| --- | --- |
| 2, a rule is added: new node, components are merged | `program.changes.components`, `core.units.Structure.changed` |
| 3, a rule is removed: its hyper-node is split | `program.changes.components`, `core.units.Structure.changed` |
| 4, evaluate the changed hyper-nodes, propagate differences in topological order | `migration`, then `maintenance.propagation` |

Departures: the unit of maintenance is the component of predicates with all their rules, since several hyper-nodes can derive
one predicate; hyper-nodes serve to plan and to report (`core.rule_report`). Algorithm 2 as printed adds only the edges out of a
new rule and misses cycles; Algorithm 3 loops over the wrong set. A removed rule is the set of instances that its unit loses
(`maintenance.rule_maintenance`), so any deletion algorithm serves, and no rule change costs more than rematerialising.
"""
