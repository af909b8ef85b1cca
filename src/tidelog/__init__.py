"""Tidelog keeps the consequences of Datalog rules true while facts and rules change.

A program has explicit facts (EDB) and rules; its materialisation is the least set of facts that contains the explicit ones and is
closed under the rules, stratum by stratum where there is negation or aggregation.  `KnowledgeBase` computes it by semi-naive
evaluation, which joins each rule with the facts that are new since the last round, and then maintains it: the work of an update
follows the size of the difference, not that of the data.  Where facts are deleted, a unit (a component of mutually recursive
predicates) is maintained by one of

- ranks: a fact with a proof from older facts is kept, one without is deleted, and rederived if it still follows
  (after Zhao, Subotic, Raghothaman, Scholz: Towards elastic incrementalization for Datalog, PPDP 2021);
- Backward/Forward: look for a proof of each affected fact, backward and then forward, and delete only what stays unproved
  (Motik, Nenov, Piro, Horrocks: Incremental update of Datalog materialisation, the Backward/Forward algorithm, AAAI 2015);
- DRed: over-delete everything reachable, then rederive (Gupta, Mumick, Subrahmanian: Maintaining views incrementally, SIGMOD
  1993);
- counting: DRed with counters of derivations, which stop over-deletion early and find what to rederive (Hu, Motik, Horrocks:
  Optimised maintenance of Datalog materialisations, AAAI 2018);
- modules: transitive and symmetric-transitive relations, with functions Add, Diff, Del and Red of their own, stored as graphs and
  not as pairs (Hu, Motik, Horrocks: Modular materialisation of Datalog programs, AAAI 2019).

In a stream, marking prepares for the deletions of the next update while the last one is applied (Illich, Glimm:
Backward/Forward with marking for update streams, DL 2025).  Rules are added and removed like facts, along the hyper-graph of
their dependencies (ZodiacEdge: Xu, Curé, 2023).  The file that holds an algorithm names its paper, and says where it departs.

The layers, each of which imports only those before it:

    source, errors, values         texts and places in them; coded errors, also for arguments; what facts are made of
    syntax, functions              text to tree and back; what expressions and aggregates compute
    program                        a checked program: relations, safety, types, strata, components, modules; changes of rules
    reference                      what a program means, as plainly as possible: the judge of everything else
    files, facts, changes          facts from files, tables and data frames, and back; results, and what an update did
    core, rdf                      the form of rules that both engines evaluate; units, limits, statistics; RDF as keys
    ontology                       OWL 2 RL as rules: axioms translated, and the rules of the W3C over triples
    explain                        why facts hold
    kb, surface, streams, report   the abstract knowledge base, and how it looks to Python; updates that arrive one after the
                                   other; pictures and tables
    local                          the engine in this process: dictionary, tables, join plans, a compiled kernel, maintenance
    durable                        saved knowledge bases: a snapshot, a journal of the changes since, recovery
    spark                          the engine on Spark, which evaluates in the local engine whatever fits into the driver
    pipeline, cli                  jobs from sources to sinks; the command `tidelog`

Begin with `KnowledgeBase` (`kb`): from there to `local.kb` and `local.engine`.  `tidelog.pipeline` runs job files.
"""

from typing import TYPE_CHECKING, Any

from tidelog.errors import Diagnostic, TidelogError, TidelogWarning
from tidelog.source import Source, Span
from tidelog.values import IRI, Literal

if TYPE_CHECKING:
    from tidelog.changes import (
        Change,
        ChangeStatistics,
        Counters,
        FactsByRelation,
        HyperNodeChange,
        HyperNodeVisit,
        LoadReport,
        RuleChanges,
    )
    from tidelog.core.limits import Progress
    from tidelog.core.statistics import Statistics
    from tidelog.explain.explanation import Explanation
    from tidelog.explain.steps import Reason, ShownRule, Step, Way
    from tidelog.facts import AllFacts, Facts
    from tidelog.kb import KnowledgeBase
    from tidelog.ontology.consistency import Inconsistency
    from tidelog.ontology.loaded import OntologyReport
    from tidelog.ontology.rl_rules import owl_rl_rules
    from tidelog.program.program import Program
    from tidelog.program.relations import Relation
    from tidelog.report.svg import GraphPicture
    from tidelog.streams.following import AsyncFollowing, Following
    from tidelog.streams.source import UpdateSource
    from tidelog.streams.update import Update, UpdateError
    from tidelog.surface.subscriptions import RelationChange, Subscription

__version__ = "0.2.0"
__all__ = [
    "IRI",
    "AllFacts",
    "AsyncFollowing",
    "Change",
    "ChangeStatistics",
    "Counters",
    "Diagnostic",
    "Explanation",
    "Facts",
    "FactsByRelation",
]
__all__ += ["Following", "GraphPicture", "HyperNodeChange", "HyperNodeVisit", "KnowledgeBase", "Literal", "LoadReport", "Program"]
__all__ += ["Reason", "ShownRule", "Step", "Way"]
__all__ += ["Progress", "Relation", "RelationChange", "RuleChanges", "Source", "Span", "Statistics", "Subscription"]
__all__ += [
    "Inconsistency",
    "OntologyReport",
    "TidelogError",
    "TidelogWarning",
    "Update",
    "UpdateError",
    "UpdateSource",
    "__version__",
    "owl_rl_rules",
]
_HOMES = {
    "changes": (
        "Change",
        "ChangeStatistics",
        "Counters",
        "FactsByRelation",
        "HyperNodeChange",
        "HyperNodeVisit",
        "LoadReport",
        "RuleChanges",
    ),
    "core.limits": ("Progress",),
    "core.statistics": ("Statistics",),
    "explain.explanation": ("Explanation",),
    "explain.steps": ("Reason", "ShownRule", "Step", "Way"),
    "facts": ("AllFacts", "Facts"),
    "kb": ("KnowledgeBase",),
    "ontology.consistency": ("Inconsistency",),
    "ontology.loaded": ("OntologyReport",),
    "ontology.rl_rules": ("owl_rl_rules",),
    "program.program": ("Program",),
    "program.relations": ("Relation",),
    "report.svg": ("GraphPicture",),
    "streams.following": ("AsyncFollowing", "Following"),
    "streams.source": ("UpdateSource",),
    "streams.update": ("Update", "UpdateError"),
    "surface.subscriptions": ("RelationChange", "Subscription"),
}


if not TYPE_CHECKING:  # to type checkers, a name that is not above does not exist

    def __getattr__(name: str) -> Any:
        """Names of `_HOMES` are imported on first use, so that `import tidelog` loads no heavy library."""
        from importlib import import_module

        for module, names in _HOMES.items():
            if name in names:
                globals()[name] = found = getattr(import_module(f"tidelog.{module}"), name)
                return found
        raise AttributeError(f"module 'tidelog' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
