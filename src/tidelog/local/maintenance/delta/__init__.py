"""Deltas: what an update has inserted and deleted so far, the delta rules for it, and the change that users get.

Read `deltas` first, then `delta_rules` (one rule for each way in which an instance is gained or lost) and `rule_sets` (which
keeps them). `differences` is what a change tells users. `deltas.MarkedStep` is a step of a stream that can be undone as a
whole.
"""
