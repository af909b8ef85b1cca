"""Streaming jobs: micro-batches of updates from Spark's Structured Streaming, each update applied exactly once.

`streaming_job` runs a job from its start to its end.  `stream_sources` reads updates from a folder or a streaming DataFrame,
`stream_query` runs the query, `batch_worker` applies a micro-batch update by update, `change_feed` writes what changed, and
`stream_state` is the commit log with snapshots from which a job restarts; its epoch fences off a job that another one replaced.
`stream_results` publishes sinks and the report between micro-batches.  `data_source` gives sinks and feeds to other
jobs of Spark's.  Imports `job`, `report` and `batch`.
"""
