# Two commands for newcomers: `make demo` and `make test`. Both set up .venv from nothing.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt
JOBS ?= 2

.PHONY: demo test lint bench browser clean

demo: $(VENV)/base
	@$(BIN)/python -m inarow warmup
	@$(BIN)/python -m inarow match winblock random --games 400 --workers 2 --seed 1
	@$(BIN)/python -m inarow match winblock greedy --games 400 --workers 2 --seed 1
	@$(BIN)/python -m inarow analyse 4444452256261766
	@$(BIN)/python -m inarow play --first winblock --second winblock --seed 7 | tail -n 9
	@echo
	@echo "Next: $(BIN)/inarow play --second solver"
	@echo "      $(BIN)/inarow solve 4453"
	@echo "      $(BIN)/inarow agents"
	@echo "      $(BIN)/inarow match winblock greedy --board 8x9x5 --games 1000 --workers 2"
	@echo "      $(BIN)/inarow perft 8 --distinct"

test: $(VENV)/dev lint
	$(BIN)/python -m pytest -n $(JOBS)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n $(JOBS) -q -m "not compiled" tests/games tests/search tests/agents

lint: $(VENV)/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: $(VENV)/dev
	$(BIN)/python -m inarow bench --peers --json > benchmarks/latest.json.draft
	mv benchmarks/latest.json.draft benchmarks/latest.json
	@cat benchmarks/latest.json

# For browser tests: Debian's chromium, where it may be installed.
browser:
	@command -v chromium >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq chromium; } \
	|| echo "chromium is absent and cannot be installed here (no root or no apt-get): browser tests are skipped"

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/python:
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/base: $(VENV)/python pyproject.toml constraints.txt
	$(PIP) --editable .
	@touch $@

$(VENV)/dev: $(VENV)/python pyproject.toml constraints.txt
	$(PIP) --editable ".[dev]"
	@touch $@ $(VENV)/base
