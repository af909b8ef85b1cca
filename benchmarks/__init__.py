"""Speed and memory, measured: `make bench` runs all of it, `python -m benchmarks NAME` one workload."""
