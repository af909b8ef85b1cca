"""Evaluation: all facts of a unit from its rules and operators, by semi-naive rounds.

- `seminaive`: the rounds; runs plans, and grows buffers when the kernel stops for room.
- `fused_rules`: several rules and all their rounds in one kernel call, for small updates.
- `function_calls`, `function_batches`, `aggregation`: fill the relations of functions that Python computes, and of aggregates.
- `grouping`: the groups of rows, and what one pass over them tells.

Evaluation appends rows to the tables of the unit; only maintenance deletes rows.
"""
