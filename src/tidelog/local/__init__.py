"""The local engine: values as 32-bit ids, relations as tables of ids, rules as join plans that one Numba kernel interprets.

The packages, in the order in which one reads them:

- `storage`: the dictionary (values to ids), tables with indexes and tombstones, and `State`, which owns them all; the undo log.
- `kernel`: everything compiled.  It sees tables, indexes and plans by their addresses.
- `closure`: virtual relations, the transitive ones that are not stored.
- `planning`: from a core rule to a join plan.
- `evaluation`: semi-naive evaluation of a unit from scratch; aggregates, function calls.
- `maintenance`: the deltas of an update through the units: by ranks, B/F, DRed, counting, or from scratch, by a cost model.
- `rule_changes`: rules added to and removed from a running knowledge base.
- `lookahead`: marks for the next update of a stream.

An update goes through them like this.  `kb.LocalKnowledgeBase` hands it to `update_reader`, which checks it and encodes its facts
(`encoded_facts`).  `transaction` applies it: explicit facts change in the tables, with an undo log.  `maintenance` then visits
the affected units in topological order: each unit receives the deltas of the relations that it reads, finds deletions and
insertions by rules that join these deltas, and passes its own deltas on.  A change of rules first rebuilds the units
(`core.units`) and moves facts between tables (`rule_changes`).  The result is a `Change`; an error rolls back `program_state`.

Other packages enter through `kb` and `engine`.
"""
