"""The Spark engine: DataFrames carry the data, and the kernel evaluates whatever fits into one process."""
