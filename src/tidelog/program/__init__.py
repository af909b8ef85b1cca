"""From a syntax tree to a checked program whose structure is known: safety, types, hyper-graph, strata, modules."""
