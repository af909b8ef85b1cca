"""Operators over columns of ids.

- `inquiries`: what is needed of an engine.
- `dataset`: which relations hold triples; `patterns`: basic graph patterns as joins; `paths`: paths of any length.
- `solutions`: columns of ids, and how those of two patterns fit together.
- `comparing`, `expressions`, `grouping`: values, conditions and aggregates.
- `operators`: everything together.
"""
