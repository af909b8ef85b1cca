"""Storage: the dictionary, tables, indexes, and the state of a knowledge base.  Python owns the buffers, the kernel fills them.

- `dictionary`: dictionary encoding of values as 32-bit ids.
- `indexes`: index chains over some columns of a table, ordered indexes by the values of one, and the matrices M and X that
  describe tables and indexes to the kernel.
- `tables`: the rows of a relation, appended and never moved; deletions leave tombstones.
- `state`: all tables and virtual relations of a knowledge base.
- `versions`: the rows of a table at one moment, for readers.
- `undo_log`: the tables before an update, for its rollback.
- `replacements`: the difference between a relation before and after it was derived from scratch.

Evaluation and maintenance write tables under an undo log; everything else reads them.
"""
