"""Batch jobs: from the sources through an engine to versioned sinks, each run all or nothing.

`run` is the order of the stages.  `backend` is what a run needs of an engine, `local_backend` (with `local_rows` for its sources)
and `spark_backend` offer it.  `rejects` collects rows that do not fit.  `sinks`
publishes the results as versions of a folder (`versioned_folder`) on any file system (`tidelog.stores`).  `dry_run` shows a job
without running it.  Imports `job` and `report`; of the engines only the knowledge base and what `tests/test_layers.py` lists.
"""
