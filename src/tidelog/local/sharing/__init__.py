"""Sharing: one writer and many readers of one knowledge base, in several threads.

- `writer_lock`: one writer at a time; a second one waits, or is refused.
- `published`: versions of all relations; a finished update publishes the next one by a single assignment.
- `replica`: tables and indexes of the readers' own, for queries, brought up to date by the difference of two versions.
- `inquiry`: several questions about one state, with temporary relations between them; `direct`: one that is asked again.
- `snapshot`: one version, for several questions.
- `forks`: what becomes of locks and replicas in a forked process.
- `readers`: who reads what: the state itself while nobody else uses it, else the version that was published last.

Facts and counts are read from versions, which share the buffers of the tables (`storage.versions`).  Queries need indexes, which
the writer changes in place: so readers have indexes of their own, for the relations that queries read.  Only the first reader
beside a writer waits, for the update in hand; from then on every update publishes its version, and no reader waits for a writer.
"""
