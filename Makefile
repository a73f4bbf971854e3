# Two commands for newcomers: `make demo` and `make test`. Both set up .venv from nothing.

# The first supported Python that runs. Another: make test PYTHON=python3.13 VENV=.venv-3.13
VERSIONS := 3.11 3.12 3.13 3.14
PYTHON ?= $(shell for name in $(VERSIONS:%=python%) python3 python; do \
  $$name -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null && { echo $$name; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt
JOBS ?= 2
# Where to find PyTorch without CUDA, for example https://download.pytorch.org/whl/cpu. If empty, pip takes the default build of the system.
TORCH_INDEX ?=

.PHONY: demo test test-all lint docs soak fuzz coverage mutants bench browser clean

DEMO_AGENTS := random greedy winblock negamax minimax:depth=4 mcts:simulations=500 hybrid:simulations=100 solver:level=5 dqn alphazero:simulations=32
DEMO_STORE := demo/lab.sqlite

# A round robin of all agent families, a training run of each learner, grades against perfect play, a report in demo/, and the leaderboard.
demo: $(VENV)/demo
	@$(BIN)/python -m inarow warmup
	@mkdir -p demo
	@$(BIN)/python -m inarow tournament $(DEMO_AGENTS) --games 40 --workers $(JOBS) --seed 1 --store $(DEMO_STORE)
	@$(BIN)/python -m inarow analyse 4444452256261766
	@rm -rf demo/tictactoe-q demo/4x4x4-dqn demo/tictactoe
	@$(BIN)/python -m inarow train tictactoe-q --out demo/tictactoe-q
	@$(BIN)/python -m inarow grade q:table=demo/tictactoe-q/table.npz --board tictactoe | sed -n 1,2p
	@$(BIN)/python -m inarow train 4x4x4-dqn --set episodes=1500 --out demo/4x4x4-dqn
	@$(BIN)/python -m inarow match dqn:net=demo/4x4x4-dqn/net.onnx random --board 4x4x4 --games 100 --store $(DEMO_STORE)
	@$(BIN)/python -m inarow train tictactoe --set minutes=0.5 --set workers=$(JOBS) --out demo/tictactoe
	@$(BIN)/python -m inarow grade alphazero:net=demo/tictactoe/net.onnx,simulations=50 --board tictactoe | sed -n 1,2p
	@for agent in $(DEMO_AGENTS); do \
	  $(BIN)/python -m inarow grade $$agent --workers $(JOBS) --store $(DEMO_STORE) | sed -n 1,2p; done
	@$(BIN)/python -m inarow report $(DEMO_STORE) --out demo/report.html
	@echo
	@$(BIN)/python -m inarow leaderboard --store $(DEMO_STORE)
	@echo
	@echo "Open demo/report.html in a browser. Next:"
	@echo "      $(BIN)/inarow play --second solver:level=5"
	@echo "      $(BIN)/inarow serve --store $(DEMO_STORE)"
	@echo "      $(BIN)/inarow solve 4453"
	@echo "      $(BIN)/inarow agents"
	@echo "      $(BIN)/inarow match mcts hybrid --board 8x9x5 --games 100 --workers 2"
	@echo "      $(BIN)/inarow grade minimax:depth=6 --workers 2"

# Tests that also run without the compiler, as plain Python.
PLAIN_TESTS := tests/games tests/search tests/agents tests/learning/tabular --ignore tests/agents/test_alphazero.py \
  --ignore tests/agents/test_contract.py --ignore tests/search/tree/test_proofs.py \
  --ignore tests/search/tree/test_network.py --ignore tests/search/minimax/test_negamax.py

# Kernels are compiled first, on all cores, so that tests of servers and processes do not wait for the compiler. The second run ends with what
# neither has run, and why.
test: $(VENV)/dev browser lint
	@rm -f $(VENV)/not-run
	$(BIN)/python -m inarow warmup
	INAROW_NOT_RUN=$(VENV)/not-run $(BIN)/python -m pytest -n $(JOBS) --dist loadgroup
	INAROW_NOT_RUN=$(VENV)/not-run NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n $(JOBS) -q -m "not compiled" $(PLAIN_TESTS)

# `make test` with every supported Python of this machine, those of pyenv included, each in an environment of its own.
test-all:
	@failed=""; for version in $(VERSIONS); do \
	  found=""; for name in python$$version "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/$$version.*/bin/python; do \
	    if "$$name" -c "" 2>/dev/null; then found=$$name; break; fi; done; \
	  if [ -z "$$found" ]; then echo "Python $$version: not on this machine"; continue; fi; \
	  echo "Python $$version: $$found"; \
	  $(MAKE) --no-print-directory test PYTHON="$$found" VENV=.venv-$$version || failed="$$failed $$version"; done; \
	if [ -n "$$failed" ]; then echo "failed:$$failed"; exit 1; fi

lint: $(VENV)/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# The documentation as a site in build/docs. Warnings and broken internal links are errors.
docs: $(VENV)/docs
	$(BIN)/python -m sphinx -E -W --keep-going -q -b html -d build/doctrees docs build/docs
	$(BIN)/python tools/docs/check_links.py build/docs
	@echo "Open build/docs/index.html in a browser."

# Kills, interrupts, full disks, bad files, dead nodes; takes much longer than the tests. Faults and outcomes are listed in docs/explanation/reliability.md.
soak: $(VENV)/dev
	$(BIN)/python -m inarow warmup
	rm -f faults.jsonl
	INAROW_FAULTS=$(CURDIR)/faults.jsonl $(BIN)/python -m pytest -n $(JOBS) -m "soak or not soak" tests/reliability
	INAROW_FAULTS=$(CURDIR)/faults.jsonl $(BIN)/python -m pytest -m soak tests/workers tests/web tests/engine
	$(BIN)/python -m tests.reliability.table faults.jsonl docs/explanation/reliability.md

# Random input for every parser.
INPUTS ?= 1000000
fuzz: $(VENV)/dev
	$(PIP) --editable ".[fuzz]"
	$(BIN)/python tools/fuzz/run.py --inputs $(INPUTS) --workers $(JOBS) --json tools/fuzz/result.json

# Lines of src that the tests reach: kernels without the compiler, everything else with it.
coverage: $(VENV)/dev browser
	$(BIN)/python -m inarow warmup
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(JOBS) --dist loadgroup -q -m "not soak and not full_disk"
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -n $(JOBS) -q -m "not soak and not compiled" $(PLAIN_TESTS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --fail-under 90

# Do the tests notice a changed operator or number in the rules? A sample of mutants.
MUTANTS ?= 300
mutants: $(VENV)/dev
	$(PIP) --editable ".[mutation]"
	$(BIN)/python tools/mutation/run.py --mutants $(MUTANTS) --workers $(JOBS) --json tools/mutation/result.json

# Our figures and those of the peers in tools/inarow_peers, in one run.
bench: $(VENV)/dev
	$(BIN)/python -m inarow bench --peers --json > tools/benchmarks/latest.json.draft
	mv tools/benchmarks/latest.json.draft tools/benchmarks/latest.json
	@cat tools/benchmarks/latest.json

# For browser tests: Debian's chromium, where it may be installed.
browser:
	@command -v chromium >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq chromium; } \
	|| echo "chromium is absent and cannot be installed here (no root or no apt-get): browser tests are skipped"

clean:
	rm -rf .venv .venv-* demo build dist docs/reference/generated faults.jsonl .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
	find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/python:
	@[ -n "$(PYTHON)" ] || { echo "no Python 3.11 or newer found; name one: make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/torch: $(VENV)/python
	$(if $(TORCH_INDEX),$(PIP) torch --index-url $(TORCH_INDEX))
	@touch $@

$(VENV)/base: $(VENV)/python pyproject.toml constraints.txt
	$(PIP) --editable .
	@touch $@

$(VENV)/docs: $(VENV)/python pyproject.toml constraints.txt
	$(PIP) --editable ".[docs]"
	@touch $@ $(VENV)/base

$(VENV)/demo: $(VENV)/torch pyproject.toml constraints.txt
	$(PIP) --editable ".[train]"
	@touch $@ $(VENV)/base

$(VENV)/dev: $(VENV)/torch pyproject.toml constraints.txt
	$(PIP) --editable ".[dev,train,quantum,cluster,adapters,tb,data,sweep,notebook]"
	$(PIP) --no-deps kaggle-environments
	@touch $@ $(VENV)/base $(VENV)/demo
