# Every target sets up what it needs: `make demo` and `make test` work in a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

PEERS := $(VENV)/.peers

.PHONY: demo test test-slow certificates bounds mutants fuzz test-browser chromium screenshot lint docs paper bench bench-quick bench-iteration \
	bench-first-minute bench-restarts bench-ranks bench-pipeline bench-minibatch bench-sklearn-tests bench-words \
	bench-retrieval bench-search bench-dask bench-disk bench-losses bench-report clean

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("partwise needs Python 3.11 or newer; set PYTHON=...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(READY)

demo: $(READY)  ## topics, searches and a saved model from the docstrings of Python's standard library
	$(BIN)/python -m partwise demo

# A worker a core: a second BLAS thread in each would only spin. Tests of threads set the number themselves.
test: $(READY)  ## all tests; those of the report in a browser where there is a Chromium, else it is said why not
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -rs

test-browser: $(READY) chromium  ## the report in a real Chromium, which is installed where that is allowed
	PARTWISE_BROWSER=needed $(BIN)/python -m pytest -rs tests/browser

chromium:
	@command -v "$${CHROMIUM:-chromium}" > /dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
	    apt-get update -qq && apt-get install --yes --no-install-recommends chromium; \
	  else \
	    echo "There is no Chromium: install the package chromium, or set CHROMIUM to its executable." >&2; exit 1; \
	  fi; }

screenshot: $(READY) chromium  ## docs/images/report.png, from the demo's page
	$(BIN)/python docs/screenshot.py

test-slow: $(READY)  ## a run killed a hundred times, signals at a hundred moments, a disk full at every write (15 minutes)
	PARTWISE_KILLS=100 PARTWISE_SIGNALS=25 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 \
		tests/engine/test_killed.py tests/cli/test_process.py tests/test_harness.py

certificates: $(READY)  ## no silent wrong answer: certificates of a thousand random problems against plain numpy
	PARTWISE_PROBLEMS=60 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 tests/test_certificates.py

bounds: $(READY)  ## the suite with bounds checks in every kernel, compiled beside the usual ones; ARGS="tests/kernels"
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/$(VENV)/bounds OPENBLAS_NUM_THREADS=1 \
		$(BIN)/python -m pytest -n 2 $(ARGS)

mutants: $(READY)  ## over a hundred faults, one at a time, each with the tests that should see it (20 minutes)
	$(BIN)/python mutants/run.py $(ARGS)

fuzz: $(READY)  ## bad values, damaged files and bad command lines by the thousand (15 minutes); ARGS="--only calls"
	OPENBLAS_NUM_THREADS=1 $(BIN)/python fuzz/run.py $(ARGS)

lint: $(READY)  ## style, types, generated pages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check

docs: $(READY)  ## rewrite the generated pages
	$(BIN)/python docs/generate.py

paper: $(READY)  ## every table and figure of the paper, and docs/paper.md; what is finished is not run again
	$(BIN)/partwise reproduce all --out docs/paper
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

.PHONY: bench-defaults
bench-defaults: $(READY)  ## default against default beside scikit-learn, error and time, some 10 minutes; ARGS="--quick" for less
	$(BIN)/python benchmarks/defaults.py $(ARGS)
	$(BIN)/python docs/generate.py

bench-iteration: $(READY)  ## what one iteration costs against its two bare products
	$(BIN)/python benchmarks/iteration.py

bench-first-minute: $(READY)  ## compiling, imports, small data and a grid search beside scikit-learn; ARGS="grid" for a part
	$(BIN)/python benchmarks/first_minute.py $(ARGS)

.PHONY: bench-memory
bench-memory: $(READY)  ## peak memory beside scikit-learn's at ten million nonzeros
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python docs/generate.py

bench-restarts: $(READY)  ## what a hundred restarts cost, and what the race loses
	$(BIN)/python benchmarks/restarts.py

bench-ranks: $(READY)  ## how often the recommended rank is the planted one
	$(BIN)/python benchmarks/ranks.py

bench-dask: $(READY)  ## two worker processes against two threads, and the bytes that move
	$(BIN)/python benchmarks/dask_run.py

bench-disk: $(READY)  ## 4 GB on disk within 1 GB of memory, and what an iteration costs there; ARGS="--only warm"
	$(BIN)/python benchmarks/disk.py $(ARGS)
	$(BIN)/python docs/generate.py

bench-pipeline: $(READY)  ## 20,000 documents from a file to a saved model
	$(BIN)/python benchmarks/pipeline.py

bench-minibatch: $(READY)  ## streams of twenty batches beside scikit-learn's MiniBatchNMF
	$(BIN)/python benchmarks/minibatch.py
	$(BIN)/python docs/generate.py

bench-sklearn-tests: $(READY)  ## scikit-learn's own tests of NMF with partwise's class in its place
	$(BIN)/python benchmarks/sklearn_tests.py
	$(BIN)/python docs/generate.py

bench-words: $(READY)  ## texts to a weighted matrix, and a CSV file to a model, beside scikit-learn
	$(BIN)/python benchmarks/words.py
	$(BIN)/python docs/generate.py

bench-retrieval: $(READY)  ## search, clusters and weights against human judgement: words, BM25, LSI, NMF and the blend
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,retrieval]'
	$(BIN)/python benchmarks/retrieval.py $(ARGS)
	$(BIN)/python docs/generate.py

bench-search: $(READY)  ## how long a query takes in a model of 200,000 documents
	$(BIN)/python benchmarks/search_time.py
	$(BIN)/python docs/generate.py

# cmfrec is compiled from source; without it the ratings are measured alone.
bench-losses: $(READY)  ## counts, ratings and holes: the further losses beside scikit-learn and cmfrec; ARGS="--only holes"
	test -x $(VENV)/cmfrec/bin/python || { $(PYTHON) -m venv $(VENV)/cmfrec && \
		$(VENV)/cmfrec/bin/python -m pip install --quiet --disable-pip-version-check \
		numpy pandas scipy threadpoolctl cmfrec; } || \
		{ rm -rf $(VENV)/cmfrec; echo "cmfrec cannot be installed here; the benchmark goes on without it"; }
	$(BIN)/python benchmarks/losses.py $(ARGS)
	$(BIN)/python docs/generate.py

bench-report: $(READY) chromium  ## the report of 10,000 and of 200,000 documents: its size, and how soon it can be used
	$(BIN)/python benchmarks/report_page.py

clean:
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
