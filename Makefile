# `make demo` sets up, builds and shows; `make test` sets up, builds and tests.
# Both need Python 3.11, Rust by rustup, make and a C compiler.

PYTHON ?= python3

bin := .venv/bin
# What is imported is compiled then: most of the libraries never are. It is kept, also where the
# environment says otherwise, as images of containers often do: each process would compile it again.
unexport PYTHONDONTWRITEBYTECODE
pip_install := $(bin)/pip install --disable-pip-version-check --quiet --no-compile
# Of what is set up: made again only when what it depends on has changed. The environment has what
# Windtunnel is built and runs with, development the rest.
environment := .venv/environment.stamp
development := .venv/development.stamp
# One of the three is installed: the core as it is used; as a newcomer gets it, slower, but built
# sooner; or as the Python tests use it, which is slower still, and asserts what it assumes.
core := .venv/core.stamp
quick_core := .venv/quick-core.stamp
test_core := .venv/test-core.stamp
rust := $(shell find crates -name '*.rs' -o -name '*.[ch]' -o -name Cargo.toml) Cargo.toml Cargo.lock rust-toolchain.toml

# Controllers in the kernel are built on Linux, where what they need is installed; what is not, by
# Debian's names.
linux := $(filter Linux,$(shell uname))
missing := $(strip $(if $(linux), \
	$(if $(shell command -v clang),,clang) \
	$(if $(shell command -v pkg-config),,pkg-config) \
	$(if $(shell pkg-config --exists libelf 2>&1 || echo no),libelf-dev) \
	$(if $(shell pkg-config --exists zlib 2>&1 || echo no),zlib1g-dev)))
kernel := $(if $(missing),,$(linux))
without_kernel := Built without controllers in the Linux kernel (windtunnel fly): \
	to have them, install $(missing) and run make again.
# Of the two names the one that exists says how the core was built; when it should be the other, the
# core is built again.
kernel_stamp := .venv/$(if $(kernel),with,without)-kernel.stamp
features := $(if $(kernel),--features windtunnel-live/kernel)
core_features := $(if $(kernel),--features kernel)

# The interpreter that the bindings are checked against.
export PYO3_PYTHON := $(CURDIR)/$(bin)/python

.PHONY: demo core test lint rustfmt clippy rustdoc deny crates ruff mypy test-rust test-python
.PHONY: docs book bench bench-compare bench-ns3

# The core as it is used, if that is installed already.
demo: $(if $(wildcard $(core)),$(core),$(quick_core))
	$(bin)/windtunnel run scenarios/home.toml --report
	@echo 'A paper next: $(bin)/windtunnel reproduce ec-elastic --quick'

# The fastest core, with link-time optimisation.
core: $(core)

test: lint test-rust test-python

# What a tool can say without running anything; a tool that is missing is an error.
lint: rustfmt clippy rustdoc deny crates ruff mypy

rustfmt:
	cargo fmt --all --check

clippy: $(environment)
	cargo clippy --locked --workspace $(features) --all-targets -- -D warnings

rustdoc: $(environment)
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace $(features) --no-deps

# Licences and sources of the Rust dependencies, by deny.toml.
deny: $(development)
	$(bin)/cargo-deny --locked --log-level error check licenses sources

# The crates that others can use, packed as they would be published; `VERIFY=` also builds them.
PUBLISHED := engine controllers packets units transports plugin quinn
VERIFY ?= --no-verify
crates:
	cargo package --locked --quiet --allow-dirty $(VERIFY) $(PUBLISHED:%=--package windtunnel-%)

ruff: $(development)
	$(bin)/ruff check
	$(bin)/ruff format --check

mypy: $(development)
	$(bin)/mypy

test-rust: $(environment)
	$(if $(filter 1,$(WINDTUNNEL_REQUIRE_ALL)),$(if $(missing),$(error WINDTUNNEL_REQUIRE_ALL is 1, but controllers in the kernel cannot be built without $(missing))))
	cargo test --locked --workspace $(features)

# What the tests of Rust and the core share is most of what is compiled. On a fresh machine both take
# less time in this order: crates of tests are compiled side by side, those of the core one by one.
.PHONY: rust-tests
rust-tests: $(environment)
	cargo test --locked --workspace $(features) --no-run

test-python: $(test_core) $(development)
	$(bin)/pytest -n 2 --dist loadfile --no-loadscope-reorder

