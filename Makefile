# make run    sets up .venv and runs the examples, end to end: in this process, then on Spark
# make test   the same set-up, then linters, types and the whole test suite
# make lint   linters and types only; make bench and make nightly: benchmarks and long random runs
#             TIDELOG_NIGHTLY=0.1 make nightly is a tenth of them; ARGS="-k streams" goes to pytest

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: run test pytest lint bench soak site nightly nightly-spark format clean

run: $(READY)
	$(BIN)/tidelog check examples/reach.dl
	@echo
	$(BIN)/tidelog run examples/reach.dl --facts examples/facts --out out
	@echo
	$(BIN)/tidelog query examples/reach.dl "reachable(X, N), N > 3" --facts examples/facts --quiet
	@echo
	$(BIN)/tidelog warm-up
	@echo
	@$(MAKE) --no-print-directory $(READY)-spark
	$(BIN)/tidelog pipeline run examples/wind_farm/job.toml
	@echo
	@rm -rf out/wind_farm/stream
	$(BIN)/tidelog pipeline stream examples/wind_farm/stream.toml --once
	@echo
	@echo "What the updates have changed about anomalies, from the change feed out/wind_farm/stream/feed:"
	@grep -hE '"(anomaly|confirmed)"' out/wind_farm/stream/feed/*.jsonl
	@echo
	@echo "To look at: out/wind_farm/report.html, out/wind_farm/stream/report.html; the job files are in examples/wind_farm"

test: $(READY)-dev  # side by side: mypy is one process, and the tests begin with what waits for a JVM
	@$(MAKE) --no-print-directory -j2 lint pytest

pytest: $(READY)-dev
	$(BIN)/pytest -n auto --dist loadgroup $(ARGS)

lint: $(READY)-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)-dev
	$(BIN)/python -m benchmarks

soak: $(READY)-dev  # half an hour of updates beside four reading threads; ARGS="--minutes 5"
	$(BIN)/python -m benchmarks.soak $(ARGS)

site: $(READY)-dev  # the documentation as a site, in site/
	rm -rf build/site && mkdir -p build/site/benchmarks
	cp -r *.md LICENSE docs examples build/site && cp -r benchmarks/results build/site/benchmarks
	$(BIN)/zensical build --strict

nightly: $(READY)-dev
	$(BIN)/pytest -n auto -m "(nightly or by_night) and not spark" --run-nightly $(ARGS)

nightly-spark: $(READY)-dev  # hours: a small round on Spark takes a second
	$(BIN)/pytest -m "(nightly or by_night) and spark" --run-nightly $(ARGS)

format: $(READY)-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(READY)-dev: $(READY)-spark
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev,bench]"
	@touch $@

$(READY)-spark: $(READY)
	@echo "Setting up Spark, which is about 450 MB to download the first time, and 35 MB more where there is no Java ..."
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[spark,rdf]"
	@$(BIN)/python -c "import os; from tidelog.spark.session.java import find_java; find_java(os.environ)" >/dev/null 2>&1 \
		|| $(BIN)/pip install --quiet --disable-pip-version-check --editable ".[java]"
	@touch $@

clean:
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
