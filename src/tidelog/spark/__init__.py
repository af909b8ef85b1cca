"""The Spark engine: DataFrames hold what is too large for one process, and the local engine evaluates what fits.

- `kb` and `materialisation`: the knowledge base, what changes and what reads it; `engine`: components, each where it is placed.
- `session`: the private Spark session, and where the lineage of frames is cut; knows nothing of facts.
- `data`: facts as keys, numbers, frames and rows of the kernel; uses `session`.
- `ingest`: files, tables and triples as keys; uses `session` and `data`.
- `evaluation`: rules over frames, in semi-naive rounds; uses `data`.
- `maintenance`: deltas of facts and rules; uses `evaluation`.

The local engine is used as a whole, through `tidelog.local.engine`: units in the kernel are evaluated and maintained by its
transactions. Only `evaluation.closure`, which runs in Spark's workers, imports the closure of the local engine by itself. Nothing
here imports `tidelog.pipeline`.
"""
