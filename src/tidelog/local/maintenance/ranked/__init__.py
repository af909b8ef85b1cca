"""Deletion by ranks, for one unit: a fact with a proof from older facts is kept, and no search is needed to find that proof.

Every fact of a unit has a rank: when it came (`kernel.rows.row_times`). A fact that has lost a rule instance stands if it is
explicit, or if it has *support*: an instance all of whose facts of the unit came before it and have not fallen. Such proofs
cannot be circular, so nothing is searched behind them. A fact without support falls, and what it was used for is looked at next;
what came first is looked at first. In the end, what fell and still follows from the rest comes back, as a new fact.

What is taken from where: suspects and their propagation from DRed, which lets all of them fall; rederivation too; backward plans,
the compiled loop and its phases from B/F, which proves every suspect by a search through all cycles (`backward_forward`). That
facts which came before can support without a search is the idea of well-founded support in truth maintenance, of elastic
incrementalization (Zhao, Subotić, Raghothaman, Scholz, PPDP 2021), and of the times of insertion in the deletions on Spark.

The invariant: *the facts of a unit can be put in an order that their ranks do not contradict, in which every fact that is not
explicit has an instance of facts before it.* It holds because rules append a fact when all facts of its instance are there; where
something else keeps or moves facts, the ranks are forgotten (`Table.forget_order`, `forget_times`): proofs of B/F may use
facts that came later; a marked step that was undone; units that became one. Saved facts keep theirs (`durable.snapshot`). Ranks
that say too little never make a wrong result, only more facts fall and come back. `tests.oracles.ranked` checks the invariant
after every update.

Why it is right. Let f be a fact that is left. If it was never looked at, the instance that the invariant gives it has lost no
fact below the unit, and none of the unit, whose users were looked at. If it was looked at, its support has not fallen since:
users of what falls are looked at again, unless they certainly came before. So every fact that is left has an instance of facts
before it that are left: by induction along the order it follows.

Lines: `in_plain_python.ByRanks.delete`, the oracle of the tests, beside the compiled loop (`rank_loop`).

    lost instances below    phase SEED        delta rules, as in every deletion; deleted explicit facts: `Deletion.delete`
    _may_support            `lost_instances`  rules stop at each instance; one with a fact that came after its head was no support
    _look_later             COLLECT, QUEUE    the heap `suspect_queue`; of many facts at once only those without support
    _stands                 LOOK              `support.look`: backward plans, each instance is tested (`support._is_support`);
                                              first of all the instance that was support of another fact (`support._by_witness`)
    heads of what fell      PROPAGATE         rules over the facts that fell in this tick
    I without fallen        REMOVE            `bf_loop.remove_disproved`
    back                    REDERIVE          one rule each over what fell; what follows is semi-naive insertion

All facts of one tick, those that one run of a rule has appended, are looked at together, and propagate in one pass.
"""
