"""Why facts do not hold: for each rule that could derive one, how near its body comes, and what would have to be inserted.

Read in this order: `nearness` (which literals of a body can be true together), `failures` (why the others are not), `repairs`
(sets of facts that would derive it), `missing` (what users get) with `told` and `drawing` (how it looks), `why_not_query` (from
one to the other).
"""
