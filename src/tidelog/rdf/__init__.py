"""RDF as facts: `ntriples` and `turtle` parse files; `terms` gives each RDF term the key of its value."""
