"""Transitive and symmetric-transitive relations inside the kernel: no pair is stored.

- `graphs`: nodes, adjacency, strongly connected and connected components, rows of bits for all that a component reaches;
- `virtual_access`: the row `W` of `VR` that describes such a relation, and how it is read;
  `virtual_steps`: what the join kernel calls;
- `pairs`, `pair_differences`: pairs counted, tested and written down, and what two versions differ in;
- `versioned_lists`, `next_version`: lists and rows that versions share, and what the next version is made with;
- `edge_insertion`, `edge_deletion`: the next version of a closure;
- `connectivity`: partitions, which are changed in place.

Who calls it: `local.closure`, which owns the buffers and makes the versions, and `join`, which reads them.
"""
