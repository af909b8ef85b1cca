"""The workloads, each with its data, rules, contenders and targets."""

from benchmarks.workloads.closure import LINEAR_CLOSURE, NONLINEAR_CLOSURE
from benchmarks.workloads.dag_r import DAG_R, DAG_R_FILES
from benchmarks.workloads.joins import FOUR_CYCLES, GROUPED, HUB_JOIN, RANGE_JOIN, TRIANGLES
from benchmarks.workloads.memory import MEMORY
from benchmarks.workloads.other_terms import POINTS_TO_BESIDE
from benchmarks.workloads.points_to import POINTS_TO
from benchmarks.workloads.same_generation import SAME_GENERATION
from benchmarks.workloads.symmetric_chain import SYMMETRIC_CHAIN
from benchmarks.workloads.zodiac import ZODIAC_RS2, ZODIAC_RS3

WORKLOADS = {
    workload.name: workload
    for workload in (
        LINEAR_CLOSURE,
        NONLINEAR_CLOSURE,
        DAG_R,
        DAG_R_FILES,
        SYMMETRIC_CHAIN,
        ZODIAC_RS2,
        ZODIAC_RS3,
        SAME_GENERATION,
        POINTS_TO,
        POINTS_TO_BESIDE,
        MEMORY,
        RANGE_JOIN,
        HUB_JOIN,
        TRIANGLES,
        FOUR_CYCLES,
        *GROUPED,
    )
}