# The Linux kernel that tests and `make validate` have as a host, in the user's cache: five minutes of
# CPU time once, then seconds.
.PHONY: linux
linux: $(test_core)
	$(bin)/windtunnel linux build

# What the tests of NDN on sockets talk with; they make it themselves where they can.
.PHONY: interop
interop: tests/interop/.installed

tests/interop/.installed: tests/interop/package-lock.json tests/interop/requirements.txt
	cd tests/interop && npm ci --silent --no-audit --no-fund --fetch-retries=0
	$(PYTHON) -m venv tests/interop/.venv
	tests/interop/.venv/bin/pip install --disable-pip-version-check --quiet --retries 0 \
		--requirement tests/interop/requirements.txt
	touch $@

docs: $(core) $(development)
	$(bin)/python -m windtunnel.manual.scenarios docs/scenarios
	$(bin)/python -m windtunnel.manual.results docs/results.md
	$(bin)/python -m windtunnel.scenario.table_types python/windtunnel/scenario/tables.py
	$(bin)/ruff format --quiet python/windtunnel/scenario/tables.py
	$(bin)/python -m windtunnel.recipes docs/recipes.md
	$(bin)/python tests/messages.py
	$(bin)/python docs/run_notebook.py
	$(bin)/python docs/draw_home.py

# The book, as a site in target/book; a link that leads nowhere is an error.
book: $(development)
	NO_MKDOCS_2_WARNING=1 $(bin)/mkdocs build --strict
	@echo 'The book: $(CURDIR)/target/book/index.html'

# The speed of this version: a table, and, of what is committed, a line of bench/history.csv.
bench: $(core) $(development)
	$(bin)/python bench/history.py

# HEAD beside another commit: `make bench-compare BASE=HEAD~3`, and, where wanted,
# `PAIRS=9 WORKLOADS="tcp-link-10 ndn-chain"`.
PAIRS ?= 5
bench-compare: $(environment)
	$(if $(BASE),,$(error BASE is required: make bench-compare BASE=<commit>))
	$(bin)/python bench/compare.py --pairs $(PAIRS) $(BASE) $(WORKLOADS)

bench-ns3:
	$(MAKE) -C bench/ns3

$(environment): requirements.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or later is needed")'
	$(PYTHON) -m venv .venv
	$(bin)/python -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb")); \
		print(*project["build-system"]["requires"], *project["project"]["dependencies"], sep="\n")' \
		> .venv/requirements.txt
	$(pip_install) --constraint requirements.txt --requirement .venv/requirements.txt
	touch $@

$(development): $(environment)
	$(pip_install) --requirement requirements.txt
	touch $@

$(core): $(environment) $(rust) $(kernel_stamp)
	$(call install_core,--release)

$(quick_core): $(environment) $(rust) $(kernel_stamp)
	$(call install_core,--profile quick)

$(test_core): $(environment) $(rust) $(kernel_stamp)
	$(call install_core)

define install_core
rm -f $(core) $(quick_core) $(test_core)
PIP_QUIET=1 $(bin)/maturin develop --locked $(core_features) $(1)
touch $@
$(if $(missing),@echo '$(without_kernel)')
endef

$(kernel_stamp): $(environment)
	rm -f .venv/with-kernel.stamp .venv/without-kernel.stamp
	touch $@

# Packages for users, in target/dist: the source, and a wheel for each target, for Python 3.11 and
# later. On Linux zig links them to the symbols of glibc 2.17, of 2012; they are without controllers in the
# kernel, which would link to libelf.
ZIG := ziglang==0.17.1
TARGETS ?= $(if $(linux),x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu,$(shell rustc --print host-tuple))
.PHONY: dist
dist: $(environment)
	rm -rf target/dist
	rustup target add $(TARGETS)
	$(if $(linux),$(pip_install) $(ZIG))
	$(bin)/maturin sdist --out target/dist
	for target in $(TARGETS); do PATH="$(CURDIR)/$(bin):$$PATH" $(bin)/maturin build --release --locked --out target/dist \
		$(if $(linux),--zig --compatibility manylinux_2_17) --target $$target || exit 1; done
	$(bin)/python packaging/check_packages.py target/dist

