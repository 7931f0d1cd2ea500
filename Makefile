# `make sweep` and `make test` set everything up by themselves; `make help` lists the rest.
PYTHON  ?= python3
DATASET ?=
ARGS    ?=
PORT    ?= 5000
WORKERS ?= 2
JOB     ?= house
# gpu where there is an NVIDIA driver
DEVICE  := $(shell command -v nvidia-smi >/dev/null 2>&1 && echo gpu || echo cpu)
# Each worker's share of the processors: threads of two workers wait for each other.
SHARE    = OMP_NUM_THREADS=$$($(BIN)/python -c 'import os; print(max(1, (os.cpu_count() or 1) // $(WORKERS)))')
BIN     := .venv/bin
READY   := .venv/.ready
TESTS   := .venv/.ready-test
DEV     := .venv/.ready-dev
PINNED  := -c constraints.txt$(if $(filter gpu,$(DEVICE)), -c reports/docs/constraints-gpu.txt)
PIP     := $(BIN)/python -m pip install --disable-pip-version-check --no-compile $(PINNED)
CPU     := $(shell sed -n 's/^torch==\([0-9.]*\).*/torch==\1+cpu/p' constraints.txt)
TAKE_CPU = --no-deps --retries 0 --timeout 10 $(CPU) 2>>.venv/torch.log
NO_CPU   = No $(CPU) in pip's index or at download.pytorch.org (pip's words: .venv/torch.log): type make TORCH=any ... for pip's torch, which may bring CUDA, 4 GB

unexport PYTHONDONTWRITEBYTECODE  # where it is set each command compiles thousands of modules anew, for seconds

.PHONY: help setup setup-dev prepare sweep heldout report ui test test-all check measure bench showcase docs doctor licences dist clean
.DEFAULT_GOAL := help

help:
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1\t/' | expand -t 18
	@echo; echo "  DATASET=musique|2wikimultihopqa|hotpotqa|...  ARGS='key=value ...'  (see: $(BIN)/harness --help)"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv .venv

$(READY): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing into .venv, once: minutes, and 2.4 GB with PyTorch's CPU build."
	@[ "$(DEVICE)$(TORCH)" != cpu ] || echo "No NVIDIA driver here: if pip's torch brings CUDA (4 GB more), stop and type make TORCH=cpu ..."
	@date +%s > .venv/.started
	$(if $(filter cpu,$(TORCH)),@$(PIP) --quiet $(TAKE_CPU) || $(PIP) $(TAKE_CPU) --index-url https://download.pytorch.org/whl/cpu || { echo "$(NO_CPU)" >&2; exit 1; })
	$(PIP) -e '.[$(DEVICE),models]'
	@echo "Installed in $$(($$(date +%s) - $$(cat .venv/.started))) s."
	@touch $@

$(TESTS): $(READY)
	@echo "Installing what tests import."
	$(PIP) -e '.[$(DEVICE),models,openai,dev,dice,mentions,stores]'
	@touch $@

$(DEV): $(TESTS)
	@echo "Installing what documentation is made with."
	$(PIP) -e '.[$(DEVICE),models,openai,docs,dev,dice,mentions,stores]'
	@touch $@

setup: $(READY)  ## .venv with what sweeps need, pinned (TORCH=cpu: PyTorch's CPU build)

setup-dev: $(DEV)  ## the same and what tests, checks and documentation need

prepare: $(READY)
	$(BIN)/harness prepare $(if $(DATASET),dataset=$(DATASET)) $(ARGS)

sweep: $(READY)  ## score the grid on tune, lock the winner, log to MLflow
	$(BIN)/harness sweep $(if $(DATASET),dataset=$(DATASET)) $(ARGS)

heldout: $(READY)  ## the locked trials of the latest sweep on test, once
	$(BIN)/harness heldout $(ARGS)

report: $(READY)  ## LaTeX tables, figures, the site of all sweeps, and a PDF where latexmk is (ARGS=sweep=all: of all experiments)
	$(BIN)/harness report $(ARGS)

ui: $(READY)  ## MLflow on 127.0.0.1
	$(BIN)/harness ui port=$(PORT) $(ARGS)

test: $(TESTS)  ## all tests but the slow ones
	$(SHARE) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

test-all: $(DEV)  ## all tests, those of the documentation and the slow ones too
	$(SHARE) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m '' $(ARGS)

check: $(DEV)  ## formatting, types, and what a room may import
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

RUN_house       = $(BIN)/python tests/house.py
RUN_bench       = $(PIP) -e '.[bench,ray]' && $(BIN)/python -m tests.benchmarks $(ARGS)
RUN_calibration = $(BIN)/harness calibrate clusters $(ARGS)
RUN_mutants     = $(BIN)/python tests/mutants.py $(ARGS)
RUN_soak        = $(BIN)/python -m tests.soak $(ARGS)

measure: $(DEV)  ## figures of this project itself: JOB=house|bench|calibration|mutants|soak
	$(or $(RUN_$(JOB)),$(error JOB=$(JOB): expected house, bench, calibration, mutants or soak))

bench: JOB := bench
bench: measure

showcase: $(READY)
	$(BIN)/harness report $(if $(SWEEP),sweep=$(SWEEP)) paths.reports=reports/showcase $(ARGS)
	find reports/showcase/figures -name "*.png" -exec cp {} reports/docs/pages/figures/ \;

docs: $(DEV)  ## the documentation, reports/docs/site/index.html; strict
	@echo "The documentation is built: one to three minutes."
	$(BIN)/python reports/docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict -f reports/docs/mkdocs.yml
	@echo "file://$(CURDIR)/reports/docs/site/index.html"

doctor: $(READY)
	$(BIN)/harness doctor $(ARGS)

licences: $(READY)
	$(BIN)/python reports/docs/licences.py

dist: $(READY)
	$(PIP) build
	$(BIN)/python -m build

clean:  ## remove .venv and caches; runs/ and reports/ stay
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
