"""A store of rdflib whose triples are the facts of a knowledge base, and what follows from them.

`store` has the stores, which rdflib knows as "Tidelog" and "TidelogDataset"; `terms` turns values into terms of rdflib and back,
`change_log` keeps what a rollback takes back, `namespaces` the prefixes, and `querying` answers SPARQL.
"""

from tidelog.rdflib_store.store import TidelogDatasetStore, TidelogStore

__all__ = ["TidelogDatasetStore", "TidelogStore"]
