"""A directed graph under change, in versions that share pages: for transitive relations that are searched.

- `pages`: memory in pages; a version copies a page when it first writes to it;
- `records`: a record for each node, lists of edges, components as rings of nodes;
- `paths`: reachability, by search from both ends, bounded by a topological order of the components;
- `listing`: what a node leads to, and what leads to it, as ids;
- `pair_counts`: how many pairs its closure has;
- `growing`: insertion of edges, after Pearce and Kelly; `shrinking`: deletion; `building`: a first version.

Who calls it: `local.closure.digraph`, which owns the pages, and `closures.virtual_access`.
"""
