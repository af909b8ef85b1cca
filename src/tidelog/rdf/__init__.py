"""RDF as facts, and facts as RDF, for both engines.

`formats` says what a file is, `sources` reads files, texts and graphs in batches; `ntriples` parses lines and `documents` whole
texts of any format; `terms` gives each RDF term the key of its value; `exchange` takes single triples from Python; `writing`
gives keys back as N-Triples and Turtle.

A triple `s p o` is the fact `p(s, o)`, and `s rdf:type C` with an IRI `C` is `C(s)`; or each is `triple(s, p, o)`.
"""
