# `make demo` sets up, builds and shows; `make test` sets up, builds and tests.
# Both need Python 3.11, a Rust toolchain, make and a C compiler.

PYTHON ?= python3

bin := .venv/bin
# Of what is set up: made again only when what it depends on has changed.
environment := .venv/environment.stamp
core := .venv/core.stamp
rust := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock

# The interpreter that the bindings are checked against.
export PYO3_PYTHON := $(CURDIR)/$(bin)/python

.PHONY: demo test test-rust test-python docs bench bench-ns3

demo: $(core)
	$(bin)/windtunnel reproduce ec-elastic

test: test-rust test-python

test-rust: $(environment)
	$(call if_installed,fmt,--all --check)
	$(call if_installed,clippy,--locked --workspace --all-targets -- -D warnings)
	cargo test --locked --workspace

test-python: $(core)
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/pytest

# A Rust toolchain may come without rustfmt and clippy.
define if_installed
@if cargo $(1) --version >/dev/null 2>&1; then set -x; cargo $(1) $(2); \
else echo "cargo $(1) is not installed: nothing checked"; fi
endef

docs: $(core)
	$(bin)/python -m windtunnel.documents docs/scenarios.md
	$(bin)/python -m windtunnel.table_types python/windtunnel/scenario_tables.py
	$(bin)/ruff format --quiet python/windtunnel/scenario_tables.py
	$(bin)/python docs/run_notebook.py

bench: $(core)
	$(bin)/windtunnel bench

bench-ns3:
	$(MAKE) -C bench/ns3

$(environment): requirements.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or later is needed")'
	$(PYTHON) -m venv .venv
	$(bin)/pip install --disable-pip-version-check --quiet --requirement requirements.txt
	touch $@

$(core): $(environment) $(rust)
	PIP_QUIET=1 $(bin)/maturin develop --release --locked
	touch $@

.PHONY: validate validate-kernel
validate: $(core)
	$(bin)/python validation/compare_ndnsim.py docs/validation.md
	$(bin)/python validation/check_laws.py docs/validation/laws.md
	$(bin)/python validation/compare_ns3.py docs/validation/ns3.md
	$(bin)/python validation/compare_kernel.py docs/validation/kernel.md

# Needs iperf3, iproute2 and util-linux, and a system that allows namespaces.
validate-kernel: $(core)
	$(bin)/python validation/compare_kernel.py --measure docs/validation/kernel.md
