"""All workloads by name: those of the local engine, then those on Spark; and what is measured about updates."""

from benchmarks.durable import GROUPS as DURABLE_GROUPS
from benchmarks.maintenance.jobs import JOBS
from benchmarks.marking.streams import GROUPS
from benchmarks.rule_changes import GROUPS as RULE_GROUPS
from benchmarks.spark import SPARK_WORKLOADS
from benchmarks.workloads import WORKLOADS

ALL_WORKLOADS = {**WORKLOADS, **SPARK_WORKLOADS}
MAINTENANCE = {f"maintenance_{name}": job for name, job in JOBS.items()}
MARKING = {f"marking_{group}": group for group in GROUPS}
DURABLE = {f"durable_{group}": group for group in DURABLE_GROUPS}
RULE_CHANGES = {f"rule_changes_{group}": group for group in RULE_GROUPS}
