# `make sweep` and `make test` set everything up by themselves; `make help` lists the rest.
PYTHON  ?= python3
DATASET ?=
ARGS    ?=
PORT    ?= 5000
WORKERS ?= 2
# gpu where there is an NVIDIA driver
DEVICE  := $(shell command -v nvidia-smi >/dev/null 2>&1 && echo gpu || echo cpu)
# Each worker's share of the processors: threads of two workers wait for each other.
SHARE    = OMP_NUM_THREADS=$$($(BIN)/python -c 'import os; print(max(1, (os.cpu_count() or 1) // $(WORKERS)))')
BIN     := .venv/bin
READY   := .venv/.ready
DEV     := .venv/.ready-dev
PINNED  := -c constraints.txt$(if $(filter gpu,$(DEVICE)), -c reports/docs/constraints-gpu.txt)
PIP     := $(BIN)/python -m pip install --disable-pip-version-check --no-compile $(PINNED)
ONCE    := --no-deps --retries 0 --timeout 10
CPU     := $(shell sed -n 's/^torch==\([0-9.]*\).*/torch==\1+cpu/p' constraints.txt)
TAKE_CPU = $(PIP) $(ONCE) $(CPU) \
           || $(PIP) $(ONCE) --index-url https://download.pytorch.org/whl/cpu $(CPU) \
           || echo "No $(CPU) in pip's index, and download.pytorch.org does not answer: taking the torch of pip's index."

unexport PYTHONDONTWRITEBYTECODE  # where it is set each command compiles thousands of modules anew, for seconds

.PHONY: help setup setup-dev prepare sweep heldout report ui test test-all house bench calibration mutants soak showcase check docs doctor licences dist clean
.DEFAULT_GOAL := help

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1\t/' | expand -t 18
	@echo; echo "  DATASET=musique|2wikimultihopqa|hotpotqa|...  ARGS='key=value ...'  (see: $(BIN)/harness --help)"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv .venv

$(READY): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing into .venv, once: 2 to 4 minutes and 2.5 GB with PyTorch's CPU build."
	@[ $(DEVICE)$(TORCH) != cpu ] || echo "No NVIDIA driver here: if pip's torch brings CUDA (4 GB more), stop and type make TORCH=cpu ..."
	@date +%s > .venv/.started
	$(if $(filter cpu,$(TORCH)),@$(TAKE_CPU))
	$(PIP) -e '.[$(DEVICE),models]'
	@echo "Installed in $$(($$(date +%s) - $$(cat .venv/.started))) s."
	@touch $@

$(DEV): $(READY)
	@echo "Installing what tests, checks and documentation need: one to five minutes."
	$(PIP) -e '.[$(DEVICE),models,openai,docs,dev,stores]'
	@touch $@

setup: $(READY)  ## .venv with what sweeps need, pinned (TORCH=cpu: PyTorch's CPU build)

setup-dev: $(DEV)  ## the same and what tests, checks and documentation need

prepare: $(READY)  ## build the artifacts of DATASET, no fusion
	$(BIN)/harness prepare $(if $(DATASET),dataset=$(DATASET)) $(ARGS)

sweep: $(READY)  ## score the grid on tune, lock the winner, log to MLflow
	$(BIN)/harness sweep $(if $(DATASET),dataset=$(DATASET)) $(ARGS)

heldout: $(READY)  ## the locked trials of the latest sweep on test, once
	$(BIN)/harness heldout $(ARGS)

report: $(READY)  ## LaTeX tables, figures, the site of all sweeps, and a PDF where latexmk is (ARGS=sweep=all: of all experiments)
	$(BIN)/harness report $(ARGS)

ui: $(READY)  ## MLflow on 127.0.0.1
	$(BIN)/harness ui port=$(PORT) $(ARGS)

test: $(DEV)  ## all tests but the slow ones
	@echo "Running the tests: five to eight minutes on two processors."
	$(SHARE) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

test-all: $(DEV)  ## all tests
	$(SHARE) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m '' $(ARGS)

check: $(DEV)  ## formatting, types, layers, faces of rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/faces.py

house: $(DEV)  ## figures of the code: size of the core and of each plug-in, files that commands enter
	$(BIN)/python tests/house.py

bench: $(DEV)
	$(PIP) -e '.[bench,ray]'
	$(BIN)/python -m tests.benchmarks $(ARGS)

calibration: $(READY)  ## false findings and coverage of every p and interval over clusters of many shapes, with a figure (minutes)
	$(BIN)/harness calibrate clusters $(ARGS)

mutants: $(DEV)
	$(BIN)/python tests/mutants.py $(ARGS)

soak: $(DEV)
	$(BIN)/python -m tests.soak $(ARGS)

showcase: $(READY)
	$(BIN)/harness report $(if $(SWEEP),sweep=$(SWEEP)) paths.reports=reports/showcase $(ARGS)
	find reports/showcase/figures -name "*.png" -exec cp {} reports/docs/pages/figures/ \;

docs: $(DEV)  ## the documentation, reports/docs/site/index.html; strict
	@echo "The documentation is built: one to three minutes."
	$(BIN)/python reports/docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict -f reports/docs/mkdocs.yml
	@echo "file://$(CURDIR)/reports/docs/site/index.html"

doctor: $(READY)  ## what is installed and found, and whether the ledger is intact
	$(BIN)/harness doctor $(ARGS)

licences: $(READY)
	$(BIN)/python reports/docs/licences.py

dist: $(READY)  ## wheel and sdist of this version, in dist/
	$(PIP) build
	$(BIN)/python -m build

clean:  ## remove .venv and caches; runs/ and reports/ stay
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
