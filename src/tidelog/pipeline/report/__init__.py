"""What is known of a run, and its forms for people and programs.

`outcome` is the record of a run that the other rooms fill, `stream_history` that of a stream's updates.  `manifest` is the
outcome as JSON, `html` the report as a page (`plots`, `style`), `terminal` the progress and the summary on standard error.
Imports `job` only; opens no file.
"""
