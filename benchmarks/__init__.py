"""Speed and memory, measured: `make bench` runs all of it, `python -m benchmarks NAME` one workload.

The kernel is compiled here from the first call on, as it is in any process that has had a little work: what is measured is not
how long compiled code takes to be loaded, unless that is the question (`start_up`).
"""

import os

os.environ.setdefault("TIDELOG_COMPILE", "always")
