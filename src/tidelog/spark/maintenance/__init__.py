"""Maintenance on Spark: one update at a time, facts and rules, as deltas from component to component.

- `update`: one update, all of it or nothing; `update_keys`: its request; `update_result`: what users see of it.
- `in_rounds`: the maintenance of units that are evaluated on Spark; those in the kernel are maintained by the local engine.
- `rule_changes`: updates in which rules change.
- `stream_in_kernel`: updates of a stream, with a look ahead to the next one.

Uses `evaluation` and `data`; only the knowledge base uses it.
"""
