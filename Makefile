# Creates a virtual environment in .venv and runs the tasks of the project in it.
PYTHON ?= $(shell for v in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$v -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null && echo $$v && break; done)
VENV ?= .venv
BIN = $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)

.PHONY: demo test lint docs dist benchmark clean

demo: $(VENV)/ready
	$(BIN)/polyseme demo

# The last line of the output is the branch coverage; the minimum is in pyproject.toml. Coverage starts by itself in
# processes that have COVERAGE_PROCESS_START: pytest and its workers, one per core and at most four.
test: lint
	@sh tests/explorer/browser/install.sh
	@$(BIN)/coverage erase
	COVERAGE_PROCESS_START=$(CURDIR)/pyproject.toml $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report

lint: $(VENV)/ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The site is in build/site: open build/site/index.html. Warnings are errors. Nothing is downloaded.
docs: $(VENV)/ready-docs
	$(BIN)/python -m sphinx -q -W --keep-going -c docs -d build/doctrees . build/site
	@echo "build/site/index.html"

# The release: an sdist and a wheel in dist/, checked.
dist: $(VENV)/ready
	rm -rf dist
	$(BIN)/python -m pip install --quiet -e '.[release]'
	$(BIN)/python -m build --no-isolation
	$(BIN)/python -m twine check --strict dist/*
	@ls -l dist

benchmark: $(VENV)/ready-test
	$(BIN)/python -m pip install --quiet -e '.[benchmark]'
	$(BIN)/python benchmarks/speed.py

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "polyseme needs Python 3.11 to 3.14 with venv; choose one with: make PYTHON=/path/to/python3" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/ready: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet -e .
	@touch $@

$(VENV)/ready-docs: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet -e '.[docs]'
	@touch $@

$(VENV)/ready-test: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet -e '.[test]'
	@touch $@ $(VENV)/ready

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage* build dist
