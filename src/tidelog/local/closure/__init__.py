"""Virtual relations: transitive (TC) and symmetric-transitive (STC) relations whose pairs are not stored.

After Hu, Motik and Horrocks, "Modular Materialisation of Datalog Programs" (AAAI 2019).  `program.modules` finds them; this
package has the specialised algorithm of each.  The paper's four module functions:

| paper | TC: `incremental._Closure` | STC: `connectivity.partition_update` | compiled in `kernel.closures` |
| --- | --- | --- | --- |
| Add | `_add` | `changed` | `edge_insertion`; `connectivity.components` |
| Del and Red, as one step | `_delete` | `changed` | `edge_deletion`; `connectivity.components`, `connectivity.search` |
| Diff | `closure_diff.only_in` | `connectivity.partition_diff` | `pair_differences`, `pairs`; `connectivity.products` |
| first materialisation | `virtual_relation.VirtualRelation` | `connectivity.partition.Partition` | `graphs` |

Departures: the paper stores the closure, so Del over-deletes pairs and Red rederives them.  Here a TC relation is a condensation
with one row of a bit matrix per component, or a digraph that is searched; a STC relation is a partition; and Del and Red
recompute a whole row, or search whether a component splits.

Read in this order: `adjacency` (node numbering, adjacency lists in versions), `condensation` (the buffers of a relation, and its
words for the kernel), `digraph` and `frames` (what is searched, in versions that share pages), `virtual_relation` (build from
scratch), `incremental` (the next version), `closure_diff` (difference of two versions, by `new_pairs`), `bound_ends` (as much of
it as rules with constants read). `maintenance.closure_update` goes from the deltas of an update to the next version.

Both kinds look immutable.  Partitions are changed in place (`connectivity`); their versions are points of a journal.  Versions of
a closure share what is the same: an update builds the next one beside the last one.  Planning and the join kernel walk a virtual
relation by its row of the matrix V.  Only `evaluation`, `maintenance` and `storage.state` create or replace versions.
"""
