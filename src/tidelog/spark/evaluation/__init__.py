"""Evaluation on Spark: where each component is placed, and semi-naive rounds over frames for those on Spark.

- `placement`: kernel, rounds, decomposed closure or components, and why.
- `rounds`: semi-naive evaluation of a unit; `rule_joins`: a rule as joins of frames; `small_joins`: the same in the driver.
- `operators`: functions and aggregates in Spark's Python workers; `closure`: transitive relations without rounds.

Uses `data`; knows nothing of updates.
"""
