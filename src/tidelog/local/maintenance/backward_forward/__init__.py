"""Backward/Forward: Motik, Nenov, Piro, Horrocks, "Incremental Update of Datalog Materialisation" (AAAI 2015), for one unit.

A fact that has lost a rule instance is deleted only if no other proof exists. `as_printed` is the algorithm as the paper prints
it, in plain Python, and the oracle of the tests; the rest of this package is the same algorithm, compiled. Lines are numbered
through Algorithms 1 to 3, as in `as_printed`.

Sets. Each is a table beside each relation of the unit, or a prefix of one (`unit_layout`):

    E  EXPLICIT   explicit facts               I  TABLE      the relation itself, with all facts
    C  CHECKED    a proof was searched for     D  AFFECTED   lost a rule instance, or is no longer explicit
    P  PROVED     a proof was found            V  the first PROCESSED rows of P: their consequences are known
    S  DISPROVED  checked, no proof exists     O  the first REMOVED rows of S: their consequences are known, they have left I
    Y  none

Lines.

    Algorithm 1  B/F                `bf_loop.delete_unproved`
       1         C, D, P … empty    `UnitTables.begin`
       2, 3      D gets E⁻          `Deletion.delete`; phase SEED adds the heads of instances that lower units have lost
       4, 5      F from D; check    phases CHECK and CHECKING: `proving.check_affected`, `_check_next`
       6         S                  `proving._disprove`
       7 to 10   propagation        phases PROPAGATE and PROPAGATING: delta rules over S without O (`mark_disproved`)
       11, 12    O; remove from I   phase REMOVE: `bf_loop.remove_disproved`
    Algorithm 2  CheckProvability   a frame of the stack for each call (`checks`)
       13 to 15  C; explicit facts  `checks.begin_check`
       16, 17    instances of F     backward plans: `checks.start_plan`, `proving._continue_check`, `checks.next_unchecked`
       18 to 20  check the bodies   `proving._continue_check`, `_check_body_fact`
    Algorithm 3  Saturate
       21 to 23  explicit facts     `checks.begin_check`
       24 to 28  consequences       `proving._saturate`: forward plans, one fact of P at a time; heads outside C are not derived

Departures, and why:

- A unit is one component of predicates, and lower units are maintained before it. Their facts are what they will be, so they
  count as proved and are never checked; negated and computed literals are tests for the same reason.
- Every disproved fact is deleted, since all of S ends up in D anyway. So deletion propagates from S, a round at a time, instead
  of from D, fact by fact; the facts of S leave I after each round, which is the paper's O.
- No Y. A check first looks one step ahead for an instance whose body is proved or explicit already (`checks.has_proved_body`);
  that finds the proofs that Y would remember, without deriving facts that are never checked.
- An instance whose facts have all been checked is skipped: only unchecked facts can add to P (`checks.next_unchecked`).
- Facts of D are checked in the order of their rows, relation after relation, depth first; the order of instances is that of the
  plan. The paper leaves both open; results do not depend on them, counters do.
- The loop is compiled and runs in one call. It stops where only Python can continue (`bf_deletion`): to grow a buffer, to look at
  limits and Ctrl-C, to apply the rules of units with computed functions, to remove the fact of a relation without columns.
"""
