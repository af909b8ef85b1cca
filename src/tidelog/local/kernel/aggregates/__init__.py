"""Groups of aggregates inside the kernel: folded from all of their members, or from what is kept of them.

- `row_groups`: the groups of a table's rows, and their results, in one pass;
- `group_folding`: the results of groups whose members stand one after the other;
- `group_members`: the members of groups, found by the chains of an index;
- `exact_sums`: sums of any numbers that members join and leave, as fixed-point numbers of 2,304 bits;
- `ordered_members`: the members of a group in order, in blocks, for the smallest, the largest and those in the middle.

Who calls it: `local.evaluation.aggregation`, and `local.maintenance.aggregates`, which owns the buffers.
"""
