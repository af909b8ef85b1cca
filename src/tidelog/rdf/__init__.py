"""RDF as facts: N-Triples and Turtle, each term as the key of its value."""
