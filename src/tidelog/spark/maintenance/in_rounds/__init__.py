"""Maintenance of units on Spark, in rounds: over-deletion, rederivation and insertion, a set at a time.

`frame_maintenance` maintains a unit, aggregates included; `deletion` over-deletes by times of insertion, over `pre_update_state`,
and `rederivation` inserts again what still follows (DRed, with the proofs of Zhao et al.); `frame_changes` is the input of all of
them. Only `maintenance.update` and `maintenance.rule_changes` use it.
"""
