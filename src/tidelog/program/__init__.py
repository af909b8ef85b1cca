"""From a syntax tree to a checked program: safety, types, hyper-graph, strata, modules.  Imports `syntax` and `functions`.

`program.check` runs all checks in their order and is the place to start.  It uses:

- names and arities: `relations`;
- `lowering` (expressions out of atoms), and the errors and warnings of `checks`;
- structure: `hypergraph` (dependency graph, components, strata), `modules` (transitive relations).

`explicit` checks facts given from Python, `queries` a body without a head.  `changes` is for rules that change in a running
knowledge base.
"""
