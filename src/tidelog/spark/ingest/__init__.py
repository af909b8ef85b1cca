"""Facts into Spark: files, tables and DataFrames as frames of keys; rows that do not fit are rejected, never dropped."""

from tidelog.spark.ingest.ingested import Ingested
from tidelog.spark.ingest.rdf.triples import RdfFacts, ingest_rdf
from tidelog.spark.ingest.reading import ingest
from tidelog.spark.ingest.rejects import Rejected, Rejects

__all__ = ["Ingested", "RdfFacts", "Rejected", "Rejects", "ingest", "ingest_rdf"]
