"""Files and data frames: facts in, results out, as Arrow columns and without loops over rows where possible.

In: `reading.read` is the entry.  `formats` chooses format and files; `delimited`, `json_lines` and `tables` read
sources into `raw` columns; `matching` assigns columns to those of the relation; `fitting` gives them types, with `text_types` and
`objects`; `rejects` reports rows that do not fit; `columns` is the result.
Out: `writing.write` is the entry.

Nothing here knows an engine: the dictionary of an engine encodes the columns.
"""
