"""SPARQL: queries over the triples that relations hold, and updates of triples.

`reading` turns a text into operators (`algebra`): rdflib parses, and what it cannot say, or what is not supported, is an error
with its place.  `evaluation` computes them over columns of ids: basic graph patterns are joins of the kernel, asked of an engine
through `evaluation.inquiries.Inquiry`.  `answering` puts both together, and `results` is what users get.  `terms` and
`expression_trees` are about what rdflib gives: terms and expressions.
"""
