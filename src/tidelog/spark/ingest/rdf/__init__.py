"""RDF on Spark: `triples` drives, `triple_tasks` parses in Spark's Python workers, with `tidelog.rdf`."""
