"""What a knowledge base can say of itself beyond its facts: what it costs, how it plans, and which rules find nothing.

- `profiling`: evaluations recorded for a profile.
- `plans`: join orders for people, with bindings counted.
- `supposing`: what an update would change, found by making it and undoing it.
- `silence`: warnings of rules that the values at hand keep from deriving anything.

Called by `readable` and `kb`, with the lock; nothing here changes facts for good.
"""
