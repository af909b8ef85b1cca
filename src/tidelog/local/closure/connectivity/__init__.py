"""Partitions: symmetric-transitive relations, changed in place, of which any version can still be read.

- `buffers`: what a partition consists of, and how it grows;
- `partition_versions`: which version the buffers hold, and the way from one to any other;
- `partition`: one version, as everybody else sees it;
- `partition_update`: the next version;
- `partition_diff`: the pairs in which two versions differ.

The compiled part is `kernel.closures.connectivity`.
"""
