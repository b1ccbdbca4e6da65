# Needs only make and Python >= 3.11; everything else goes into .venv.
PYTHON ?= python3
MODEL ?= rolling-disk
BIN := .venv/bin

.PHONY: run test fuzz bench clean

run: .venv/installed
	@mkdir -p out
	$(BIN)/dalembert derive $(MODEL)
	$(BIN)/dalembert solve $(MODEL)
	$(BIN)/dalembert simulate $(MODEL) -o out/$(MODEL).png
	$(BIN)/dalembert simulate $(MODEL) -o out/$(MODEL).html
	@echo
	@echo "Open out/$(MODEL).html in a browser: one file that plays the motion, with no network."
	@echo "To change models and watch, start the lab:  $(BIN)/dalembert lab"

test: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2 -rs

# random models held to independent references and laws: make fuzz N=500 [SEED=7] [STRATA=feet,legs]
N ?= 100
fuzz: .venv/installed-dev
	$(BIN)/python tests/fuzz/run.py $(N) $(if $(SEED),--seed $(SEED)) $(if $(STRATA),--strata $(STRATA))

bench:
	$(PYTHON) benchmarks/run.py

clean:
	rm -rf .venv out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

.venv/bin/python:
	$(PYTHON) -m venv .venv

ENGINE := $(wildcard src/dalembert/engine/*.hpp src/dalembert/engine/*/*.hpp src/dalembert/engine/*.cpp)

.venv/installed: .venv/bin/python pyproject.toml hatch_build.py $(ENGINE)
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

.venv/installed-dev: .venv/bin/python pyproject.toml hatch_build.py $(ENGINE)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ .venv/installed
