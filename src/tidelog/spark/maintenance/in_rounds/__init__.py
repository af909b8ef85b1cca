"""Maintenance of units on Spark, in rounds: over-deletion, rederivation and insertion, a set at a time.

`frame_maintenance` maintains a unit, aggregates included; `deletion` over-deletes by times of insertion, over
`pre_update_state`, which is the input of all of them, and `rederivation` inserts again what still follows (DRed, with the proofs
of Zhao et al.). Only `maintenance.update` and `maintenance.rule_changes` use it.
"""
