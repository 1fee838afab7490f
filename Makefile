# Each target does all of its own set-up. Needs Python 3.11 or later (with venv), git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NEEDED := $(VENV)/.needed
INSTALLED := $(VENV)/.installed
COMPILED := $(VENV)/.compiled
LOWEST := .venv-lowest
LOWEST_TESTS := $(addprefix tests/,test_public_names.py play/test_specs.py simulation/test_store.py \
	simulation/test_sweep.py reporting/test_plots.py scoring/test_last_guess.py limits/test_privacy.py \
	cli/test_commands.py wordle/trees/test_heuristic.py web/test_app.py web/test_problems.py)

# pytest keeps the tests as it rewrites them; without that, each worker takes 4 s more to collect them.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest

# A worker for each core and one more; the order of the tests is tests/conftest.py's.
PARALLEL := -n auto --dist loadfile --no-loadscope-reorder

# What the repository is made of. Anything else is somebody's, or made by a tool.
KINDS := css csv html ipynb js json jsonl lock md png py pyi svg toml tree txt typed yaml yml
NAMES := .ci/* .gitattributes .gitignore CITATION.cff LICENSE Makefile

.PHONY: kinds alone help shows run test published test-fast lowest docs release lint format bench generated chaos fuzz serve lock clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 11

shows:
	@echo "This shows how much privacy budget three strategies need to win 5%, 50% and 95%"
	@echo "of their games, beside the records, and which wins more with the same budget."

run: shows $(INSTALLED) ## The main job, small: strategies over epsilons; tables, results and picture in results/
	@$(BIN)/python -m experiments.percentiles

serve: $(INSTALLED) ## The page, at http://127.0.0.1:8000
	$(BIN)/wordpl serve

test: $(INSTALLED) ## The test suite, and which 30 of its tests took longest
	@.ci/needs || true
	$(PYTEST) $(PARALLEL) -m "not published" --durations=30

published: $(INSTALLED) ## Published figures measured anew, and the attacks that wait, for CI and before a release
	$(PYTEST) $(PARALLEL) -m published

test-fast: $(INSTALLED) ## The tests that take no more than about half a second each, for while you work
	$(PYTEST) $(PARALLEL) -m "not heavy" --hypothesis-profile=fast

generated: $(COMPILED) ## 12,500 generated requests to the API of the page
	$(PYTEST) -q tests/web/test_generated.py --hypothesis-profile=generated

chaos: $(COMPILED) ## 100 kills of each kind of long work
	WORDPL_KILLS=100 $(PYTEST) -q tests/chaos/test_kills.py

fuzz: $(COMPILED) ## 4,000 generated inputs to each thing that reads
	$(PYTEST) -q tests/chaos/test_readers.py --hypothesis-profile=generated

lowest: $(INSTALLED) ## A part of the suite with the lowest versions that pyproject.toml allows
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(LOWEST)
	$(BIN)/uv pip install --quiet --python $(LOWEST) --resolution lowest-direct --editable '.[plots,parquet,priority,cluster,web,contest,dev]'
	NUMBA_CACHE_DIR=$(CURDIR)/$(LOWEST)/numba $(LOWEST)/bin/python -m pytest -p no:cacheprovider -W ignore::DeprecationWarning $(LOWEST_TESTS)

docs: $(INSTALLED) ## The documentation site in build/docs; any warning is an error
	$(BIN)/python -m docs._pages
	@# With --quiet it would not count its warnings.
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

release: $(INSTALLED) ## What is released of the commit, in dist/: built twice, tried alone, with sums and a bill of materials
	.ci/release

kinds:
	@! git ls-files . $(KINDS:%=':!*.%') $(NAMES:%=':!%') | \
		sed 's/$$/: no file of this kind belongs in the repository, or KINDS in the Makefile lists it/' | grep .

alone:
	@! git grep -nE "^ *(from|import) tests\\.[a-z_.]*test_[a-z_]+|from tests[a-z_.]* import test_" -- tests | \
		sed 's/$$/: what test modules share belongs in tests\/support\//' | grep .

lint: kinds alone $(INSTALLED) ## What CI lints: ruff, codespell, oxlint for the page, zizmor for workflows, mypy and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	git ls-files -z | xargs -0 $(BIN)/codespell
	$(BIN)/oxlint wordpl/web/static
	$(BIN)/zizmor --offline --quiet .github docs/how-to/score-pull-request.yml
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(INSTALLED) ## Format the code, and mend what ruff can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(COMPILED) ## Measure speed, with ratios to plain NumPy in the same run, and write docs/reference/speed.md
	.ci/needs
	$(BIN)/python -m benchmarks

lock: $(INSTALLED) ## Make requirements.lock anew from pyproject.toml
	$(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --quiet --upgrade --output-file requirements.lock

clean: ## Remove the environments
	rm -rf $(VENV) $(LOWEST)

$(NEEDED): requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed; name one with make PYTHON=...")'
	@echo "installing into $(VENV) what requirements.lock names"
	@$(PYTHON) -m venv $(VENV)
	@# uv, from its own lines of the lock, installs all the rest in a small part of the time that pip takes.
	@awk '/^[^ ]/ { uv = /^uv==/ } uv' requirements.lock > $(VENV)/uv.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(VENV)/uv.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	@touch $@

# Anew for each commit, since the version names it.
$(INSTALLED): $(NEEDED) pyproject.toml hatch_build.py $(wildcard $(shell git rev-parse --git-path logs/HEAD 2>/dev/null))
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

# For what measures, or ends processes in their work. The suite compiles before its workers start (tests/conftest.py), and
# everything else what it calls, when it calls it.
$(COMPILED): $(INSTALLED)
	$(BIN)/python -m tests.support.kernels
	@touch $@
