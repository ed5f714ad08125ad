# Two commands matter: `make demo` and `make test`. Both set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
UNIT := tests/unit
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: setup demo check test unit clean format

setup: $(STAMP)

$(STAMP): requirements-dev.txt pyproject.toml layers/rippflow/requirements.txt cli/requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "rippflow needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' || { echo "the venv module is missing: install your system's python3-venv package"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $(STAMP)

demo: setup
	$(BIN)/python -m embedded.demo

check: setup
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/mypy --no-error-summary
	$(BIN)/lint-imports --no-cache > .lint-imports.log || { cat .lint-imports.log; exit 1; }
	@rm -f .lint-imports.log
	$(BIN)/pytest $(UNIT) -n 2

test: check
	$(BIN)/pytest tests --ignore $(UNIT) --ignore tests/e2e -n 2
	$(BIN)/pytest tests/e2e -n 2 --dist loadfile

format: setup
	$(BIN)/ruff check --quiet --fix .
	$(BIN)/ruff format --quiet .

clean:
	rm -rf .venv .aws-sam build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache *.egg-info
