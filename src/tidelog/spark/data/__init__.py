"""Facts on Spark: keys, numbers and frames, and their exchange with the kernel.

- `matrices`, `column_types`: facts as matrices, Arrow tables and frames of numbers; keys as typed columns.
- `blocks`: ingested facts, which name each distinct key once; `spark_dictionary`: keys to numbers and back.
- `frames`: a relation as immutable segments with tombstones; `sorted_copies`: its facts by the values of a column, without a job.
- `sets`: deltas and operations on sets; `novelty`: what is new.
- `exchange`: each relation where it is read, on Spark or in the kernel; `explicit_snapshot`: facts that outlive an engine.
- `spark_facts`: facts and changes as users see them.

Uses `session` and the local engine's dictionary; `evaluation` and `maintenance` change relations only through it.
"""
