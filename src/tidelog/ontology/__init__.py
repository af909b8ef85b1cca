"""OWL 2 RL: the axioms of an ontology as rules, and the rules of the W3C over triples.

There are two ways.  `translation` turns each axiom into rules about its classes and properties (a description logic program:
Grosof, Horrocks, Volz, Decker: Description logic programs, WWW 2003): `axioms` reads them from a graph, `expressions` turns class
expressions into bodies and heads, `naming` names the rules, and `listing` prints them as a program.  `rl_rules` has the rules of
tables 4 to 9 of OWL 2 Profiles, which read the axioms as data: `owl_rl.dl`.

`loaded` says what an ontology adds to a knowledge base and what is taken back with it, `entailment` which questions a graph asks,
and `consistency` what contradicts an ontology.  `local.reasoning` does it.
"""
