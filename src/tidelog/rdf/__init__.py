"""RDF as facts: `ntriples` parses files of N-Triples and Turtle; `terms` gives each RDF term the key of its value."""
