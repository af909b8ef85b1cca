"""The names of OWL, RDF Schema and RDF that axioms are written with."""

from __future__ import annotations

from tidelog.ontology.swrl.vocabulary import PARTS as SWRL_PARTS
from tidelog.ontology.swrl.vocabulary import TYPES as SWRL_TYPES
from tidelog.values import RDF, XSD

OWL = "http://www.w3.org/2002/07/owl#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"

TYPE, FIRST, REST, NIL = RDF + "type", RDF + "first", RDF + "rest", RDF + "nil"
SUB_CLASS, SUB_PROPERTY, DOMAIN, RANGE = RDFS + "subClassOf", RDFS + "subPropertyOf", RDFS + "domain", RDFS + "range"
THING, NOTHING = frozenset({OWL + "Thing", RDFS + "Resource"}), OWL + "Nothing"
EQUIVALENT_CLASS, EQUIVALENT_PROPERTY = OWL + "equivalentClass", OWL + "equivalentProperty"
DISJOINT_WITH, DISJOINT_PROPERTIES, DISJOINT_UNION = OWL + "disjointWith", OWL + "propertyDisjointWith", OWL + "disjointUnionOf"
INTERSECTION, UNION, COMPLEMENT, ONE_OF = OWL + "intersectionOf", OWL + "unionOf", OWL + "complementOf", OWL + "oneOf"
INVERSE, CHAIN, HAS_KEY = OWL + "inverseOf", OWL + "propertyChainAxiom", OWL + "hasKey"
SAME, DIFFERENT = OWL + "sameAs", OWL + "differentFrom"
MEMBERS, DISTINCT_MEMBERS = OWL + "members", OWL + "distinctMembers"
ALL_DISJOINT_CLASSES, ALL_DISJOINT_PROPERTIES = OWL + "AllDisjointClasses", OWL + "AllDisjointProperties"
ALL_DIFFERENT, NEGATIVE = OWL + "AllDifferent", OWL + "NegativePropertyAssertion"
SOURCE, PROPERTY, TARGET, TARGET_VALUE = (
    OWL + name for name in ("sourceIndividual", "assertionProperty", "targetIndividual", "targetValue")
)
ON_PROPERTY, ON_PROPERTIES, ON_CLASS, ON_DATA_RANGE = (
    OWL + name for name in ("onProperty", "onProperties", "onClass", "onDataRange")
)
SOME, ALL, HAS_VALUE, HAS_SELF = (OWL + name for name in ("someValuesFrom", "allValuesFrom", "hasValue", "hasSelf"))
CARDINALITIES = {
    OWL + name: (name[:3] if name[0] == "m" else "exact")
    for name in (
        "minCardinality",
        "maxCardinality",
        "cardinality",
        "minQualifiedCardinality",
        "maxQualifiedCardinality",
        "qualifiedCardinality",
    )
}
"""Predicates of restrictions of a number, and whether they are about the least, the most or the exact number."""
DATA_PROPERTY, OBJECT_PROPERTY = OWL + "DatatypeProperty", OWL + "ObjectProperty"
IMPORTS, ONTOLOGY = OWL + "imports", OWL + "Ontology"
TOP_PROPERTIES = frozenset({OWL + "topObjectProperty", OWL + "topDataProperty"})

CLASS_EXPRESSIONS = frozenset({INTERSECTION, UNION, COMPLEMENT, ONE_OF})
"""With a named class as subject, each says what it is equivalent to."""
CHARACTERISTICS = {
    OWL + "FunctionalProperty": "functional",
    OWL + "InverseFunctionalProperty": "inverse functional",
    OWL + "TransitiveProperty": "transitive",
    OWL + "SymmetricProperty": "symmetric",
    OWL + "AsymmetricProperty": "asymmetric",
    OWL + "IrreflexiveProperty": "irreflexive",
    OWL + "ReflexiveProperty": "reflexive",
}
DECLARATIONS = frozenset(
    [
        *(
            OWL + name
            for name in (
                "Class",
                "ObjectProperty",
                "DatatypeProperty",
                "AnnotationProperty",
                "OntologyProperty",
                "NamedIndividual",
                "Restriction",
                "DataRange",
                "DeprecatedClass",
                "DeprecatedProperty",
                "SelfRestriction",
                "Ontology",
                "Axiom",
                "Annotation",
            )
        ),
        *(RDFS + name for name in ("Class", "Datatype", "Container", "ContainerMembershipProperty")),
        *(RDF + name for name in ("Property", "List")),
        *SWRL_TYPES,
    ]
)
"""Types that say what a name stands for, and nothing about the world."""
NOTES = frozenset({OWL + "Axiom", OWL + "Annotation", ONTOLOGY, *SWRL_TYPES})
"""What has such a type is a note about an axiom, the ontology itself, or a rule of SWRL and its parts."""
STRUCTURE = frozenset(
    {
        FIRST,
        REST,
        MEMBERS,
        DISTINCT_MEMBERS,
        SOURCE,
        PROPERTY,
        TARGET,
        TARGET_VALUE,
        ON_PROPERTY,
        ON_PROPERTIES,
        ON_CLASS,
        ON_DATA_RANGE,
        SOME,
        ALL,
        HAS_VALUE,
        HAS_SELF,
        IMPORTS,
        *CARDINALITIES,
        *SWRL_PARTS,
        *(OWL + name for name in ("annotatedSource", "annotatedProperty", "annotatedTarget", "onDatatype", "withRestrictions")),
        *(OWL + name for name in ("datatypeComplementOf", "priorVersion", "backwardCompatibleWith", "incompatibleWith")),
    }
)
"""Predicates inside of axioms and expressions; the subject says what they belong to."""
AXIOMS = frozenset(
    {
        SUB_CLASS,
        EQUIVALENT_CLASS,
        DISJOINT_WITH,
        DISJOINT_UNION,
        SUB_PROPERTY,
        EQUIVALENT_PROPERTY,
        DISJOINT_PROPERTIES,
        DOMAIN,
        RANGE,
        INVERSE,
        CHAIN,
        HAS_KEY,
        *CLASS_EXPRESSIONS,
    }
)
"""Predicates of axioms."""

_OTHER_DATATYPES = {RDFS + "Literal", RDF + "PlainLiteral", RDF + "langString", RDF + "XMLLiteral", RDF + "HTML"}
ANY_VALUE = frozenset({RDFS + "Literal"})


def is_datatype(name: str) -> bool:
    """Whether an IRI is that of a datatype of the standards."""
    return name.startswith(XSD) or name in _OTHER_DATATYPES or name in (OWL + "real", OWL + "rational")
