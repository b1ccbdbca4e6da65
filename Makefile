# Needs only make and Python >= 3.11; everything else goes into .venv.
PYTHON ?= python3
MODEL ?= rolling-disk
BIN := .venv/bin

.PHONY: help run test lint coverage coverage-engine docs docs-serve wheels release-check fuzz bench clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: .venv/installed ## derive, solve and simulate MODEL (default rolling-disk), and write its animated page to out/
	@mkdir -p out
	$(BIN)/dalembert derive $(MODEL)
	$(BIN)/dalembert solve $(MODEL)
	$(BIN)/dalembert simulate $(MODEL) -o out/$(MODEL).png
	$(BIN)/dalembert simulate $(MODEL) -o out/$(MODEL).html
	@echo
	@echo "Open out/$(MODEL).html in a browser: one file that plays the motion, with no network."
	@echo "To change models and watch, start the lab:  $(BIN)/dalembert lab"

test: lint ## lint, types, the direction of imports, and all tests but the slow ones
	$(BIN)/pytest -n 2 -rs

lint: .venv/installed-dev ## lint, formatting, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

N ?= 100
fuzz: .venv/installed-dev ## random models against references and laws: make fuzz N=500 [SEED=7] [STRATA=feet,legs] [JOBS=4]
	$(BIN)/python tests/fuzz/run.py $(N) $(if $(SEED),--seed $(SEED)) $(if $(STRATA),--strata $(STRATA)) $(if $(JOBS),--jobs $(JOBS))

coverage: .venv/installed-dev ## the tests with coverage of lines and branches, as a page in out/coverage; 90 % of the lines at least
	$(BIN)/pytest -n 2 --cov --cov-report=html:out/coverage --cov-report=json:out/coverage.json --cov-report=term:skip-covered
	$(BIN)/python tools/covered.py out/coverage.json

coverage-engine: .venv/installed-dev ## lines and branches of the C++ engine that the tests run, header by header; needs g++ and gcov
	$(BIN)/python tools/engine_coverage.py

docs: .venv/installed-docs ## the manual in out/site; a warning is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Open out/site/index.html in a browser: the manual works without a network."

docs-serve: .venv/installed-docs ## the manual on http://127.0.0.1:8000, rebuilt when a page changes
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

wheels: .venv/installed ## wheels for Linux, Windows and macOS on x86-64 and arm64, in dist/; each tried where it can run
	$(BIN)/pip install --quiet --disable-pip-version-check 'hatchling>=1.26' 'ziglang>=0.13' 'nicegui>=3.18,<4'
	$(BIN)/python tools/wheels.py $(TARGETS)

release-check: ## rehearse a release: build, install and try the packages, on the lowest dependencies too
	$(PYTHON) tools/release_check.py

bench: ## the benchmarks, against other software
	$(PYTHON) benchmarks/run.py

clean: ## remove everything that these commands made
	rm -rf .venv out build dist .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

.venv/bin/python:
	$(PYTHON) -m venv .venv

ENGINE := $(wildcard src/dalembert/engine/*.hpp src/dalembert/engine/*/*.hpp src/dalembert/engine/*.cpp \
          src/dalembert/exchange/export/*.hpp src/dalembert/exchange/export/fmu/*.hpp src/dalembert/exchange/export/fmu/*.cpp)

.venv/installed: .venv/bin/python pyproject.toml hatch_build.py $(ENGINE)
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

.venv/installed-dev: .venv/bin/python pyproject.toml hatch_build.py $(ENGINE)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ .venv/installed

.venv/installed-docs: .venv/bin/python pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@ .venv/installed
