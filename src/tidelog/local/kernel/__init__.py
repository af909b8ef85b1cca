"""The compiled part: everything that loops over facts.

Python owns all buffers and tells the kernel their addresses in tables of 64-bit words (`layout`); the kernel never allocates what
outlives a call. A long-running entry point takes the tables `M`, `X`, `VR`, `T` and a row of addresses, runs until it is done or
something stops it (a full buffer, its budget of steps), and says why; its caller does what it stopped for and calls again.

- `build` compiles, `memory` turns addresses into arrays, `layout` names every word that Python and the kernel share;
- `terms` is the dictionary of values, `arithmetic` computes with them, `aggregates` with the groups of aggregates;
- `table_rows` finds, appends and indexes rows, `rows` removes them, orders them by value, and knows when they came;
- `join` interprets the plan of a rule, `emit_loop` is its fastest step, `range_search` finds rows by order, and `shortest_chain`
  chooses among atoms; `plan_table` leads to the buffers of a plan, `fused_rounds` runs rules round after round in one call;
- `closures` holds the algorithms of transitive relations; the loops of deletions are in `maintenance`.

Who calls it: `storage`, `planning`, `evaluation`, `closure` and `maintenance`, with buffers that they own. It imports nothing of
them. All of its sources are in the hash that names the folder of compiled code (`build`).
"""
