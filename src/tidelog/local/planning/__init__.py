"""Planning: from a core rule to a join plan that the kernel interprets.

- `join_order`: a greedy join order by bound columns and measured selectivity; `plan_cache` keeps plans.
- `mentions`: which literals mention a variable.
- `steps`: each literal of the order as a step: scan, probe, test, filter, assignment.
- `ranges`: which comparisons bound a column, so that an ordered index finds the rows.
- `expressions`: expressions as postfix code.
- `plan`: the finished plan, with its buffers and the state of a run.

Planning reads table sizes and creates indexes; it changes no facts.
"""
