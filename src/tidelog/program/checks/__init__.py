"""The checks of a program; `program.program` has their order.

- `scope`: who binds what in a rule, and an order in which its literals can be evaluated; `safety` builds on it.
- `types`, `type_checks`: which kinds of values a term can have, and what is certainly wrong; `declared_columns` keeps columns to
  their declared types.
- `lint`: what is legal and probably not meant.
"""