.PHONY: validate validate-kernel validate-linux validate-stacks
validate: $(core)
	$(bin)/python validation/compare_ndnsim.py docs/validation.md
	$(bin)/python validation/check_laws.py docs/validation/laws.md
	$(bin)/python validation/compare_ns3.py docs/validation/ns3.md
	$(bin)/python validation/compare_kernel.py docs/validation/kernel.md
	$(bin)/python validation/compare_linux.py docs/validation/linux.md
	$(bin)/python validation/compare_satellites.py docs/validation/satellites.md
	$(bin)/python validation/compare_handovers.py docs/validation/handovers.md

# Needs ethtool, iperf3, iproute2, nftables and util-linux, and a system that allows namespaces.
validate-kernel: $(core)
	$(bin)/python validation/compare_kernel.py --measure docs/validation/kernel.md

# The kernel itself in virtual time; some twenty minutes on two cores.
validate-linux: $(core)
	$(bin)/windtunnel linux build
	$(bin)/python validation/compare_linux.py --measure docs/validation/linux.md

# quiche, s2n-quic, str0m and tquic, which `make test` does not build: a quarter of an hour of CPU
# time, once.
validate-stacks: $(core) $(development)
	$(MAKE) -C stacks/quiche
	$(MAKE) -C stacks/s2n-quic
	$(MAKE) -C stacks/str0m
	$(MAKE) -C stacks/tquic
	$(bin)/pytest stacks

# Papers again, and what is kept of them: `make papers PAPERS=ec-elastic COMBINATIONS=300`.
PAPERS ?= $(notdir $(patsubst %/,%,$(wildcard papers/*/)))
COMBINATIONS ?= 100
.PHONY: papers
papers: $(PAPERS:%=paper-%)
paper-%: $(core)
	$(bin)/windtunnel reproduce $* --out results/papers/$*
	$(bin)/windtunnel reproduce $* --runs 2 --combinations $(COMBINATIONS) --out results/searches/$*
	$(bin)/python validation/paper_pages.py $* results/papers/$* --search results/searches/$*

# What of the protocol crates the tests do not notice: cargo-mutants changes a line, and a test of
# the crate must fail, or not end within a minute: it takes seconds. Of all mutants, in the order
# of the source, every n-th is tried:
# `make mutants CRATES=controllers SHARD=0/8` tries an eighth of one crate's, `SHARD=0/1` all.
# Half an hour on two cores. With JOBS=1 it takes longer, and one core.
CRATES ?= controllers links networks packets queues transports
SHARD ?= 0/28
JOBS ?= 2
.PHONY: mutants
mutants:
	cargo mutants --version || cargo install --locked cargo-mutants@27.1.0
	mkdir -p target/mutants
	cargo mutants $(CRATES:%=--package windtunnel-%) --shard $(SHARD) --sharding round-robin \
		--jobs $(JOBS) --timeout 60 --output target/mutants --no-times || test $$? = 2 -o $$? = 3
	$(PYTHON) validation/count_mutants.py target/mutants/mutants.out/outcomes.json

# Of the controllers that have a suite of cases: which changes to their source no case notices.
SUITED ?= bbr bbr3/* cubic dctcp hystart ledbat_plus_plus prague reno
.PHONY: conform-mutants
conform-mutants:
	cargo mutants --version || cargo install --locked cargo-mutants@27.1.0
	mkdir -p target/conform-mutants
	cargo mutants $(SUITED:%=--file 'crates/controllers/src/%.rs') --baseline skip --timeout 60 \
		--test-package windtunnel-conformance --jobs $(JOBS) --output target/conform-mutants \
		--no-times || test $$? = 2 -o $$? = 3
	$(PYTHON) validation/count_mutants.py target/conform-mutants/mutants.out/outcomes.json --files

# Kills, floods and malformed packets for what listens, and whether clients are served meanwhile.
# Needs root.
MINUTES ?= 60
.PHONY: abuse
abuse: $(core)
	$(bin)/python validation/abuse_listeners.py --minutes $(MINUTES)

# Real packets, the kernel's TCP, QUIC and NDN beside simulations: a quarter of an hour on a quiet
# machine. Needs root, iperf3 and what controllers in the kernel are built with.
.PHONY: validate-live
validate-live: $(core) $(development)
	$(bin)/python validation/compare_live.py docs/live.md
	$(bin)/python validation/check_emulation.py docs/validation/live.md
