"""The Spark that Tidelog works in: which Java runs it, a private session beside the user's, Ctrl-C, and two policies.

`lineage` is the one place that cuts the history of DataFrames (checkpoints), and `shipping` the one that sends large Arrow tables
to Spark. Nothing here knows of facts, rules or keys; every other package of the engine may use it.
"""
