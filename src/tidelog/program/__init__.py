"""From a syntax tree to a checked program: safety, types, hyper-graph, strata, modules.  Imports `syntax` and `functions`.

`program.check` runs all checks in their order and is the place to start.  It uses:

- names and arities: `relations`;
- safety: `lowering` (expressions out of atoms), `scope` (evaluation order of a body), `safety` (the errors);
- types: `types` (inference), `type_checks` (the errors), `declared_columns` (coercion to declared types);
- structure: `hypergraph` (dependency graph, components, strata), `modules` (transitive relations), `sameness` (canonical
  form of a rule), `lint` (warnings).

`explicit` checks facts given from Python, `queries` a body without a head.

A running knowledge base changes its rules by `rule_changes` (checks a change), `live_rules` (the rules by number, name and
canonical form), `components` (the components of predicates, merged and split) and `versions` (mappings that share
structure).  Together with `core.units` these are ZodiacEdge's Algorithms 2 to 4; the table is in `core`.
"""
