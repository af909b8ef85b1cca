"""Maintenance: what an update costs, with every algorithm, beside starting over and beside Pathway.

Each job has data, rules and changes of several sizes.  All contenders do the same changes, each in a fresh process after a
warm-up at a tiny size, and take turns; after every change they must hold the same number of facts.  Times are CPU seconds of
`kb.update` alone: of a step that is repeated within a process the median counts, and of several processes the best.

`measuring` deletes and re-inserts, `jobs` says what there is to do beside what `benchmarks.papers` has (a `job` each), `child`
is one process, `runner` starts them, `table` keeps the results, `judging` compares them with the targets, `section` and `plots`
show them.  `equilibrium` finds the deletion from which on starting over is cheaper.  `pathway_script` runs under an interpreter
that has pathway, which the variable `TIDELOG_PATHWAY_PYTHON` names: pathway brings two hundred packages along and is better kept
in an environment of its own.
"""
