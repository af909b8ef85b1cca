"""From a text of SPARQL to operators.

`parsing` calls rdflib, `selected` looks at what it has parsed, `translation` takes its algebra, and `path_patterns` its paths;
`only_needed` drops variables that nobody reads; `question` is the result.
"""
