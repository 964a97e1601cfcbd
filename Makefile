# Every target sets up what it needs: `make demo` and `make test` work in a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-slow lint docs bench-iteration bench-starts bench-restarts bench-ranks bench-pipeline bench-retrieval clean

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("partwise needs Python 3.11 or newer; set PYTHON=...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(READY)

demo: $(READY)  ## topics, searches and a saved model from the docstrings of Python's standard library
	$(BIN)/python -m partwise demo

test: $(READY)  ## all tests
	$(BIN)/python -m pytest -n 2

test-slow: $(READY)  ## a run that is killed thirty times, and goes on each time
	PARTWISE_KILLS=30 $(BIN)/python -m pytest tests/test_killed.py

lint: $(READY)  ## style, types, generated pages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check

docs: $(READY)  ## rewrite the generated pages
	$(BIN)/python docs/generate.py

bench-iteration: $(READY)  ## what one iteration costs against its two bare products
	$(BIN)/python benchmarks/iteration.py

bench-starts: $(READY)  ## the paper's table 2 for every start
	$(BIN)/python benchmarks/initializations.py

bench-restarts: $(READY)  ## what a hundred restarts cost, and what the race loses
	$(BIN)/python benchmarks/restarts.py

bench-ranks: $(READY)  ## how often the recommended rank is the planted one
	$(BIN)/python benchmarks/ranks.py

bench-pipeline: $(READY)  ## 20,000 documents from a file to a saved model
	$(BIN)/python benchmarks/pipeline.py

bench-retrieval: $(READY)  ## search and clustering against human judgement: word vectors, LSI and NMF
	$(BIN)/python benchmarks/retrieval.py

clean:
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
