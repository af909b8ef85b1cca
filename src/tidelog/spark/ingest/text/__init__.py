"""Text files inside Spark's tasks: their lines, what a first pass sees of columns and types, and their rows as keys.

`texts` drives both passes from the driver; the other modules run in Spark's Python workers and are given bytes and batches only.
"""
