"""The one runner: each workload writes a table and a plot to `benchmarks/results/`."""

from __future__ import annotations

import sys

from benchmarks import front_end

WORKLOADS = {"front_end": front_end.run}


def main() -> None:
    """Run the workloads named on the command line, or all."""
    for name in sys.argv[1:] or WORKLOADS:
        if name not in WORKLOADS:
            sys.exit(f"no workload {name!r}; there are: {', '.join(WORKLOADS)}")
        print(f"== {name}")
        WORKLOADS[name]()


if __name__ == "__main__":
    main()
