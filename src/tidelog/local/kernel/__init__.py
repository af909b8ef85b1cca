"""The compiled part: everything that loops over facts.

`build` compiles, `memory` turns addresses into arrays, `layout` names every word of the tables that Python and the kernel
share. `terms` is the dictionary of values, `arithmetic` computes with them; `tables` stores and indexes rows; `join`
interprets plans; `closure` and `partition` keep transitive relations; `aggregates` folds groups.
"""
