"""Job files: what a job is, read from TOML and checked as a whole before anything runs.

`job_file` reads the file and its program and reports all errors at once; `parts` are its sources, sinks, engine, limits and
stream, `reading_parts` reads each of them with the checks of `toml_checks`; `schemas` has the columns of sources, for a dry
run.  Imports no engine and no other room of the pipeline.
"""
