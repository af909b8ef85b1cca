"""Functions and aggregates of the language: names, types and values.

This is the one scalar implementation: the reference evaluator and both engines get their results from it, or are tested to give
the same.  `signatures` has names, arities and types; `arithmetic`, `strings` and `ordering` the functions; `conform` the
conformity tests of declared columns; `evaluate` applies a function and evaluates a term; `aggregates` folds values.
"""
