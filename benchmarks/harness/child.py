"""One measurement in a process of its own: `python -m benchmarks.harness.child WORKLOAD CONTENDER SIZE`.

The process first does the same job at a tiny size, so that compilers and caches are warm, then generates the real input, loads
it and evaluates it.  It prints one line of JSON.  Time and memory are those of this process and of all below it (`processes`).
Peak memory is the kernel's high-water mark, reset once the input is there, where the kernel allows; `ru_maxrss` is not used
because a child inherits its parent's.
"""

from __future__ import annotations

import ctypes
import gc
import json
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa

from benchmarks.catalogue import ALL_WORKLOADS
from benchmarks.harness.processes import cpu_seconds, forget_peak, memory
from benchmarks.harness.workload import Contender, Found, NotAvailable, Workload


def return_free_memory() -> None:
    """Give back what is allocated and not in use, so that resident memory is what is held."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    ctypes.CDLL(None).malloc_trim(0)


def warm_up(workload: Workload, contender: Contender, folder: Path) -> None:
    """Do the whole job once at a tiny size."""
    contender.load(workload.inputs(workload.tiny), folder)()


def measure(workload: Workload, contender: Contender, size: int, folder: Path) -> dict[str, float]:
    """Seconds and memory of loading and of evaluating, and the number of result facts."""
    return_free_memory()
    before = memory("VmRSS")
    inputs = workload.inputs(size)
    input_facts = sum(table.num_rows for table in inputs.values())
    return_free_memory()
    forget_peak()  # generating the input may have taken more than evaluating it
    start_cpu, start_wall = cpu_seconds(), time.perf_counter()
    evaluate = contender.load(inputs, folder)
    loaded_cpu, loaded_wall = cpu_seconds(), time.perf_counter()
    found = evaluate()
    end_cpu, end_wall = cpu_seconds(), time.perf_counter()
    peak = memory("VmHWM")
    del inputs
    return_free_memory()
    at_rest = memory("VmRSS") - before
    found = found if isinstance(found, Found) else Found(found)
    del evaluate  # what it holds counts as memory at rest, so that it must live until here
    return {
        "facts": found.facts,
        "cpu": end_cpu - loaded_cpu,
        "wall": end_wall - loaded_wall,
        "load_cpu": loaded_cpu - start_cpu,
        "load_wall": loaded_wall - start_wall,
        "peak_mb": peak / 1e6,
        "at_rest_mb": at_rest / 1e6,
        "bytes_a_fact": at_rest / input_facts,
        **found.figures,
    }


def main() -> None:
    """Measure what the command line names."""
    workload = ALL_WORKLOADS[sys.argv[1]]
    contender = workload.contender(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="tidelog-bench-") as name:
        folder = Path(name)
        try:
            warm_up(workload, contender, folder)
            result: dict[str, float | str] = {"status": "ok", **measure(workload, contender, int(sys.argv[3]), folder)}
        except NotAvailable as reason:
            result = {"status": f"not available: {reason}"}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
