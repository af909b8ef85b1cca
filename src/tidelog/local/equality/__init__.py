"""Equality of individuals: one individual represents all that are equal to it, while facts and rules change.

`classes`: who stands for whom; `evidence`: what makes them equal; `equating`: both beside the rules; `telling`: new relations;
`members` and `member_queries`: facts and answers for every member of a class.

The rules of a program know representatives only (`program.same_as`).  Who is the same is no relation that they derive, but an
explicit one, `tidelog_representative`, that is changed between the steps of an update: when rules have found that two
representatives are the same, their classes are joined, the facts of the smaller one are rewritten, as after any change of
explicit facts, and the next step begins; until no step finds more.
"""
