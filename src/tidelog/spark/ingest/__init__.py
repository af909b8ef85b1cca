"""Facts into Spark: files, tables and DataFrames as frames of keys; rows that do not fit are rejected, never dropped.

`reading.ingest` is the entry point for one relation, `rdf.triples.ingest_rdf` the one for triples. `sources` says what a source
is; `text` parses CSV, TSV and JSON Lines inside Spark's tasks, `tables` takes what has types already, `rdf` takes triples;
`fitting` brings rows into the columns and types of a relation; `rejects` and `ingested` are the results.
Uses `session`, `data.blocks`, `tidelog.files` and `tidelog.rdf`; knows nothing of engines or rules.
"""

from tidelog.spark.ingest.ingested import Ingested
from tidelog.spark.ingest.rdf.triples import RdfFacts, ingest_rdf
from tidelog.spark.ingest.reading import SourceOptions, ingest
from tidelog.spark.ingest.rejects import Rejected, Rejects

__all__ = ["Ingested", "RdfFacts", "Rejected", "Rejects", "SourceOptions", "ingest", "ingest_rdf"]
