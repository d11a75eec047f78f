# make setup | demo | test | test-fast | notebooks | check | docs | package. Each works alone on a machine that has only
# Python (3.11 or newer) and make.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo test test-fast notebooks check format docs package clean

setup: .venv/.ready

# Packages at the versions of constraints.txt, then the language model into the cache. Java comes with a package.
.venv/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON) is older than Python 3.11; name a newer one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	$(BIN)/python -m curation.models
	@touch $@

demo: setup
	$(BIN)/curate demo --out demo

test: setup
	$(BIN)/python -m pytest

# Without a JVM and without the real pages: seconds.
test-fast: setup
	$(BIN)/python -m pytest -m "not spark and not real"

# All notebooks from top to bottom, into runs/notebooks/; on the crawl below CURATION_REAL_DATA, or on a made-up one.
notebooks: setup
	$(BIN)/python -m curation.headless notebooks/*.ipynb --out runs/notebooks

check: setup
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

format: setup
	$(BIN)/ruff format . && $(BIN)/ruff check --fix .

# The pages that are written from code: docs/rules.md.
docs: setup
	$(BIN)/python -m curation.recipe.rules_page

# dist/environment.tar.gz: what the executors of a cluster run.
package: setup
	PYTHON=$(BIN)/python jobs/package.sh dist

clean:
	rm -rf demo runs dist .pytest_cache .ruff_cache
