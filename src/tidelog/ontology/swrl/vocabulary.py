"""The names of SWRL: types and parts of its rules."""

from __future__ import annotations

SWRL = "http://www.w3.org/2003/11/swrl#"
SWRLB = "http://www.w3.org/2003/11/swrlb#"

IMP, VARIABLE = SWRL + "Imp", SWRL + "Variable"
BODY, HEAD, ARGUMENTS, BUILTIN = SWRL + "body", SWRL + "head", SWRL + "arguments", SWRL + "builtin"
ARGUMENT_1, ARGUMENT_2 = SWRL + "argument1", SWRL + "argument2"
CLASS_PREDICATE, PROPERTY_PREDICATE, DATA_RANGE = SWRL + "classPredicate", SWRL + "propertyPredicate", SWRL + "dataRange"
CLASS_ATOM, DATA_RANGE_ATOM, BUILTIN_ATOM = SWRL + "ClassAtom", SWRL + "DataRangeAtom", SWRL + "BuiltinAtom"
PROPERTY_ATOMS = frozenset({SWRL + "IndividualPropertyAtom", SWRL + "DatavaluedPropertyAtom"})
SAME_ATOM, DIFFERENT_ATOM = SWRL + "SameIndividualAtom", SWRL + "DifferentIndividualsAtom"
ENABLED = "http://swrl.stanford.edu/ontologies/3.3/swrla.owl#isRuleEnabled"
"""How editors switch a rule off."""

TYPES = frozenset(
    {
        IMP,
        VARIABLE,
        CLASS_ATOM,
        DATA_RANGE_ATOM,
        BUILTIN_ATOM,
        SAME_ATOM,
        DIFFERENT_ATOM,
        *PROPERTY_ATOMS,
        SWRL + "AtomList",
        SWRL + "Builtin",
    }
)
"""Types of rules and of their parts, which say nothing about the world."""
PARTS = frozenset(
    {BODY, HEAD, ARGUMENTS, BUILTIN, ARGUMENT_1, ARGUMENT_2, CLASS_PREDICATE, PROPERTY_PREDICATE, DATA_RANGE, ENABLED}
)
"""Predicates inside of rules."""
