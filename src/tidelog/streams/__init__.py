"""Streams: updates that arrive one after the other, and the change that each of them makes.

`update` is one update, from JSON and back.  `source` is the interface of a stream: the next update, and, without waiting, the one
that has arrived already; with iterables and queues.  `lines` reads files, pipes and folders that grow.
`following` picks the source and is the iterator of changes over a knowledge base, and `journal` records how far it has come, so
that it can be resumed.  Imports no engine: a knowledge base is whatever has `apply` and `replay`.
"""

from tidelog.streams.update import Update, UpdateError

__all__ = ["Update", "UpdateError"]
