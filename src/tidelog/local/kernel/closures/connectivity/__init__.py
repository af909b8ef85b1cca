"""Fully dynamic connectivity: the components of an undirected graph whose edges come and go one by one, changed in place.

- `words`: the buffers of a partition, and how the join kernel reads it;
- `journal`: every write with what was there before, so that any version can be reached from any other;
- `edge_lists`: edges by node, each with the place of its other end, those of the spanning part first;
- `search`: whether two nodes stay connected without an edge, and by what;
- `components`: insertion merges the smaller component into the larger one; deletion splits the side that was found off;
- `reading`, `products`: pairs tested and written down; the pairs in which two versions differ, as products.

Spanning forests with relabelling of the smaller side, as in ID- and DND-trees (Xu et al., "Constant-time Connectivity Querying in
Dynamic Graphs", 2024).  Departures: no node has a parent or a depth, so that nothing depends on how deep a tree is; and the kept
edges need not be a forest.  They *span*: they connect what all edges connect.  So where an edge of them goes and a short way
around it is found by other edges, that way joins them, and nobody has to know which edges are superfluous.

Who calls it: `local.closure.connectivity`, which owns the buffers, and `closures.virtual_steps`.
"""
