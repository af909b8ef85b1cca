"""Aggregates under change, at the cost of the change. Read first `aggregate_update`, one update of one aggregate.

| module | what it does |
| --- | --- |
| `aggregate_update` | the groups that an update touches, and their results |
| `continuation` | results that follow from the ones before, and from what has come and gone |
| `kept_groups` | large groups of which something is kept from one update to the next |
| `group_states` | what is kept of a group: an exact sum, or its members in order |
"""
