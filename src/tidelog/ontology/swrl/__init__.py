"""Rules of SWRL inside of an ontology, as our rules.

W3C submission "SWRL: A Semantic Web Rule Language Combining OWL and RuleML" (2004), in its RDF syntax.  `swrl_rules` reads a
`swrl:Imp` with its atoms, `builtins` has the built-ins of `swrlb:`, and `vocabulary` the names.
"""
