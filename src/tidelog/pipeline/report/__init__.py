"""What is known of a run, and its forms for people and programs.

`outcome` is the record of a run that the other rooms fill, and its manifest.  `html` is the report as a page with
`plots`, `terminal` the progress and the summary on standard error.  Imports `job` only; opens no file.
"""
