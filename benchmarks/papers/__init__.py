"""Programs and changes of the papers' tables and of what is known to be hard, all from seeds.

`university` (LUBM), `communities` (UOBM, Claros), `categories` (DBpedia and SKOS) and `analyses` (graphs and pointer analyses)
generate facts; `programs` names each program with its sizes; `jobs` says what is deleted and inserted, for `maintenance` to run;
`judging` and `section` show what was measured.
"""
