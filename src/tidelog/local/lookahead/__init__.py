"""Look-ahead over update streams: Illich and Glimm, "Backward/Forward with Marking for Update Streams" (DL 2025), Algorithm 1.

| paper | here |
| --- | --- |
| the next update U2 may arrive while U1 is applied; looking for it never blocks | `look_ahead.LookAhead`, `NextUpdate` |
| facts that U2 deletes are marked, and with them the heads of instances that use them | `marking`, `marking.propagate_marks` |
| marks are the start of the waiting set W when U2's turn comes | `marking.Marks.using` |

Departure: marked facts are inserted last, as a step of their own (`maintenance.delta.marked_step`), so that all that is new in
the step is marked without looking at instances, and the whole step can be undone without any rule. `look_ahead` also decides
whether marking pays; in the paper it is always on (`marking=True`). Only the knowledge bases use this package.
"""
