"""Folders on any file system: what a job keeps beside its data, such as pointers, manifests, commits and change feeds.

- `store`: the interface; `finding`: the store of a path or address;
- `local`: a folder of this machine, by Python's own files;
- `hadoop`: any file system that Spark reaches, through the JVM of Spark and with the credentials that it has;
- `arrow`: a file system that pyarrow reaches, where this process has no JVM: Spark Connect, and readers without Spark.

Data is written by the engines. Nothing here knows of facts, jobs or engines.
"""

from tidelog.stores.finding import store_at
from tidelog.stores.store import Store, is_uri

__all__ = ["Store", "is_uri", "store_at"]
