# Every target sets up what it needs: `make demo` and `make test` work in a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

PEERS := $(VENV)/.peers

.PHONY: demo test lint docs bench bench-quick bench-iteration bench-starts bench-restarts bench-ranks clean

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("partwise needs Python 3.11 or newer; set PYTHON=...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(READY)

demo: $(READY)  ## factor a small matrix and print its certificate
	$(BIN)/python examples/demo.py

test: $(READY)  ## all tests
	$(BIN)/python -m pytest -n 2

lint: $(READY)  ## style, types, generated pages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check

docs: $(READY)  ## rewrite the generated pages
	$(BIN)/python docs/generate.py

# A peer that cannot be installed here is said to be missing; the others are run without it.
$(PEERS): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench]' || \
		echo "mlpack cannot be installed here; make bench goes on without it"
	$(PYTHON) -m venv $(VENV)/nimfa && \
		$(VENV)/nimfa/bin/python -m pip install --quiet --disable-pip-version-check 'numpy<2' 'scipy<1.12' nimfa || \
		{ rm -rf $(VENV)/nimfa; echo "nimfa cannot be installed here; make bench goes on without it"; }
	touch $(PEERS)

bench: $(PEERS)  ## partwise beside its peers on every data set (about 40 minutes); ARGS="--only reuters partwise"
	$(BIN)/python benchmarks/run.py $(ARGS)
	$(if $(ARGS),,$(BIN)/python benchmarks/iteration.py)
	$(BIN)/python docs/generate.py

bench-quick: $(READY)  ## default against default on three data sets, in a few minutes
	$(BIN)/python benchmarks/run.py --quick $(ARGS)
	$(BIN)/python docs/generate.py

bench-iteration: $(READY)  ## what one iteration costs against its two bare products
	$(BIN)/python benchmarks/iteration.py

bench-starts: $(READY)  ## the paper's table 2 for every start
	$(BIN)/python benchmarks/initializations.py

bench-restarts: $(READY)  ## what a hundred restarts cost, and what the race loses
	$(BIN)/python benchmarks/restarts.py

bench-ranks: $(READY)  ## how often the recommended rank is the planted one
	$(BIN)/python benchmarks/ranks.py

clean:
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
