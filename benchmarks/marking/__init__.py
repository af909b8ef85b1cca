"""Marking: whole streams of updates, with the next update in sight, without marks, with those of the papers, and with `auto`.

Tables 1 to 3 of Illich and Glimm (DL 2025) again: P_trans and P_seq, generated with the paper's parameters, and the first GPS
track; the streams of the authors' other knowledge bases; and streams of measurements, where finding what a deletion affects is
what costs.  Every stream is worked off in one process by all contenders in turn, many times; the median counts.  The first update
is completed before anybody looks ahead, as in the paper.  `streams` makes them, `measuring` works them off, `table` keeps the
results, `section` and `judging` show them.
"""
